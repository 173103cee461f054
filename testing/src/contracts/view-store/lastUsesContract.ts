import { expect } from 'chai';
import { at, putRoom, type StoreUnderTest } from './storeUnderTest.js';

const second = (n: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString();

export const lastUsesContract = (current: () => StoreUnderTest): void => {
  const usesOf = async (...ids: readonly string[]) => Object.fromEntries(await current().store.lastUses(ids));

  it('knows nothing of what was never used', async () => {
    expect(await usesOf()).to.deep.equal({});
    expect(await usesOf('a', 'b')).to.deep.equal({});
  });

  it('tells the last use of those that it is asked for', async () => {
    await current().store.noteUses([]);
    await current().store.noteUses([
      { id: 'a', at: second(1) },
      { id: 'b', at: second(2) },
    ]);
    expect(await usesOf('a', 'c', 'a')).to.deep.equal({ a: second(1) });
    expect(await usesOf('b', 'a')).to.deep.equal({ a: second(1), b: second(2) });
  });

  it('keeps the latest time, in whatever order they come', async () => {
    const { store } = current();
    await store.noteUses([{ id: 'a', at: second(5) }]);
    await store.noteUses([
      { id: 'a', at: second(3) },
      { id: 'b', at: second(9) },
      { id: 'b', at: second(4) },
      { id: 'c', at: second(1) },
      { id: 'c', at: second(2) },
    ]);
    expect(await usesOf('a', 'b', 'c')).to.deep.equal({ a: second(5), b: second(9), c: second(2) });
  });

  it('keeps the latest of those that come at the same time', async () => {
    const { store } = current();
    const order = [7, 2, 9, 4, 1, 8, 3, 6, 5, 0];
    await Promise.all(order.map((n) => store.noteUses(['a', 'b', 'c'].map((id) => ({ id, at: second(n) })))));
    expect(await usesOf('a', 'b', 'c')).to.deep.equal({ a: second(9), b: second(9), c: second(9) });
  });

  it('takes many at once and tells them at once', async () => {
    const uses = Array.from({ length: 2_500 }, (_, n) => ({ id: `actor-${n}`, at: second(n) }));
    await current().store.noteUses(uses);
    const found = await current().store.lastUses(uses.map(({ id }) => id));
    expect([...found].sort()).to.deep.equal(uses.map(({ id, at: time }) => [id, time]).sort());
  });

  it('leaves the read models and their checkpoint alone', async () => {
    const { store } = current();
    await store.noteUses([{ id: 'r', at: second(1) }]);
    expect(await store.get('rooms', 'r')).to.equal(undefined);
    expect(await store.checkpoint()).to.equal(undefined);
    await store.apply({ changes: [putRoom('r')], position: at(1) });
    await store.noteUses([{ id: 'r', at: second(2) }]);
    expect(await store.checkpoint()).to.equal(at(1));
  });

  it('outlasts a rebuild', async () => {
    const { store } = current();
    await store.apply({ changes: [putRoom('r')], position: at(1) });
    await store.noteUses([{ id: 'r', at: second(1) }]);
    await store.clear();
    expect(await usesOf('r')).to.deep.equal({ r: second(1) });
    await store.apply({ changes: [putRoom('r')], position: at(1) });
    expect(await usesOf('r')).to.deep.equal({ r: second(1) });
  });

  it('are there in a store opened again, after a rebuild too', async function () {
    const { store, reopen } = current();
    if (reopen === undefined) return this.skip();
    await store.apply({ changes: [putRoom('r')], position: at(1) });
    await store.noteUses([{ id: 'r', at: second(1) }]);
    await store.clear();
    await store.noteUses([{ id: 's', at: second(2) }]);
    const reopened = await reopen();
    expect(Object.fromEntries(await reopened.lastUses(['r', 's']))).to.deep.equal({
      r: second(1),
      s: second(2),
    });
  });
};
