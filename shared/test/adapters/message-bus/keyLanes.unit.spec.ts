import { expect } from 'chai';
import fc from 'fast-check';
import { pauseAfter } from '../../../src/adapters/message-bus/durableQueue.js';
import { Fifo } from '../../../src/adapters/message-bus/fifo.js';
import { KeyLanes, type Lane } from '../../../src/adapters/message-bus/keyLanes.js';

describe('KeyLanes', () => {
  const taken = (lane: Lane | undefined): unknown => lane && [lane.key, lane.jobs.first];

  it('gives the keys in turn, one job of each at a time', () => {
    const lanes = new KeyLanes();
    for (const [key, sequence] of [
      ['a', 1],
      ['a', 2],
      ['b', 3],
      ['a', 4],
      ['c', 5],
    ] as const)
      lanes.add(key, sequence);
    const first = [lanes.next(), lanes.next(), lanes.next()];
    expect(first.map(taken)).to.deep.equal([
      ['a', 1],
      ['b', 3],
      ['c', 5],
    ]);
    expect(lanes.next()).to.equal(undefined);
    lanes.done(first[0] as Lane);
    expect(taken(lanes.next())).to.deep.equal(['a', 2]);
  });

  it('gives a failed job again before the next one of its key', () => {
    const lanes = new KeyLanes();
    lanes.add('a', 1);
    lanes.add('a', 2);
    const lane = lanes.next() as Lane;
    lanes.add('a', 3);
    lanes.again(lane);
    expect(taken(lanes.next())).to.deep.equal(['a', 1]);
    lanes.done(lane);
    expect(taken(lanes.next())).to.deep.equal(['a', 2]);
  });

  it('begins a key anew after its last job', () => {
    const lanes = new KeyLanes();
    lanes.add('a', 1);
    const lane = lanes.next() as Lane;
    lane.failures = 3;
    lanes.done(lane);
    expect(lanes.next()).to.equal(undefined);
    lanes.add('a', 2);
    expect(lanes.next()).to.deep.include({ key: 'a', failures: 0 });
  });
});

describe('Fifo', () => {
  it('is a list that is pushed to and shifted from', () => {
    const steps = fc.array(
      fc.oneof({ weight: 3, arbitrary: fc.nat() }, { weight: 2, arbitrary: fc.constant('shift') }),
      {
        maxLength: 500,
        size: 'max',
      },
    );
    const property = fc.property(steps, (taken) => {
      const fifo = new Fifo<number>();
      const list: number[] = [];
      for (const step of taken) {
        if (typeof step === 'number') {
          fifo.push(step);
          list.push(step);
        } else expect(fifo.shift()).to.equal(list.shift());
        expect([fifo.first, fifo.isEmpty]).to.deep.equal([list[0], list.length === 0]);
      }
    });
    fc.assert(property, { seed: 20260117, numRuns: 60 });
  });
});

describe('pauseAfter', () => {
  it('doubles from 100 ms up to 10 s', () => {
    expect([1, 2, 3, 4, 7, 8, 50, 5000].map(pauseAfter)).to.deep.equal([
      100, 200, 400, 800, 6400, 10_000, 10_000, 10_000,
    ]);
  });
});
