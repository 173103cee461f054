import { expect } from 'chai';
import { RebuildSuperseded, StaleBatch } from '@roomwire/shared/ports/errors';
import type { ViewChange } from '@roomwire/shared/ports/viewStore';
import { at, matchingIds, putRoom, rejectionOf, type StoreUnderTest } from './storeUnderTest.js';

export const rebuildContract = (current: () => StoreUnderTest): void => {
  /** Live documents at a position, with a fault that no event has made. */
  const live = async (position: number): Promise<void> => {
    await current().store.apply({
      changes: [putRoom('r1', { name: 'wrong' }), putRoom('planted')],
      position: at(position),
    });
  };
  const feedAt = (position: number): ViewChange => ({
    put: 'feedProgress',
    id: 'feed',
    doc: { feed: 'feed', position: at(position) },
  });

  it('shows nothing of the new read models, and then all of them', async () => {
    const { store } = current();
    await live(5);
    const rebuild = await store.rebuild();
    await rebuild.apply({ changes: [putRoom('r1'), putRoom('r2')], position: at(2) });
    await rebuild.apply({ changes: [putRoom('r3')], position: at(5) });
    expect(await matchingIds(store, {})).to.deep.equal(['planted', 'r1']);
    expect(await store.get('rooms', 'r3')).to.equal(undefined);
    expect(await store.count('rooms', { appId: 'app' })).to.equal(2);

    expect(await rebuild.takeOver([feedAt(5)])).to.equal(true);
    expect(await matchingIds(store, {})).to.deep.equal(['r1', 'r2', 'r3']);
    expect(await matchingIds(store, { slug: 'r3', appId: 'app' })).to.deep.equal(['r3']);
    expect(await store.get('rooms', 'planted')).to.equal(undefined);
    expect((await store.get('rooms', 'r1'))?.name).to.equal('r1');
    expect(await store.get('feedProgress', 'feed')).to.deep.equal({ feed: 'feed', position: at(5) });
    expect(await store.checkpoint()).to.equal(at(5));
  });

  it('switches only at the position of the live ones, and continues from there', async () => {
    const { store } = current();
    await live(3);
    const rebuild = await store.rebuild();
    await rebuild.apply({ changes: [putRoom('r1')], position: at(2) });
    expect(await rebuild.takeOver([])).to.equal(false);
    await rebuild.apply({ changes: [putRoom('r2')], position: at(3) });
    await store.apply({ changes: [putRoom('r3')], position: at(4) });
    expect(await rebuild.takeOver([])).to.equal(false);
    expect(await matchingIds(store, {})).to.deep.equal(['planted', 'r1', 'r3']);
    await rebuild.apply({ changes: [putRoom('r3')], position: at(4) });
    expect(await rebuild.takeOver([])).to.equal(true);

    await store.apply({ changes: [{ remove: 'rooms', id: 'r1' }, putRoom('r4')], position: at(6) });
    expect(await matchingIds(store, {})).to.deep.equal(['r2', 'r3', 'r4']);
    expect(await rejectionOf(store.apply({ changes: [], position: at(6) }))).to.be.instanceOf(StaleBatch);
    expect(await store.reached(at(6), 0)).to.equal(true);
  });

  it('accepts changes in the order of the log only', async () => {
    await live(3);
    const rebuild = await current().store.rebuild();
    await rebuild.apply({ changes: [putRoom('r1')], position: at(2) });
    const again = rebuild.apply({ changes: [putRoom('r1')], position: at(2) });
    expect(await rejectionOf(again)).to.be.instanceOf(StaleBatch);
  });

  it('leaves the live ones unchanged when it is abandoned, and when another one has begun', async () => {
    const { store } = current();
    await live(3);
    const first = await store.rebuild();
    await first.apply({ changes: [putRoom('first')], position: at(3) });
    const second = await store.rebuild();
    expect(await rejectionOf(first.takeOver([]))).to.be.instanceOf(RebuildSuperseded);
    await first.abandon();
    await second.apply({ changes: [putRoom('second')], position: at(3) });
    expect(await matchingIds(store, {})).to.deep.equal(['planted', 'r1']);
    await second.abandon();
    expect(await rejectionOf(second.takeOver([]))).to.be.instanceOf(RebuildSuperseded);
    expect(await matchingIds(store, {})).to.deep.equal(['planted', 'r1']);
    await store.apply({ changes: [putRoom('r2')], position: at(4) });
    expect(await matchingIds(store, {})).to.deep.equal(['planted', 'r1', 'r2']);
  });

  it('ends when the read models are cleared', async () => {
    const { store } = current();
    await live(3);
    const rebuild = await store.rebuild();
    await rebuild.apply({ changes: [putRoom('r1')], position: at(3) });
    await store.clear();
    expect(await rejectionOf(rebuild.takeOver([]))).to.be.instanceOf(RebuildSuperseded);
    await rebuild.abandon();
    await store.admitReaders(undefined);
    expect(await matchingIds(store, {})).to.deep.equal([]);
  });

  it('does not delay the projector after the rebuild has stopped trying', async () => {
    const { store } = current();
    await live(3);
    const rebuild = await store.rebuild();
    await rebuild.apply({ changes: [putRoom('r1')], position: at(2) });
    expect(await rebuild.takeOver([])).to.equal(false);
    await store.apply({ changes: [putRoom('r2')], position: at(4) });
    await store.apply({ changes: [putRoom('r3')], position: at(5) });
    expect(await matchingIds(store, {})).to.deep.equal(['planted', 'r1', 'r2', 'r3']);
  });

  it('keeps the last uses and the counts', async () => {
    const { store, usage } = current();
    await live(3);
    const [use, used] = [
      { id: 'r1', at: '2026-01-01T00:00:00.000Z' },
      { month: '2026-01', messages: 7 },
    ];
    await usage.noteUses([use]);
    await usage.noteUsage('writer', [{ projectId: 'p', ...used }]);
    const rebuild = await store.rebuild();
    const changes: ViewChange[] = [putRoom('r1'), { remove: 'rooms', id: 'r1' }, putRoom('r1')];
    await rebuild.apply({ changes, position: at(3) });
    expect(await rebuild.takeOver([])).to.equal(true);
    expect([...(await usage.lastUses(['r1']))]).to.deep.equal([['r1', use.at]]);
    expect([...(await usage.usage(['p'], used.month))]).to.deep.equal([['p', 7]]);
  });

  it('may be repeated at once, and survives a reopening', async function () {
    this.timeout(60_000);
    const { store } = current();
    await live(3);
    for (const name of ['first', 'second']) {
      const rebuild = await store.rebuild();
      await rebuild.apply({ changes: [putRoom(name)], position: at(3) });
      expect(await rebuild.takeOver([])).to.equal(true);
    }
    expect(await matchingIds(store, {})).to.deep.equal(['second']);
    const reopened = await current().reopen();
    expect(await matchingIds(reopened, {})).to.deep.equal(['second']);
    expect(await reopened.checkpoint()).to.equal(at(3));
    await reopened.apply({ changes: [putRoom('third')], position: at(4) });
    expect(await matchingIds(reopened, {})).to.deep.equal(['second', 'third']);
  });
};
