import { expect } from 'chai';
import type { ViewChange } from '@roomwire/shared/ports/viewStore';
import { at, matchingIds, putRoom, room, type StoreUnderTest } from './storeUnderTest.js';

export const changesContract = (current: () => StoreUnderTest): void => {
  const apply = (position: number, ...changes: ViewChange[]): Promise<void> =>
    current().store.apply({ changes, position: at(position) });
  const getRoom = (id: string) => current().store.get('rooms', id);

  it('returns a document as it was put', async () => {
    const fields = {
      description: 'Grüße 👋',
      topics: ['a', 'b'],
      metadata: { nested: { list: [1, null, 'x'] } },
    };
    await apply(1, putRoom('r', fields));
    expect(await getRoom('r')).to.deep.equal(room('r', fields));
  });

  it('returns nothing for an unknown id', async () => {
    expect(await getRoom('unknown')).to.equal(undefined);
  });

  it('separates views', async () => {
    await apply(1, putRoom('same'));
    expect(await current().store.get('projects', 'same')).to.equal(undefined);
    expect(await current().store.count('projects', {})).to.equal(0);
  });

  it('replaces the whole document with a second put', async () => {
    await apply(1, putRoom('r', { metadata: { old: true } }));
    await apply(2, putRoom('r', { appId: 'other' }));
    expect(await getRoom('r')).to.deep.equal(room('r', { appId: 'other' }));
    expect(await matchingIds(current().store, { appId: 'app' })).to.deep.equal([]);
    expect(await matchingIds(current().store, { appId: 'other' })).to.deep.equal(['r']);
  });

  it('patches top-level fields and leaves the others', async () => {
    await apply(1, putRoom('r', { name: 'before', metadata: { a: 1, b: 2 } }));
    await apply(2, { patch: 'rooms', id: 'r', set: { name: 'after', metadata: { a: 3 } } });
    expect(await getRoom('r')).to.deep.equal(room('r', { name: 'after', metadata: { a: 3 } }));
  });

  it('does nothing when the document to patch does not exist', async () => {
    await apply(1, { patch: 'rooms', id: 'r', set: { name: 'after' } });
    expect(await getRoom('r')).to.equal(undefined);
    expect(await current().store.count('rooms', {})).to.equal(0);
  });

  it('patches all matching documents', async () => {
    await apply(1, putRoom('r1'), putRoom('r2'), putRoom('r3', { appId: 'other' }));
    await apply(2, { patchWhere: 'rooms', filter: { appId: 'app' }, set: { status: 'disabled' } });
    expect(await matchingIds(current().store, { status: 'disabled' })).to.deep.equal(['r1', 'r2']);
  });

  it('patches the same field that it selects by', async () => {
    await apply(1, putRoom('r1'), putRoom('r2'));
    await apply(2, { patchWhere: 'rooms', filter: { appId: 'app' }, set: { appId: 'moved' } });
    expect(await matchingIds(current().store, { appId: 'app' })).to.deep.equal([]);
    expect(await matchingIds(current().store, { appId: 'moved' })).to.deep.equal(['r1', 'r2']);
  });

  it('removes one document', async () => {
    await apply(1, putRoom('r1'), putRoom('r2'));
    await apply(2, { remove: 'rooms', id: 'r1' }, { remove: 'rooms', id: 'unknown' });
    expect(await getRoom('r1')).to.equal(undefined);
    expect(await matchingIds(current().store, { appId: 'app' })).to.deep.equal(['r2']);
  });

  it('removes all matching documents', async () => {
    await apply(1, putRoom('r1'), putRoom('r2', { appId: 'other' }), putRoom('r3'));
    await apply(2, { removeWhere: 'rooms', filter: { appId: 'app' } });
    expect(await matchingIds(current().store, {})).to.deep.equal(['r2']);
  });

  it('applies the changes of a batch in order', async () => {
    await apply(
      1,
      putRoom('r1', { name: 'first' }),
      { patch: 'rooms', id: 'r1', set: { name: 'second' } },
      { patchWhere: 'rooms', filter: { name: 'second' }, set: { slug: 'found-in-the-batch' } },
      putRoom('r2'),
      { remove: 'rooms', id: 'r2' },
      putRoom('r3', { appId: 'gone' }),
      { removeWhere: 'rooms', filter: { appId: 'gone' } },
      putRoom('r4', { name: 'first' }),
      { remove: 'rooms', id: 'r4' },
      putRoom('r4', { name: 'again' }),
    );
    expect(await matchingIds(current().store, {})).to.deep.equal(['r1', 'r4']);
    expect(await getRoom('r1')).to.include({ name: 'second', slug: 'found-in-the-batch' });
    expect(await getRoom('r4')).to.include({ name: 'again' });
  });

  it('changes nothing when the same changes are repeated', async () => {
    const changes: ViewChange[] = [
      putRoom('r1', { name: 'first' }),
      putRoom('r2', { appId: 'gone' }),
      { patch: 'rooms', id: 'r1', set: { name: 'second' } },
      { removeWhere: 'rooms', filter: { appId: 'gone' } },
      { patchWhere: 'rooms', filter: { name: 'second' }, set: { description: 'seen' } },
    ];
    await apply(1, ...changes);
    const once = await current().store.find('rooms', { sort: [['roomId', 1]] });
    await apply(2, ...changes);
    expect(await current().store.find('rooms', { sort: [['roomId', 1]] })).to.deep.equal(once);
  });

  it('never changes a document that was returned', async () => {
    await apply(1, putRoom('r', { name: 'before', topics: ['a'] }));
    const [found] = await current().store.find('rooms', {});
    const got = await getRoom('r');
    await apply(2, { patch: 'rooms', id: 'r', set: { name: 'after', topics: ['b'] } });
    await apply(3, { patchWhere: 'rooms', filter: {}, set: { status: 'disabled' } });
    const asItWas = room('r', { name: 'before', topics: ['a'] });
    expect(found).to.deep.equal(asItWas);
    expect(got).to.deep.equal(asItWas);
  });

  it('returns lists that are copies', async () => {
    await apply(1, putRoom('r1'), putRoom('r2'));
    (await current().store.find('rooms', {})).pop();
    expect(await current().store.count('rooms', {})).to.equal(2);
  });
};
