import { expect } from 'chai';
import { StaleBatch } from '@roomwire/shared/ports/errors';
import type { ViewChange } from '@roomwire/shared/ports/viewStore';
import type { Cascade } from '@roomwire/shared/wire/views/views';
import { at, matchingIds, putRoom, rejectionOf, type StoreUnderTest } from './storeUnderTest.js';

const cascade: Cascade = {
  ...{ deletedId: 'gone', organizationId: 'o', owner: 'appId', views: ['grants', 'rooms'] },
  ...{ removed: 0, createdPosition: at(5) },
};

const putCascade: ViewChange = { put: 'cascades', id: cascade.deletedId, doc: cascade };

/** More than one slice, or one request, takes. */
const many = 3_000;

const rooms = (count: number): ViewChange[] =>
  Array.from({ length: count }, (_, n) => putRoom(`gone ${n}`, { appId: 'gone', createdPosition: at(2) }));

export const cascadesContract = (current: () => StoreUnderTest): void => {
  const unaborted = new AbortController().signal;
  const sweep = (signal = unaborted, what = cascade): Promise<void> => current().store.sweep(what, signal);

  /** An app with rooms, deleted at the fifth position. */
  const deleted = async (count: number): Promise<void> => {
    await current().store.apply({ changes: rooms(count), position: at(4) });
    await current().store.apply({ changes: [putCascade], position: at(5) });
  };

  it('removes what belonged to what was deleted, and then the cascade', async () => {
    const { store } = current();
    await deleted(3);
    const elsewhere = putRoom('of another app', { createdPosition: at(2) });
    const later = putRoom('created later', { appId: 'gone', createdPosition: at(6) });
    await store.apply({ changes: [elsewhere, later], position: at(6) });
    expect(await matchingIds(store, { appId: 'gone' })).to.have.length(4);
    await sweep();
    expect(await matchingIds(store, {})).to.deep.equal(['created later', 'of another app']);
    expect(await store.get('cascades', 'gone')).to.equal(undefined);
    expect(await store.checkpoint()).to.equal(at(6));
  });

  it('leaves the views that are not part of it', async () => {
    const { store } = current();
    await deleted(2);
    await sweep(unaborted, { ...cascade, views: ['grants'] });
    expect(await matchingIds(store, { appId: 'gone' })).to.have.length(2);
  });

  it('does not hold up batches', async function () {
    this.timeout(60_000);
    const { store } = current();
    await deleted(many);
    const ended: string[] = [];
    const sweeping = sweep().then(() => ended.push('sweep'));
    for (const position of [6, 7, 8]) {
      await store.apply({ changes: [putRoom(`r${position}`)], position: at(position) });
      ended.push('batch');
    }
    await sweeping;
    expect(ended).to.deep.equal(['batch', 'batch', 'batch', 'sweep']);
    expect(await matchingIds(store, {})).to.deep.equal(['r6', 'r7', 'r8']);
  });

  it('goes on where it was interrupted, after the store was opened again', async function () {
    this.timeout(60_000);
    await deleted(many);
    const interrupted = new AbortController();
    const sweeping = sweep(interrupted.signal);
    interrupted.abort();
    await sweeping;
    const store = await current().reopen();
    const [kept] = await store.find('cascades', {});
    expect(kept).to.include({ deletedId: 'gone', createdPosition: at(5) });
    expect(await store.count('rooms', {})).to.be.greaterThan(0);
    await store.sweep(kept as Cascade, unaborted);
    expect(await store.count('rooms', {})).to.equal(0);
    expect(await store.count('cascades', {})).to.equal(0);
    await store.apply({ changes: [putRoom('r')], position: at(6) });
    expect(await matchingIds(store, {})).to.deep.equal(['r']);
  });

  it('is kept with what it has removed', async () => {
    await deleted(2);
    await sweep();
    const reopened = await current().reopen();
    expect(await reopened.count('rooms', {})).to.equal(0);
    expect(await reopened.count('cascades', {})).to.equal(0);
    expect(await reopened.checkpoint()).to.equal(at(5));
  });

  it('is refused where the checkpoint is before the deletion, as after a clearing', async () => {
    const { store } = current();
    await store.apply({ changes: rooms(1), position: at(4) });
    expect(await rejectionOf(sweep())).to.be.instanceOf(StaleBatch);
    expect(await store.count('rooms', {})).to.equal(1);
    await store.apply({ changes: [putCascade], position: at(5) });
    await store.clear();
    expect(await rejectionOf(sweep())).to.be.instanceOf(StaleBatch);
  });

  it('has nothing to remove from read models that were rebuilt meanwhile', async function () {
    this.timeout(60_000);
    const { store } = current();
    await deleted(many);
    const rebuild = await store.rebuild();
    await rebuild.apply({ changes: [putRoom('r')], position: at(5) });
    const sweeping = sweep();
    expect(await rebuild.takeOver([])).to.equal(true);
    await sweeping;
    expect(await matchingIds(store, {})).to.deep.equal(['r']);
    expect(await store.count('cascades', {})).to.equal(0);
  });
};
