import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { Stalled, watchForStall } from '../../../src/adapters/event-log/eventstoredb/stallWatch.js';
import { eventually } from '@roomwire/testing/run/eventually';

describe('the watch over a silent subscription', () => {
  const begin = (options: { readonly head?: () => Promise<string>; readonly isIdle?: boolean } = {}) => {
    const failures: unknown[] = [];
    const intake = { isIdle: options.isIdle ?? true, fail: (error: unknown) => failures.push(error) };
    const progress: { handled: string | undefined } = { handled: '1' };
    const head = options.head ?? (async () => '2');
    const lookForEnd = async () => ({ end: '9', head: await head() });
    const watch = watchForStall({ lookForEnd, stallCheckMs: 5, stallGraceMs: 100 }, intake, progress);
    return { failures, intake, progress, watch };
  };

  const expectQuiet = async ({ failures, watch }: ReturnType<typeof begin>): Promise<void> => {
    await pause(150);
    watch.stop();
    expect(failures).to.deep.equal([]);
  };

  it('ends it when there is something to receive, but not at once', async () => {
    const { failures, watch } = begin();
    await pause(50);
    expect(failures).to.deep.equal([]);
    await eventually(() => failures.length > 0);
    watch.stop();
    expect(failures[0]).to.be.instanceOf(Stalled);
  });

  it('keeps it when it has received everything', () => expectQuiet(begin({ head: async () => '1' })));

  it('keeps it while an event is being processed', () => expectQuiet(begin({ isIdle: false })));

  it('keeps it while the server does not answer', () =>
    expectQuiet(begin({ head: () => Promise.reject(new Error('Out of reach')) })));

  it('keeps it when it has advanced meanwhile', async () => {
    const begun = begin();
    await pause(50);
    begun.progress.handled = '2';
    await expectQuiet(begun);
  });

  it('does nothing after it is stopped', async () => {
    const begun = begin();
    await pause(50);
    begun.watch.stop();
    await expectQuiet(begun);
  });
});
