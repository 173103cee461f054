import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { LatestWrite, type Failure } from '../../src/groups/latestWrite.js';

describe('LatestWrite', () => {
  let written: string[];
  let failures: Failure[];
  let isAway: boolean;
  let begin: () => void;
  let writes: LatestWrite;

  beforeEach(() => {
    [written, failures, isAway] = [[], [], false];
    const after = new Promise<void>((resolve) => (begin = resolve));
    writes = new LatestWrite({ after, retryMs: 1, failed: (_, failure) => failures.push(failure) });
  });

  afterEach(() => writes.abandon());

  const write = (what: string) => async (): Promise<void> => {
    if (isAway) throw new Error('away');
    written.push(what);
  };

  const failAtTheEnd = async (times = 1): Promise<void> => {
    begin();
    isAway = true;
    writes.last(write('end'));
    await eventually(() => failures.length >= times);
  };

  it('writes nothing before it may begin', async () => {
    writes.next(write('a'));
    await new Promise(setImmediate);
    expect(written).to.deep.equal([]);
    begin();
    await writes.settled;
    expect(written).to.deep.equal(['a']);
  });

  it('is settled without a write when it may begin', async () => {
    begin();
    await writes.settled;
    expect(written).to.deep.equal([]);
  });

  it('writes the newest of those that came while it was writing', async () => {
    begin();
    let go: () => void = () => undefined;
    writes.next(() => new Promise((resolve) => (go = resolve)));
    await new Promise(setImmediate);
    for (const what of ['a', 'b', 'c']) writes.next(write(what));
    go();
    await writes.settled;
    expect(written).to.deep.equal(['c']);
  });

  it('tries the last one until it succeeds', async () => {
    await failAtTheEnd(3);
    expect(failures.slice(0, 2)).to.deep.equal([
      { attempt: 1, isTriedAgain: true },
      { attempt: 2, isTriedAgain: true },
    ]);
    isAway = false;
    await writes.settled;
    expect(written).to.deep.equal(['end']);
  });

  it('tries another one once, also in place of the last', async () => {
    await failAtTheEnd();
    writes.next(write('anew'));
    await writes.settled;
    expect(failures.at(-1)?.isTriedAgain).to.equal(false);
    expect(written).to.deep.equal([]);
  });

  it('is settled once it is abandoned, whatever has not been written', async () => {
    await failAtTheEnd();
    writes.abandon();
    await writes.settled;
    expect(written).to.deep.equal([]);
  });
});
