import { expect } from 'chai';
import type { ViewChange } from '@roomwire/shared/ports/viewStore';
import { at, matchingIds, putRoom, type StoreUnderTest } from './storeUnderTest.js';

const disable: ViewChange = { patch: 'rooms', id: 'r', set: { status: 'disabled' } };

export const aheadContract = (current: () => StoreUnderTest): void => {
  it('are refused by a store without a batch', async () => {
    expect(await current().store.applyAhead([putRoom('r')])).to.equal(false);
    expect(await current().store.count('rooms', {})).to.equal(0);
  });

  it('are seen at once, and come again with their batch', async () => {
    const { store } = current();
    await store.apply({ changes: [putRoom('r')], position: at(1) });
    expect(await store.applyAhead([disable])).to.equal(true);
    expect(await store.get('rooms', 'r')).to.include({ status: 'disabled' });
    expect(await store.checkpoint()).to.equal(at(1));
    const rename: ViewChange = { patch: 'rooms', id: 'r', set: { name: 'renamed' } };
    await store.apply({ changes: [putRoom('r2'), disable, rename], position: at(4), after: at(1) });
    expect(await store.get('rooms', 'r')).to.include({ status: 'disabled', name: 'renamed' });
    expect(await store.checkpoint()).to.equal(at(4));
  });

  it('do not wait for a batch', async function () {
    this.timeout(60_000);
    const { store } = current();
    await store.apply({ changes: [putRoom('r')], position: at(1) });
    const many = Array.from({ length: 1_000 }, (_, n) => putRoom(`r${n}`));
    const applying = store.apply({ changes: many, position: at(2) });
    expect(await store.applyAhead([disable])).to.equal(true);
    await applying;
    expect(await store.get('rooms', 'r')).to.include({ status: 'disabled' });
    expect(await store.count('rooms', {})).to.equal(1_001);
  });

  it('may be repeated after the store was opened again', async () => {
    const { store } = current();
    await store.apply({ changes: [putRoom('r')], position: at(1) });
    await store.applyAhead([disable, putRoom('r2'), { removeWhere: 'grants', filter: { roomId: 'r' } }]);
    const reopened = await current().reopen();
    expect(await reopened.checkpoint()).to.equal(at(1));
    await reopened.apply({ changes: [disable, putRoom('r2')], position: at(3), after: at(1) });
    expect(await matchingIds(reopened, { status: 'disabled' })).to.deep.equal(['r']);
    expect(await matchingIds(reopened, {})).to.deep.equal(['r', 'r2']);
  });
};
