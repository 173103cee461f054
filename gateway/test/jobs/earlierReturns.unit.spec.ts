import { expect } from 'chai';
import { liveMessage } from '@roomwire/testing/builders/liveMessage';
import { JobMember } from '../../src/jobs/queue/job.js';
import { createJobCounts } from '../../src/jobs/queue/jobCounts.js';
import { JobQueue } from '../../src/jobs/queue/jobQueue.js';

const options = { prefetch: 3, ackSeconds: 10, maxDeliveries: 3 };
const seq = 1;
const message = liveMessage();

describe('a job that was given back to an earlier owner of its group', () => {
  let queue: JobQueue;
  let now: number;
  let delivered: number[];
  /** What was to be written: how many failures count, and the delay. */
  let written: (readonly [counted: number, delayMs: number])[];
  let fetched: number[];

  beforeEach(() => {
    [now, delivered, written, fetched] = [0, [], [], []];
    queue = new JobQueue(
      { options, lastSeq: seq },
      { window: { lowJobs: 10, jobs: 40, bytes: 1_000_000 }, counts: createJobCounts(), now: () => now },
      {
        settled: () => undefined,
        changed: ({ counted }, delayMs) => void written.push([counted, delayMs]),
        dying: () => undefined,
        fetch: () => void fetched.push(seq),
        settleUnseen: () => undefined,
      },
    );
  });
  const pass = (milliseconds: number): void => {
    now += milliseconds;
    queue.tick();
    for (const one of fetched.splice(0)) queue.fetched(one, message);
  };

  const enter = (held: readonly number[] = []): JobMember => {
    const take = (_seq: number, _message: unknown, delivery: number): void => void delivered.push(delivery);
    const wishes = { filters: undefined, own: undefined };
    const member = new JobMember('ann', wishes, { take, ended: () => undefined });
    queue.join(member);
    queue.adopt(member, held);
    return member;
  };
  const load = (stored: { deliveries: number; counted: number }, delayMs = 0): void => {
    queue.loading.begin();
    const job = { seq, message, bytes: message.body.length, addedAt: 0, delayMs, ...stored };
    queue.loading.load([job], { after: 0, to: seq });
  };

  for (const [when, isLoaded] of [
    ['before it comes into memory', false],
    ['while it is ready', true],
  ] as const)
    it(`[WS-JOB-6] is delivered again when it is due, and that counts: said ${when}`, () => {
      const member = enter();
      if (isLoaded) load({ deliveries: 0, counted: 0 });
      queue.takeReturns([{ seq, delivery: 1, delayMs: 5_000 }]);
      if (!isLoaded) load({ deliveries: 0, counted: 0 });
      queue.ready(member);
      pass(4_999);
      expect(delivered).to.eql([]);
      pass(1);
      expect(delivered).to.eql([2]);
      expect(written).to.eql([[1, 5_000]]);
    });

  for (const [what, stored] of [
    ['its owner has stored that', { deliveries: 1, counted: 1 }],
    ['it has been delivered since', { deliveries: 2, counted: 0 }],
  ] as const)
    it(`[WS-JOB-6] is not given back twice: ${what}`, () => {
      const member = enter();
      queue.takeReturns([{ seq, delivery: 1, delayMs: 5_000 }]);
      load(stored);
      queue.ready(member);
      expect(delivered).to.eql([stored.deliveries + 1]);
      expect(written).to.eql([]);
    });

  it('[WS-JOB-2] stays with a member that has it now', () => {
    enter([seq]);
    const other = enter();
    queue.takeReturns([{ seq, delivery: 1, delayMs: 0 }]);
    load({ deliveries: 1, counted: 0 });
    queue.ready(other);
    expect(delivered).to.eql([]);
    expect(queue.inFlight).to.equal(1);
  });

  it('[WS-JOB-6] is one also where its member has it from an earlier owner, and it is not in memory yet', () => {
    const member = enter([seq]);
    queue.giveBack(member, seq, 5_000);
    load({ deliveries: 1, counted: 0 });
    queue.ready(member);
    pass(5_000);
    expect(delivered).to.eql([2]);
    expect(written).to.eql([[1, 5_000]]);
  });
});
