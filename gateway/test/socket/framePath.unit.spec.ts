import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import fc from 'fast-check';
import { FramePath } from '../../src/socket/outbox.js';

const [a, b, c] = ['a', 'bb', 'ccc'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];

describe('a path of frames', () => {
  it('is the frames in their order', () => {
    const path = new FramePath().then(a).then(b).then(c).then(a);
    expect(path.bytes().toString()).to.equal('abbccca');
    expect(path.size).to.equal(7);
  });

  it('of one frame is that frame, and not a copy', () => {
    expect(new FramePath().then(a).bytes()).to.equal(a);
  });

  it('that two sockets share is put together once', () => {
    const root = new FramePath();
    const one = root.then(a);
    const other = root.then(a);
    expect(one.then(b).bytes()).to.equal(other.then(b).bytes());
  });

  it('that divides keeps its branches apart', () => {
    const root = new FramePath();
    const shared = root.then(a);
    expect(shared.then(b).bytes().toString()).to.equal('abb');
    expect(shared.then(c).bytes().toString()).to.equal('accc');
    expect(shared.bytes().toString()).to.equal('a');
  });

  it('gives every socket exactly its own frames, whoever gets which', () => {
    const fanOuts = fc.array(fc.uniqueArray(fc.nat(9), { maxLength: 10 }), { maxLength: 30 });
    const property = fc.property(fanOuts, (rounds) => {
      const root = new FramePath();
      const paths = Array<FramePath>(10).fill(root);
      const expected = Array<string>(10).fill('');
      rounds.forEach((receivers, round) => {
        const frame = Buffer.from(`<${round}>`);
        for (const at of receivers) {
          paths[at] = (paths[at] as FramePath).then(frame);
          expected[at] += `<${round}>`;
        }
      });
      expect(paths.map((path) => path.bytes().toString())).to.deep.equal(expected);
    });
    fc.assert(property);
  });
});
