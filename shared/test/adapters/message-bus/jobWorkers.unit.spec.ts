import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { jobs, type Note } from '@roomwire/testing/contracts/message-bus/busUnderTest';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { openEmbeddedMessageBus } from '../../../src/adapters/message-bus/embeddedMessageBus.js';
import { FifoQueue } from '../../../src/adapters/message-bus/fifoQueue.js';
import { KeyLanes, type Lane } from '../../../src/adapters/message-bus/jobLanes.js';
import { betweenAttempts, DueTimes, JobWorkers } from '../../../src/adapters/message-bus/jobWorkers.js';
import { JobRequeued } from '../../../src/ports/errors.js';
import type { Logger } from '../../../src/ports/logger.js';
import { backOffMs } from '../../../src/runtime/waiting.js';

describe('KeyLanes', () => {
  const taken = (lane: Lane<number> | undefined): unknown => lane && [lane.key, lane.jobs.first];

  it('takes the keys in turn, one job of each at a time', () => {
    const lanes = new KeyLanes<number>();
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
    lanes.done(first[0] as Lane<number>);
    expect(taken(lanes.next())).to.deep.equal(['a', 2]);
  });

  it('repeats a failed job before the next one of its key', () => {
    const lanes = new KeyLanes<number>();
    lanes.add('a', 1);
    lanes.add('a', 2);
    const lane = lanes.next() as Lane<number>;
    lanes.add('a', 3);
    lanes.again(lane);
    expect(taken(lanes.next())).to.deep.equal(['a', 1]);
    lanes.done(lane);
    expect(taken(lanes.next())).to.deep.equal(['a', 2]);
  });

  it('accepts jobs of a key again after its last one', () => {
    const lanes = new KeyLanes<number>();
    lanes.add('a', 1);
    const lane = lanes.next() as Lane<number>;
    lane.failures = 3;
    lanes.done(lane);
    expect(lanes.next()).to.equal(undefined);
    lanes.add('a', 2);
    expect(lanes.next()).to.deep.include({ key: 'a', failures: 0 });
  });
});

describe('FifoQueue', () => {
  it('pushes and shifts like an array', () => {
    const steps = fc.array(
      fc.oneof({ weight: 3, arbitrary: fc.nat() }, { weight: 2, arbitrary: fc.constant('shift') }),
      {
        maxLength: 500,
        size: 'max',
      },
    );
    const property = fc.property(steps, (taken) => {
      const fifo = new FifoQueue<number>();
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

describe('the wait before a failed job is retried', () => {
  it('doubles from 100 ms up to 10 s', () => {
    expect(
      [1, 2, 3, 4, 7, 8, 50, 5000].map((failures) => backOffMs(betweenAttempts, failures)),
    ).to.deep.equal([100, 200, 400, 800, 6400, 10_000, 10_000, 10_000]);
  });
});

const note: Note = { key: 'a', value: 1 };

const recording = (): { readonly logger: Logger; readonly lines: string[] } => {
  const lines: string[] = [];
  const write = (message: string): void => void lines.push(message);
  return { lines, logger: { debug: write, info: write, warn: write, error: write } };
};

describe('a job that is requeued', () => {
  it('is done again, without a log entry', async () => {
    const folder = await temporaryFolder();
    const { logger, lines } = recording();
    const bus = await openEmbeddedMessageBus({ file: (name) => join(folder.path, name) }, { logger });
    await bus.put(jobs, note);
    const requeued = new Promise<void>((resolve) => {
      void bus.work(jobs, { concurrency: 1 }, async () => {
        setImmediate(resolve);
        throw new JobRequeued();
      });
    });
    await requeued;
    await bus.close();
    expect(lines).to.deep.equal([]);
    const later = await openEmbeddedMessageBus({ file: (name) => join(folder.path, name) });
    const again = new Promise<Note>((resolve) => {
      void later.work(jobs, { concurrency: 1 }, async (job) => resolve(job));
    });
    expect(await again).to.deep.equal(note);
    await later.close();
    await folder.remove();
  });

  it('is not logged as a failure', async () => {
    const { logger, lines } = recording();
    const source = { payload: () => Uint8Array.of(1), done: () => undefined };
    for (const error of [new JobRequeued(), new Error('failed')]) {
      const workers = new JobWorkers<number>({ name: 'jobs' }, source, logger);
      workers.add('a', 1);
      const worker = workers.work({ concurrency: 1 }, () => Promise.reject(error));
      await worker.close();
      await workers.close();
    }
    expect(lines).to.deep.equal(['A job failed and is retried']);
  });
});

const hour = 3_600_000;
const delayMs = 1_000;

describe('DueTimes', () => {
  let time: { now: number; monotonic: number };
  let due: number[];
  let dueTimes: DueTimes<number>;

  const put = (at: number, job = 0): void => dueTimes.add(job, dueTimes.dueTime(at));
  const pass = (milliseconds: number): void => {
    time.now += milliseconds;
    time.monotonic += milliseconds;
    dueTimes.release();
  };

  beforeEach(() => {
    time = { now: 10 * hour, monotonic: 0 };
    due = [];
    const clock = { now: () => time.now, monotonic: () => time.monotonic };
    dueTimes = new DueTimes<number>(delayMs, clock, (jobs) => due.push(...jobs));
  });
  afterEach(() => dueTimes.close());

  it('releases jobs in their order, none before its time', () => {
    put(time.now - 400, 1);
    put(time.now - 100, 2);
    pass(599);
    expect(due).to.deep.equal([]);
    pass(1);
    expect(due).to.deep.equal([1]);
    pass(300);
    expect(due).to.deep.equal([1, 2]);
  });

  it('ignores jumps of the wall clock', () => {
    put(time.now);
    time.now += hour;
    pass(999);
    expect(due).to.deep.equal([]);
    time.now -= 2 * hour;
    pass(1);
    expect(due).to.deep.equal([0]);
  });

  it('lets no job wait longer than its delay, or run early, by whatever clock it was put', () => {
    put(time.now + hour, 1);
    pass(999);
    expect(due).to.deep.equal([]);
    pass(1);
    expect(due).to.deep.equal([1]);
    put(time.now - hour, 2);
    pass(0);
    expect(due).to.deep.equal([1, 2]);
  });
});
