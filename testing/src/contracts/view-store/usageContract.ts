import { expect } from 'chai';
import type { MessageCount, ViewStore } from '@roomwire/shared/ports/viewStore';
import { at, putRoom, type StoreUnderTest } from './storeUnderTest.js';

const january = '2026-01';

const count = (projectId: string, messages: number, month = january): MessageCount => ({
  projectId,
  month,
  messages,
});

const usageOf = async (store: ViewStore, month: string, ...ids: readonly string[]) =>
  Object.fromEntries(await store.usage(ids, month));

export const usageContract = (current: () => StoreUnderTest): void => {
  it('knows nothing of what was never used', async () => {
    expect(await usageOf(current().store, january)).to.deep.equal({});
    expect(await usageOf(current().store, january, 'p')).to.deep.equal({});
  });

  it('is the sum of what its writers have counted, by project and month', async () => {
    const { store } = current();
    await store.noteUsage('w1', []);
    await store.noteUsage('w1', [count('p', 3), count('q', 5), count('p', 9, '2026-02')]);
    await store.noteUsage('w2', [count('p', 4)]);
    expect(await usageOf(store, january, 'p', 'q', 'r', 'p')).to.deep.equal({ p: 7, q: 5 });
    expect(await usageOf(store, '2026-02', 'p', 'q')).to.deep.equal({ p: 9 });
    expect(await usageOf(store, '2026-03', 'p')).to.deep.equal({});
  });

  it('takes the highest count of a writer, so that repeating a write changes nothing', async () => {
    const { store } = current();
    await store.noteUsage('w1', [count('p', 3)]);
    await store.noteUsage('w1', [count('p', 8)]);
    await store.noteUsage('w1', [count('p', 8)]);
    await store.noteUsage('w1', [count('p', 5)]);
    expect(await usageOf(store, january, 'p')).to.deep.equal({ p: 8 });
  });

  it('adds up what comes at the same time', async () => {
    const { store } = current();
    const writers = Array.from({ length: 10 }, (_, n) => `w${n}`);
    await Promise.all(writers.map((writer, n) => store.noteUsage(writer, [count('p', n), count('q', 1)])));
    expect(await usageOf(store, january, 'p', 'q')).to.deep.equal({ p: 45, q: 10 });
  });

  it('takes many at once and tells them at once', async () => {
    const counts = Array.from({ length: 2_500 }, (_, n) => count(`p${n}`, n + 1));
    await current().store.noteUsage('w', counts);
    const found = await current().store.usage(
      counts.map(({ projectId }) => projectId),
      january,
    );
    expect([...found].sort()).to.deep.equal(counts.map((each) => [each.projectId, each.messages]).sort());
  });

  it('sums up the live connections that gateways have noted, those of a silent one no more', async () => {
    const { store } = current();
    const second = (n: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString();
    expect(await store.connections('o1', second(0))).to.equal(0);
    await store.noteConnections({ gatewayId: 'g1', at: second(1), connections: { o1: 3, o2: 1 } });
    await store.noteConnections({ gatewayId: 'g2', at: second(2), connections: { o1: 4 } });
    await store.noteConnections({ gatewayId: 'g3', at: second(2), connections: {} });
    expect(await store.connections('o1', second(1))).to.equal(7);
    expect(await store.connections('o2', second(1))).to.equal(1);
    expect(await store.connections('o1', second(2))).to.equal(4);
    await store.clear();
    await store.noteConnections({ gatewayId: 'g1', at: second(3), connections: { o1: 1 } });
    expect(await store.connections('o1', second(1))).to.equal(5);
    expect(await store.connections('o2', second(1))).to.equal(0);
  });

  it('is there after a rebuild and in a store opened again', async function () {
    const { store, reopen } = current();
    await store.apply({ changes: [putRoom('p')], position: at(1) });
    await store.noteUsage('w1', [count('p', 3)]);
    await store.clear();
    expect(await store.checkpoint()).to.equal(undefined);
    await store.noteUsage('w2', [count('p', 1), count('p', 7, '2026-02')]);
    expect(await usageOf(store, january, 'p')).to.deep.equal({ p: 4 });
    if (reopen === undefined) return this.skip();
    const reopened = await reopen();
    expect(await usageOf(reopened, january, 'p')).to.deep.equal({ p: 4 });
    await reopened.noteUsage('w1', [count('p', 2)]);
    await reopened.noteUsage('w2', [count('p', 2)]);
    expect(await usageOf(reopened, january, 'p')).to.deep.equal({ p: 5 });
    expect(await usageOf(reopened, '2026-02', 'p')).to.deep.equal({ p: 7 });
  });
};
