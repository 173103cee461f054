import { expect } from 'chai';
import fc from 'fast-check';
import { ReceivedSequences } from '../../src/presence/replica.js';

describe('the numbers that were received', () => {
  it('are complete up to the first gap', () => {
    const received = new ReceivedSequences();
    for (const sequence of [1, 2, 4, 5]) received.add(sequence);
    expect(received.hasAllUpTo(2)).to.equal(true);
    expect(received.hasAllUpTo(3)).to.equal(false);
    received.add(3);
    expect(received.hasAllUpTo(5)).to.equal(true);
  });

  it('count once', () => {
    const received = new ReceivedSequences();
    expect([1, 1, 3, 3].map((sequence) => received.add(sequence))).to.deep.equal([true, false, true, false]);
  });

  it('begin anew with a full account, whichever comes first', () => {
    const received = new ReceivedSequences();
    for (const sequence of [90, 100, 101]) received.add(sequence);
    received.startAt(100);
    expect(received.hasAllUpTo(101)).to.equal(true);
    expect(received.add(95), 'of before').to.equal(false);
    received.startAt(50);
    expect(received.hasAllUpTo(101), 'an older account').to.equal(true);
  });

  it('are complete exactly when all are there, in any order', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray([1, 2, 3, 4, 5, 6, 7, 8]),
        fc.integer({ min: 1, max: 8 }),
        (came, upTo) => {
          const received = new ReceivedSequences();
          for (const sequence of came) received.add(sequence);
          const isComplete = Array.from({ length: upTo }, (_, at) => at + 1).every((one) =>
            came.includes(one),
          );
          expect(received.hasAllUpTo(upTo)).to.equal(isComplete);
        },
      ),
      { seed: 6, numRuns: 500 },
    );
  });
});
