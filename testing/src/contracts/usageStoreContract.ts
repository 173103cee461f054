import { expect } from 'chai';
import { formerWriters, type MessageCount, type UsageStore } from '@roomwire/shared/ports/usageStore';
import type { ViewStores } from '@roomwire/shared/ports/viewStore';
import type { Reopenable } from './reopenable.js';
import { at, putRoom } from './view-store/storeUnderTest.js';

type Opened = ViewStores & Pick<Reopenable<ViewStores>, 'reopen'>;

const second = (n: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString();

const lastUsesContract = (current: () => Opened): void => {
  const usesOf = async (...ids: readonly string[]) => Object.fromEntries(await current().usage.lastUses(ids));

  it('is empty for ids that were never used', async () => {
    expect(await usesOf()).to.deep.equal({});
    expect(await usesOf('a', 'b')).to.deep.equal({});
  });

  it('returns the last uses of the given ids', async () => {
    await current().usage.noteUses([]);
    await current().usage.noteUses([
      { id: 'a', at: second(1) },
      { id: 'b', at: second(2) },
    ]);
    expect(await usesOf('a', 'c', 'a')).to.deep.equal({ a: second(1) });
    expect(await usesOf('b', 'a')).to.deep.equal({ a: second(1), b: second(2) });
  });

  it('keep the latest time, in any order of arrival', async () => {
    const { usage } = current();
    await usage.noteUses([{ id: 'a', at: second(5) }]);
    await usage.noteUses([
      { id: 'a', at: second(3) },
      { id: 'b', at: second(9) },
      { id: 'b', at: second(4) },
      { id: 'c', at: second(1) },
      { id: 'c', at: second(2) },
    ]);
    expect(await usesOf('a', 'b', 'c')).to.deep.equal({ a: second(5), b: second(9), c: second(2) });
  });

  it('keep the latest of concurrent writes', async () => {
    const { usage } = current();
    const order = [7, 2, 9, 4, 1, 8, 3, 6, 5, 0];
    await Promise.all(order.map((n) => usage.noteUses(['a', 'b', 'c'].map((id) => ({ id, at: second(n) })))));
    expect(await usesOf('a', 'b', 'c')).to.deep.equal({ a: second(9), b: second(9), c: second(9) });
  });

  it('accepts and returns thousands in one call', async () => {
    const uses = Array.from({ length: 2_500 }, (_, n) => ({ id: `actor-${n}`, at: second(n) }));
    await current().usage.noteUses(uses);
    const found = await current().usage.lastUses(uses.map(({ id }) => id));
    expect([...found].sort()).to.deep.equal(uses.map(({ id, at: time }) => [id, time]).sort());
  });

  it('leave the read models and their checkpoint unchanged', async () => {
    const { views, usage } = current();
    await views.admitReaders(undefined);
    await usage.noteUses([{ id: 'r', at: second(1) }]);
    expect(await views.get('rooms', 'r')).to.equal(undefined);
    expect(await views.checkpoint()).to.equal(undefined);
    await views.apply({ changes: [putRoom('r')], position: at(1) });
    await usage.noteUses([{ id: 'r', at: second(2) }]);
    expect(await views.checkpoint()).to.equal(at(1));
  });

  it('survive a rebuild', async () => {
    const { views, usage } = current();
    await views.apply({ changes: [putRoom('r')], position: at(1) });
    await usage.noteUses([{ id: 'r', at: second(1) }]);
    await views.clear();
    expect(await usesOf('r')).to.deep.equal({ r: second(1) });
    await views.apply({ changes: [putRoom('r')], position: at(1) });
    expect(await usesOf('r')).to.deep.equal({ r: second(1) });
  });

  it('are kept after a rebuild and a reopening', async () => {
    const { views, usage, reopen } = current();
    await views.apply({ changes: [putRoom('r')], position: at(1) });
    await usage.noteUses([{ id: 'r', at: second(1) }]);
    await views.clear();
    await usage.noteUses([{ id: 's', at: second(2) }]);
    const { usage: reopened } = await reopen();
    expect(Object.fromEntries(await reopened.lastUses(['r', 's']))).to.deep.equal({
      r: second(1),
      s: second(2),
    });
  });
};

const january = '2026-01';

const count = (projectId: string, messages: number, month = january): MessageCount => ({
  projectId,
  month,
  messages,
});

const usageOf = async (usage: UsageStore, month: string, ...ids: readonly string[]) =>
  Object.fromEntries(await usage.usage(ids, month));

const publishedContract = (current: () => Opened): void => {
  it('is empty for projects that never published', async () => {
    expect(await usageOf(current().usage, january)).to.deep.equal({});
    expect(await usageOf(current().usage, january, 'p')).to.deep.equal({});
  });

  it('is the sum of the counts of its writers, by project and month', async () => {
    const { usage } = current();
    await usage.noteUsage('w1', []);
    await usage.noteUsage('w1', [count('p', 3), count('q', 5), count('p', 9, '2026-02')]);
    await usage.noteUsage('w2', [count('p', 4)]);
    expect(await usageOf(usage, january, 'p', 'q', 'r', 'p')).to.deep.equal({ p: 7, q: 5 });
    expect(await usageOf(usage, '2026-02', 'p', 'q')).to.deep.equal({ p: 9 });
    expect(await usageOf(usage, '2026-03', 'p')).to.deep.equal({});
  });

  it('is known by its writers', async () => {
    const { usage } = current();
    const byWriter = async (...ids: readonly string[]) =>
      Object.fromEntries(
        [...(await usage.usageByWriter(ids, january))].map(([id, counts]) => [
          id,
          Object.fromEntries(counts),
        ]),
      );
    expect(await byWriter('p')).to.deep.equal({});
    await usage.noteUsage('w1', [count('p', 3), count('q', 5), count('p', 9, '2026-02')]);
    await usage.noteUsage('w2', [count('p', 4)]);
    const before = await usage.usageByWriter(['p'], january);
    expect(await byWriter('p', 'q', 'r')).to.deep.equal({ p: { w1: 3, w2: 4 }, q: { w1: 5 } });
    await usage.mergeUsage('w1', [count('p', 3)]);
    await usage.noteUsage('w2', [count('p', 6)]);
    expect(await byWriter('p')).to.deep.equal({ p: { [formerWriters]: 3, w2: 6 } });
    expect(Object.fromEntries(before.get('p') ?? [])).to.deep.equal({ w1: 3, w2: 4 });
  });

  it('uses the highest count of a writer, so that a repeated write changes nothing', async () => {
    const { usage } = current();
    await usage.noteUsage('w1', [count('p', 3)]);
    await usage.noteUsage('w1', [count('p', 8)]);
    await usage.noteUsage('w1', [count('p', 8)]);
    await usage.noteUsage('w1', [count('p', 5)]);
    expect(await usageOf(usage, january, 'p')).to.deep.equal({ p: 8 });
  });

  it('merges what a writer has counted once, and leaves the sum as it was', async () => {
    const { usage, reopen } = current();
    await usage.noteUsage('w1', [count('p', 3), count('q', 5)]);
    await usage.noteUsage('w2', [count('p', 4)]);
    await usage.mergeUsage('w1', [count('p', 2), count('r', 1)]);
    for (let time = 1; time <= 2; time += 1) await usage.mergeUsage('w1', [count('p', 3), count('q', 5)]);
    await usage.mergeUsage('w2', [count('p', 4)]);
    expect(await usageOf(usage, january, 'p', 'q', 'r')).to.deep.equal({ p: 7, q: 5 });
    await usage.noteUsage('w3', [count('p', 1)]);
    const { usage: reopened } = await reopen();
    expect(await usageOf(reopened, january, 'p', 'q', 'r')).to.deep.equal({ p: 8, q: 5 });
    // It is gone from its own place: the same count would be a new one.
    await reopened.noteUsage('w1', [count('p', 1)]);
    expect(await usageOf(reopened, january, 'p')).to.deep.equal({ p: 9 });
  });

  it('adds up concurrent writes', async () => {
    const { usage } = current();
    const writers = Array.from({ length: 10 }, (_, n) => `w${n}`);
    await Promise.all(writers.map((writer, n) => usage.noteUsage(writer, [count('p', n), count('q', 1)])));
    expect(await usageOf(usage, january, 'p', 'q')).to.deep.equal({ p: 45, q: 10 });
  });

  it('accepts and returns thousands in one call', async () => {
    const counts = Array.from({ length: 2_500 }, (_, n) => count(`p${n}`, n + 1));
    await current().usage.noteUsage('w', counts);
    const found = await current().usage.usage(
      counts.map(({ projectId }) => projectId),
      january,
    );
    expect([...found].sort()).to.deep.equal(counts.map((each) => [each.projectId, each.messages]).sort());
  });

  it('sums up the live connections of gateways, without those of a silent one', async () => {
    const { views, usage } = current();
    expect(await usage.connections('o1', second(0))).to.equal(0);
    await usage.noteConnections({ gatewayId: 'g1', at: second(1), connections: { o1: 3, o2: 1 } });
    await usage.noteConnections({ gatewayId: 'g2', at: second(2), connections: { o1: 4 } });
    await usage.noteConnections({ gatewayId: 'g3', at: second(2), connections: {} });
    expect(await usage.connections('o1', second(1))).to.equal(7);
    expect(await usage.connections('o2', second(1))).to.equal(1);
    expect(await usage.connections('o1', second(2))).to.equal(4);
    await views.clear();
    await usage.noteConnections({ gatewayId: 'g1', at: second(3), connections: { o1: 1 } });
    expect(await usage.connections('o1', second(1))).to.equal(5);
    expect(await usage.connections('o2', second(1))).to.equal(0);
  });

  it('is kept after a rebuild and a reopening', async () => {
    const { views, usage, reopen } = current();
    await views.apply({ changes: [putRoom('p')], position: at(1) });
    await usage.noteUsage('w1', [count('p', 3)]);
    await views.clear();
    expect(await views.checkpoint()).to.equal(undefined);
    await usage.noteUsage('w2', [count('p', 1), count('p', 7, '2026-02')]);
    expect(await usageOf(usage, january, 'p')).to.deep.equal({ p: 4 });
    const { usage: reopened } = await reopen();
    expect(await usageOf(reopened, january, 'p')).to.deep.equal({ p: 4 });
    await reopened.noteUsage('w1', [count('p', 2)]);
    await reopened.noteUsage('w2', [count('p', 2)]);
    expect(await usageOf(reopened, january, 'p')).to.deep.equal({ p: 5 });
    expect(await usageOf(reopened, '2026-02', 'p')).to.deep.equal({ p: 7 });
  });
};

/** What every adapter of the port guarantees. `open` returns empty stores of their own for each test. */
export const usageStoreContract = (name: string, open: () => Promise<Reopenable<ViewStores>>): void => {
  describe(`usage store: ${name}`, () => {
    let opened: Reopenable<ViewStores>;
    const current = (): Opened => ({ ...opened.store, reopen: opened.reopen });

    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.dispose());

    describe('last uses', () => lastUsesContract(current));
    describe('published messages and connections', () => publishedContract(current));
  });
};
