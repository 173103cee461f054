import { expect } from 'chai';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import { eventually } from '../../run/eventually.js';
import { delayedJobs, jobs, type BusUnderTest, type Note } from './busUnderTest.js';

/** The clocks of putting and of doing may differ by this much in reading. */
const toleranceMs = 3;

/** When a job was put, or done. */
type Times = Map<unknown, number>;

const recordTimes = async (
  bus: MessageBus,
  queue = delayedJobs,
): Promise<{ times: Times; order: unknown[] }> => {
  const times: Times = new Map();
  const order: unknown[] = [];
  await bus.work(queue, { concurrency: 4 }, async ({ value }) => {
    times.set(value, performance.now());
    order.push(value);
  });
  return { times, order };
};

const put = async (bus: MessageBus, job: Note, times: Times): Promise<void> => {
  times.set(job.value, performance.now());
  await bus.put(delayedJobs, job);
};

const expectDelay = (putAt: Times, doneAt: Times): void => {
  for (const [value, time] of putAt)
    expect(doneAt.get(value), `job ${String(value)}`).to.be.at.least(
      time + delayedJobs.delayMs - toleranceMs,
    );
};

export const delaysContract = (current: () => BusUnderTest): void => {
  it('does no job before its time, in whatever order they are put', async () => {
    const { bus } = current();
    const putAt: Times = new Map();
    const { times, order } = await recordTimes(bus);
    for (let n = 1; n <= 5; n += 1) {
      const from = performance.now();
      await put(bus, { key: 'a', value: n }, putAt);
      await eventually(() => performance.now() > from + 15);
    }
    await eventually(() => times.size === 5, { withinMs: 15_000 });
    expectDelay(putAt, times);
    expect(order).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it('does a job of a queue without delay while a delayed one waits', async () => {
    const { bus } = current();
    const { times: delayedTimes } = await recordTimes(bus);
    const { times } = await recordTimes(bus, jobs);
    // Both workers are at work before it counts.
    await bus.put(delayedJobs, { key: 'a', value: 'first' });
    await bus.put(jobs, { key: 'a', value: 'first' });
    await eventually(() => times.size === 1 && delayedTimes.size === 1, { withinMs: 15_000 });
    await bus.put(delayedJobs, { key: 'a', value: 'later' });
    await bus.put(jobs, { key: 'a', value: 'at once' });
    await eventually(() => times.size === 2 && delayedTimes.size === 2, { withinMs: 15_000 });
    expect(times.get('at once')).to.be.lessThan(delayedTimes.get('later') as number);
  });

  it('keeps the due time of a job after the end of the process', async function () {
    const { bus, reopen } = current();
    if (!reopen) return this.skip();
    const putAt: Times = new Map();
    for (const value of [1, 2, 3]) await put(bus, { key: 'a', value }, putAt);
    const { times, order } = await recordTimes(await reopen());
    await eventually(() => times.size === 3, { withinMs: 15_000 });
    expectDelay(putAt, times);
    expect(order).to.deep.equal([1, 2, 3]);
    return undefined;
  });
};
