import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import { DueTimes } from '../../../src/adapters/message-bus/kafka/dueTimes.js';
import { PartitionJobs, type Job } from '../../../src/adapters/message-bus/kafka/partitionJobs.js';

const hour = 3_600_000;
const delayMs = 1_000;

describe('DueTimes', () => {
  let time: { now: number; monotonic: number };
  let due: number[];
  let dueTimes: DueTimes;

  const putAt = (at: number, offset = 0): Job => ({
    jobs: new PartitionJobs(0),
    offset,
    key: 'a',
    payload: Buffer.alloc(0),
    putAt: at,
    isDone: false,
  });
  const pass = (milliseconds: number): void => {
    time.now += milliseconds;
    time.monotonic += milliseconds;
    dueTimes.release();
  };

  beforeEach(() => {
    time = { now: 10 * hour, monotonic: 0 };
    due = [];
    const clock = { now: () => time.now, monotonic: () => time.monotonic };
    dueTimes = new DueTimes(delayMs, clock, (jobs) => due.push(...jobs.map(({ offset }) => offset)));
  });
  afterEach(() => dueTimes.close());

  it('releases jobs in their order, none before its time', () => {
    dueTimes.add(putAt(time.now - 400, 1));
    dueTimes.add(putAt(time.now - 100, 2));
    pass(599);
    expect(due).to.deep.equal([]);
    pass(1);
    expect(due).to.deep.equal([1]);
    pass(300);
    expect(due).to.deep.equal([1, 2]);
  });

  it('follows no jump of the wall clock', () => {
    dueTimes.add(putAt(time.now));
    time.now += hour;
    pass(999);
    expect(due).to.deep.equal([]);
    time.now -= 2 * hour;
    pass(1);
    expect(due).to.deep.equal([0]);
  });

  it('lets no job wait longer than the delay, or come before its time, whatever the clock that it was put by', () => {
    dueTimes.add(putAt(time.now + hour, 1));
    pass(999);
    expect(due).to.deep.equal([]);
    pass(1);
    expect(due).to.deep.equal([1]);
    dueTimes.add(putAt(time.now - hour, 2));
    pass(0);
    expect(due).to.deep.equal([1, 2]);
  });
});
