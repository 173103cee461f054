import { expect } from 'chai';
import { Turns } from '../../src/socket/turns.js';

const turnOf = async (turns: Turns): Promise<void> => {
  expect(turns.current).to.be.a('number');
  await new Promise(setImmediate);
};

describe('the share of a connection in a turn', () => {
  it('is as long as writing took, within bounds, and shorter with each turn in which it took less', async () => {
    const turns = new Turns(1);
    expect(turns.shareMs).to.equal(1);
    turns.wrote(3);
    turns.wrote(0.1);
    expect(turns.shareMs).to.equal(3);
    await turnOf(turns);
    expect(turns.shareMs).to.equal(1.5);
    turns.wrote(100);
    expect(turns.shareMs).to.equal(4);
    for (let turn = 0; turn < 3; turn += 1) await turnOf(turns);
    expect(turns.shareMs).to.equal(1);
  });
});
