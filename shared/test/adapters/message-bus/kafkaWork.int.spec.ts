import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { KafkaMessageBus } from '../../../src/adapters/message-bus/kafka/kafkaMessageBus.js';
import { eventually } from '@roomwire/testing/run/eventually';
import {
  delayedJobs,
  gate,
  jobs,
  numbered,
  valuesOf,
  type Note,
} from '@roomwire/testing/contracts/message-bus/busUnderTest';
import { cable, kafkaUnderTest, sessionTimeoutMs, withAdmin, type KafkaUnderTest } from './kafkaUnderTest.js';

interface Share {
  count: number;
}

const keys = Array.from({ length: 40 }, (_, n) => `key ${n}`) as [string, ...string[]];

describe('work queues on Kafka', function () {
  this.timeout(60_000);
  let kafka: KafkaUnderTest;
  let bus: KafkaMessageBus;
  /** How often each job was done, by value. */
  let done: Map<unknown, number>;

  const finish = ({ value }: Note): void => void done.set(value, (done.get(value) ?? 0) + 1);
  const putAll = (notes: readonly Note[]): Promise<unknown> =>
    Promise.all(notes.map((job) => bus.put(jobs, job)));
  const areDone = (put: readonly Note[]): Promise<void> =>
    eventually(() => put.every(({ value }) => done.has(value)), { what: 'all jobs', withinMs: 40_000 });
  const repeated = (): number => [...done.values()].filter((times) => times > 1).length;
  /** Works like one process of several; says how many jobs it did. */
  const process = async (of: KafkaMessageBus, doJob = async (_job: Note) => {}): Promise<Share> => {
    const share = { count: 0 };
    await of.work(jobs, { concurrency: 10 }, async (job) => {
      await pause(2);
      await doJob(job);
      share.count += 1;
      finish(job);
    });
    return share;
  };
  /** The members of a group get to know of each other with the next heartbeat. */
  const untilAllWork = async (shares: readonly Share[]): Promise<void> => {
    const before = shares.map(({ count }) => count);
    const from = performance.now();
    for (let round = 0; shares.some(({ count }, n) => count === before[n]); round += 1) {
      if (performance.now() - from > 20_000) throw new Error('Not all of them get work');
      await putAll(keys.map((key) => ({ key, value: `${from} ${key} ${round}` })));
      await pause(50);
    }
  };

  beforeEach(async () => {
    kafka = kafkaUnderTest();
    done = new Map();
    bus = await kafka.open();
  });
  afterEach(() => kafka.dispose());

  it('distribute the work over processes that join and leave, and lose none of it', async () => {
    const [first, second] = [await kafka.open(), await kafka.open()];
    const shares = [await process(first)];
    await untilAllWork(shares);
    shares.push(await process(second));
    await untilAllWork(shares);
    const put = numbered(4_000, ...keys);
    const putting = putAll(put);
    await eventually(() => done.has(500), { withinMs: 20_000 });
    await first.close();
    await putting;
    await areDone(put);
    expect(repeated(), 'jobs that were done twice').to.be.at.most(80);
  });

  it('do not wait for a worker that left while it joined its group', async () => {
    for (let round = 0; round < 24; round += 1) {
      const short = await bus.work(jobs, { concurrency: 1 }, async () => undefined);
      await pause((round * 7) % 40);
      await short.close();
      const worker = await bus.work(jobs, { concurrency: 1 }, async (job) => finish(job));
      const [put] = numbered(1, `key ${round}`);
      await bus.put(jobs, { ...(put as Note), value: `round ${round}` });
      // Less than the group would wait for a member that does not come back.
      await eventually(() => done.has(`round ${round}`), { what: `round ${round}`, withinMs: 5_000 });
      await worker.close();
    }
  });

  it('are processed by another process when one is killed, and lose nothing', async () => {
    const wire = cable();
    const gone = await kafka.open({ connect: wire.connect });
    const released = gate();
    let isGone = false;
    const doJob = (): Promise<void> => (isGone ? released.passed : Promise.resolve());
    await untilAllWork([await process(bus), await process(gone, doJob)]);
    const put = numbered(3_000, ...keys);
    const putting = putAll(put);
    await eventually(() => done.has(300), { withinMs: 20_000 });
    wire.cut();
    isGone = true;
    await putting;
    await areDone(put);
    released.open();
  });

  it('are processed by another process when one is suspended, and lose nothing when it resumes', async () => {
    const wire = cable();
    const still = await kafka.open({ connect: wire.connect });
    const released = gate();
    let standsStill = false;
    const doJob = (): Promise<void> => (standsStill ? released.passed : Promise.resolve());
    await untilAllWork([await process(bus), await process(still, doJob)]);
    const put = numbered(3_000, ...keys);
    const putting = putAll(put);
    await eventually(() => done.has(300), { withinMs: 20_000 });
    standsStill = true;
    const frozen = wire.freeze(sessionTimeoutMs + 3_000);
    await putting;
    await areDone(put);
    await frozen;
    standsStill = false;
    released.open();
    const more = put.map(({ key, value }) => ({ key, value: `after ${String(value)}` }));
    await putAll(more);
    await areDone(more);
  });

  it('let a job take longer than the session of its process, and do it once', async () => {
    const released = gate();
    const other = await kafka.open();
    const doJob = (job: Note): Promise<void> => (job.value === 1 ? released.passed : Promise.resolve());
    await untilAllWork([await process(bus, doJob), await process(other, doJob)]);
    await putAll([{ key: 'slow', value: 1 }]);
    await pause(sessionTimeoutMs + 2_000);
    await putAll([
      { key: 'slow', value: 2 },
      { key: 'other', value: 3 },
    ]);
    await eventually(() => done.has(3));
    expect(done.has(2)).to.equal(false);
    released.open();
    await eventually(() => done.has(2));
    expect([1, 2, 3].map((value) => done.get(value))).to.deep.equal([1, 1, 1]);
  });

  it('continue with other keys of a partition behind a failing job, which the next worker does', async () => {
    const oneLane = await kafka.open();
    const failing = await oneLane.work(jobs, { concurrency: 4 }, async (job) => {
      if (job.value === 'poison') throw new Error('Not this one');
      finish(job);
    });
    await bus.put(jobs, { key: 'poisoned', value: 'poison' });
    const put = numbered(3_000, ...keys);
    await putAll(put);
    await areDone(put);
    await failing.close();
    await oneLane.work(jobs, { concurrency: 4 }, async (job) => finish(job));
    await eventually(() => done.has('poison'), { withinMs: 15_000 });
  });

  it('hold more delayed jobs than are read ahead, and do them in order when they are due', async () => {
    const order: Note[] = [];
    await bus.work({ ...delayedJobs, delayMs: 1_000 }, { concurrency: 4 }, async (job) => {
      order.push(job);
    });
    const put = numbered(6_000, ...keys);
    const from = performance.now();
    await Promise.all(put.map((job) => bus.put({ ...delayedJobs, delayMs: 1_000 }, job)));
    await eventually(() => order.length > 0);
    expect(performance.now() - from).to.be.greaterThan(990);
    await eventually(() => order.length === put.length, { withinMs: 20_000 });
    for (const key of keys) expect(valuesOf(key, order)).to.deep.equal(valuesOf(key, put));
  });

  it('lose nothing over connections that are cut now and then', async () => {
    const wire = cable();
    const working = await kafka.open({ connect: wire.connect });
    await untilAllWork([await process(working)]);
    const put = numbered(4_000, ...keys);
    const putting = putAll(put);
    for (const interruptedAt of [500, 1_500, 2_500]) {
      await eventually(() => done.has(interruptedAt), { withinMs: 20_000 });
      wire.interrupt();
    }
    await putting;
    await areDone(put);
  });

  it('that are retired are processed where they exist, and are not created', async () => {
    const retired = { ...jobs, isRetired: true };
    const topics = () => withAdmin((admin) => admin.listTopics());
    const work = () => bus.work(retired, { concurrency: 1 }, async (job) => finish(job));
    const idle = await work();
    expect(await topics()).to.not.include(kafka.prefix + jobs.name);
    await idle.close();
    const put = numbered(10, 'key');
    await putAll(put);
    await work();
    await areDone(put);
  });
});
