import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import type { MessageBus, QueueWorker } from '@roomwire/shared/ports/messageBus';
import type { WorkQueue } from '@roomwire/shared/wire/bus/channel';
import { eventually } from '../../run/eventually.js';
import {
  gate,
  jobs,
  numbered,
  otherJobs,
  overlappingJobs,
  valuesOf,
  type BusUnderTest,
  type Note,
} from './busUnderTest.js';

const collect = async (
  bus: MessageBus,
  queue: WorkQueue<Note> = jobs,
  concurrency = 4,
): Promise<{ worker: QueueWorker; done: Note[] }> => {
  const done: Note[] = [];
  const worker = await bus.work(queue, { concurrency }, async (job) => {
    await nextTurn();
    done.push(job);
  });
  return { worker, done };
};

const hasLength = (list: readonly unknown[], length: number): Promise<void> =>
  eventually(() => list.length >= length, { what: `${length} jobs`, withinMs: 15_000 });

const doing = (current: () => BusUnderTest): void => {
  const putAll = (notes: readonly Note[], queue = jobs): Promise<unknown> =>
    Promise.all(notes.map((job) => current().bus.put(queue, job)));

  it('does each job once when no job fails', async () => {
    const { done } = await collect(current().bus);
    const put = numbered(200, 'a', 'b', 'c');
    await putAll(put);
    await hasLength(done, put.length);
    expect(done).to.have.deep.members(put);
    expect(done).to.have.lengthOf(put.length);
  });

  it('does jobs that were put before a worker started', async () => {
    await putAll(numbered(20, 'a'));
    const { done } = await collect(current().bus);
    await hasLength(done, 20);
    expect(done).to.deep.equal(numbered(20, 'a'));
  });

  it('delivers jobs as they were put', async () => {
    const put: Note[] = [
      { key: '', value: null },
      { key: 'Schlüssel 🔑', value: { text: 'Grüße\u0000 👋', list: [1, -0.5, true, [], {}] } },
      { key: 'long', value: 'x'.repeat(100_000) },
    ];
    const { done } = await collect(current().bus);
    await putAll(put);
    await hasLength(done, put.length);
    expect(done).to.have.deep.members(put);
  });

  it('separates queues', async () => {
    const { done } = await collect(current().bus);
    const other = await collect(current().bus, otherJobs);
    await putAll([{ key: 'a', value: 'other' }], otherJobs);
    await putAll([{ key: 'a', value: 'own' }]);
    await hasLength(done, 1);
    await hasLength(other.done, 1);
    expect([done, other.done]).to.deep.equal([[{ key: 'a', value: 'own' }], [{ key: 'a', value: 'other' }]]);
  });

  it('loses none of 10,000 jobs over two workers', async () => {
    const bus = current().bus;
    const done = new Set<unknown>();
    for (const concurrency of [50, 20])
      await bus.work(jobs, { concurrency }, async ({ value }) => {
        await nextTurn();
        done.add(value);
      });
    const keys = Array.from({ length: 97 }, (_, n) => `key ${n}`);
    await putAll(numbered(10_000, 'first key', ...keys));
    await eventually(() => done.size === 10_000, { withinMs: 18_000, what: '10,000 jobs' });
  });
};

const order = (current: () => BusUnderTest): void => {
  it('does the jobs of a key one at a time and in order', async () => {
    const { bus } = current();
    const inHand = new Set<string>();
    const done: Note[] = [];
    let overlaps = 0;
    await bus.work(jobs, { concurrency: 8 }, async (job) => {
      if (inHand.has(job.key)) overlaps += 1;
      inHand.add(job.key);
      for (let turns = Number(job.value) % 4; turns >= 0; turns -= 1) await nextTurn();
      inHand.delete(job.key);
      done.push(job);
    });
    const put = numbered(200, 'a', 'b', 'c', 'd', 'e');
    await Promise.all(put.map((job) => bus.put(jobs, job)));
    await hasLength(done, put.length);
    expect(overlaps).to.equal(0);
    for (const key of ['a', 'b', 'c', 'd', 'e'])
      expect(valuesOf(key, done)).to.deep.equal(valuesOf(key, put));
  });

  it('does jobs of different keys concurrently', async () => {
    const { bus } = current();
    const together = gate();
    const done: Note[] = [];
    let inHand = 0;
    await bus.work(jobs, { concurrency: 4 }, async (job) => {
      inHand += 1;
      if (inHand === 4) together.open();
      await together.passed;
      done.push(job);
    });
    await Promise.all(numbered(4, 'a', 'b', 'c', 'd').map((job) => bus.put(jobs, job)));
    await hasLength(done, 4);
  });

  it('has at most as many running jobs as its concurrency', async () => {
    const { bus } = current();
    let inHand = 0;
    let most = 0;
    let done = 0;
    await bus.work(jobs, { concurrency: 3 }, async () => {
      inHand += 1;
      most = Math.max(most, inHand);
      await nextTurn();
      inHand -= 1;
      done += 1;
    });
    await Promise.all(numbered(60, 'a', 'b', 'c', 'd', 'e', 'f').map((job) => bus.put(jobs, job)));
    await eventually(() => done === 60);
    expect(most).to.be.at.most(3);
  });
};

const overlaps = (current: () => BusUnderTest): void => {
  it('are started in order while earlier ones are still running', async () => {
    const { bus } = current();
    const released = gate();
    const begun: Note[] = [];
    let ended = 0;
    await bus.work(overlappingJobs, { concurrency: 20 }, async (job) => {
      begun.push(job);
      await released.passed;
      ended += 1;
    });
    const put = numbered(20, 'a', 'b');
    for (const job of put) await bus.put(overlappingJobs, job);
    await hasLength(begun, put.length);
    for (const key of ['a', 'b']) expect(valuesOf(key, begun)).to.deep.equal(valuesOf(key, put));
    released.open();
    await eventually(() => ended === put.length);
  });

  it('are done again when they failed, without delay for later jobs', async () => {
    const { bus } = current();
    const tried: unknown[] = [];
    await bus.work(overlappingJobs, { concurrency: 4 }, async ({ value }) => {
      tried.push(value);
      if (value === 1 && !tried.includes(3)) throw new Error('Not yet');
    });
    for (const job of numbered(3, 'a')) await bus.put(overlappingJobs, job);
    await eventually(() => tried.lastIndexOf(1) > tried.indexOf(3) && tried.includes(3), {
      withinMs: 15_000,
      what: 'the failed job again',
    });
    expect(tried.filter((value) => value === 2)).to.have.lengthOf(1);
  });
};

const failures = (current: () => BusUnderTest): void => {
  it('does a failed job again without delay for other keys', async () => {
    const { bus } = current();
    const tried: Note[] = [];
    const othersDone = (): boolean => valuesOf('b', tried).length === 10;
    await bus.work(jobs, { concurrency: 4 }, async (job) => {
      tried.push(job);
      if (job.key === 'a' && job.value === 1 && !othersDone()) throw new Error('Not yet');
    });
    await bus.put(jobs, { key: 'a', value: 1 });
    await eventually(() => tried.length > 0);
    await bus.put(jobs, { key: 'a', value: 2 });
    await Promise.all(numbered(10, 'b').map((job) => bus.put(jobs, job)));
    await eventually(() => valuesOf('a', tried).includes(2), { withinMs: 15_000 });
    expect(valuesOf('b', tried)).to.deep.equal(valuesOf('b', numbered(10, 'b')));
    const triesOfA = valuesOf('a', tried);
    expect(triesOfA.indexOf(2), 'the second job waits for the first').to.equal(triesOfA.lastIndexOf(1) + 1);
    expect(triesOfA.filter((value) => value === 1)).to.have.length.above(1);
  });

  it('counts a handler that throws synchronously as failed', async () => {
    const { bus } = current();
    let tries = 0;
    await bus.work(jobs, { concurrency: 1 }, () => {
      tries += 1;
      if (tries === 1) throw new TypeError('Thrown, not rejected');
      return Promise.resolve();
    });
    await bus.put(jobs, { key: 'a', value: 1 });
    await eventually(() => tries === 2, { withinMs: 15_000 });
  });
};

const workers = (current: () => BusUnderTest): void => {
  it('waits for running jobs when a worker is closed, and gives it no more', async () => {
    const { bus } = current();
    const released = gate();
    const begun: Note[] = [];
    let ended = 0;
    const worker = await bus.work(jobs, { concurrency: 1 }, async (job) => {
      begun.push(job);
      await released.passed;
      ended += 1;
    });
    await Promise.all(numbered(2, 'a', 'b').map((job) => bus.put(jobs, job)));
    await eventually(() => begun.length === 1);
    const closed = worker.close().then(() => ended);
    released.open();
    expect(await closed).to.equal(1);
    expect(begun).to.have.lengthOf(1);
  });

  it('leaves the other jobs to the next worker', async () => {
    const { bus } = current();
    const first = await collect(bus);
    await bus.put(jobs, { key: 'a', value: 1 });
    await hasLength(first.done, 1);
    await first.worker.close();
    await bus.put(jobs, { key: 'a', value: 2 });
    const second = await collect(bus);
    await eventually(() => valuesOf('a', second.done).includes(2), { withinMs: 15_000 });
    expect(first.done).to.deep.equal([{ key: 'a', value: 1 }]);
  });
};

const reopening = (current: () => BusUnderTest): void => {
  it('keeps every job that was put, in order', async function () {
    const { bus, reopen } = current();
    if (!reopen) return this.skip();
    const put = numbered(100, 'a', 'b', 'c');
    await Promise.all(put.map((job) => bus.put(jobs, job)));
    const { done } = await collect(await reopen());
    await hasLength(done, put.length);
    for (const key of ['a', 'b', 'c']) expect(valuesOf(key, done)).to.deep.equal(valuesOf(key, put));
    return undefined;
  });

  it('repeats interrupted jobs, before later ones', async function () {
    const { bus, reopen } = current();
    if (!reopen) return this.skip();
    const released = gate();
    const begun: Note[] = [];
    await bus.work(jobs, { concurrency: 2 }, async (job) => {
      begun.push(job);
      await released.passed;
    });
    const put = numbered(3, 'a');
    for (const job of put) await bus.put(jobs, job);
    await eventually(() => begun.length === 1);
    const { done } = await collect(await reopen());
    await hasLength(done, put.length);
    expect(done).to.deep.equal(put);
    released.open();
    return undefined;
  });

  it('puts new jobs after the remaining ones', async function () {
    const { bus, reopen } = current();
    if (!reopen) return this.skip();
    await bus.put(jobs, { key: 'a', value: 1 });
    const reopened = await reopen();
    await reopened.put(jobs, { key: 'a', value: 2 });
    const { done } = await collect(reopened);
    await hasLength(done, 2);
    expect(valuesOf('a', done)).to.deep.equal([1, 2]);
    return undefined;
  });
};

export const queuesContract = (current: () => BusUnderTest): void => {
  describe('doing', () => doing(current));
  describe('order', () => order(current));
  describe('overlapping', () => overlaps(current));
  describe('failures', () => failures(current));
  describe('workers', () => workers(current));
  describe('a reopened bus', () => reopening(current));
};
