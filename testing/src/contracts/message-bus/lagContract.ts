import { expect } from 'chai';
import { eventually } from '../../run/eventually.js';
import { delayedJobs, gate, jobs, notes, numbered, type BusUnderTest } from './busUnderTest.js';

export const lagContract = (current: () => BusUnderTest): void => {
  const lagOf = async (name: string): Promise<number | undefined> => (await current().bus.lag()).get(name);

  it('counts the jobs that are not done, running or waiting', async () => {
    const { bus } = current();
    const { passed, open } = gate();
    const done: unknown[] = [];
    await bus.work(jobs, { concurrency: 1 }, async ({ value }) => {
      await passed;
      done.push(value);
    });
    for (const job of numbered(3, 'a', 'b')) await bus.put(jobs, job);
    await eventually(async () => (await lagOf(jobs.name)) === 3, { withinMs: 15_000, what: 'three jobs' });
    open();
    await eventually(async () => (await lagOf(jobs.name)) === 0, { withinMs: 15_000, what: 'no job' });
    expect(done).to.have.length(3);
  });

  it('counts the jobs that are not due', async () => {
    const { bus } = current();
    const { passed, open } = gate();
    await bus.work(delayedJobs, { concurrency: 1 }, () => passed);
    await bus.put(delayedJobs, { key: 'a', value: 1 });
    await bus.put(delayedJobs, { key: 'b', value: 2 });
    await eventually(async () => (await lagOf(delayedJobs.name)) === 2, { withinMs: 15_000 });
    open();
    await eventually(async () => (await lagOf(delayedJobs.name)) === 0, { withinMs: 15_000 });
  });

  it('is zero where everything was read', async () => {
    const { bus } = current();
    const read: unknown[] = [];
    await bus.read(notes, { interest: 'all' }, ({ value }) => void read.push(value));
    for (const note of numbered(5, 'a')) await bus.send(notes, note, 'stored');
    await eventually(() => read.length === 5, { withinMs: 15_000 });
    expect((await lagOf(notes.name)) ?? 0).to.equal(0);
  });
};
