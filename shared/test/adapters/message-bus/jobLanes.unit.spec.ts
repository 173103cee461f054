import { expect } from 'chai';
import { lanesOf, type JobLanes } from '../../../src/adapters/message-bus/jobLanes.js';

const taken = (lanes: JobLanes<number>, count: number): readonly string[] =>
  Array.from({ length: count }, () => {
    const lane = lanes.next();
    return lane ? `${lane.key}${lane.jobs.first}` : 'none';
  });

describe('the jobs of a queue that lets them overlap', () => {
  it('are started in order, keys in turn, without waiting for the end of one', () => {
    const lanes = lanesOf<number>({ overlaps: true });
    for (const job of [1, 2, 3, 4]) lanes.add('a', job);
    lanes.add('b', 5);
    lanes.add('c', 6);
    expect(taken(lanes, 3)).to.eql(['a1', 'b5', 'c6']);
    lanes.add('b', 7);
    expect(taken(lanes, 5)).to.eql(['a2', 'b7', 'a3', 'a4', 'none']);
    lanes.add('a', 8);
    expect(taken(lanes, 1)).to.eql(['a8']);
  });

  it('come first when they are retried', () => {
    const lanes = lanesOf<number>({ overlaps: true });
    lanes.add('a', 1);
    const failed = lanes.next() ?? expect.fail();
    lanes.add('b', 2);
    lanes.again(failed);
    expect(taken(lanes, 2)).to.eql(['a1', 'b2']);
  });
});
