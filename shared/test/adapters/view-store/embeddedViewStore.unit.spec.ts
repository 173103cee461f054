import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  openEmbeddedViewStores,
  type EmbeddedViewStoreOptions,
} from '../../../src/adapters/view-store/embeddedViewStore.js';
import { PendingChanges, Snapshot } from '../../../src/adapters/view-store/snapshot.js';
import { EngineUnavailable } from '../../../src/ports/errors.js';
import type { UsageStore } from '../../../src/ports/usageStore.js';
import type { ViewStore, ViewStores } from '../../../src/ports/viewStore.js';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { slowValue } from '@roomwire/testing/run/busyFor';
import { longestTurn } from '@roomwire/testing/run/longestTurn';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { usageStoreContract } from '@roomwire/testing/contracts/usageStoreContract';
import { viewStoreContract } from '@roomwire/testing/contracts/view-store/viewStoreContract';
import {
  at,
  matchingIds,
  putRoom,
  rejectionOf,
  room,
} from '@roomwire/testing/contracts/view-store/storeUnderTest';

const filesIn = ({ path }: TemporaryFolder) => ({ file: (name: string) => join(path, name) });

const opened = async () => {
  const folder = await temporaryFolder();
  const open = (version?: number) => openEmbeddedViewStores(filesIn(folder), { version });
  return reopenable(open, () => folder.remove());
};
viewStoreContract('embedded', opened);
usageStoreContract('embedded', opened);

describe('the embedded view store', () => {
  let folder: TemporaryFolder;
  let stores: ViewStores;
  let store: ViewStore;
  let usage: UsageStore;
  const open = async (options?: EmbeddedViewStoreOptions): Promise<void> => {
    stores = await openEmbeddedViewStores(filesIn(folder), options);
    ({ views: store, usage } = stores);
  };

  beforeEach(async () => {
    folder = await temporaryFolder();
    await open();
    await store.admitReaders(undefined);
  });
  afterEach(async () => {
    await stores.close();
    await folder.remove();
  });

  it('takes in and keeps large documents one in each turn of the event loop', async () => {
    const large = () => Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`field ${n}`, n]));
    const slow = Object.getOwnPropertyDescriptor(slowValue(10), 'slow');
    const changes = Array.from({ length: 30 }, (_, n) => {
      const metadata = Object.defineProperty(large(), 'slow', slow as PropertyDescriptor);
      return putRoom(`r${n}`, { metadata });
    });
    const applied = await longestTurn(() => store.apply({ changes, position: at(1) }));
    expect(applied.longestMs).to.be.below(150);
    expect(await store.count('rooms', {})).to.equal(30);
    const kept = await longestTurn(() => stores.close());
    expect(kept.longestMs).to.be.below(150);
  });

  it('shows a batch completely or not at all', async () => {
    const changes = Array.from({ length: 500 }, (_, n) => putRoom(`r${n}`));
    const before = store.count('rooms', {});
    const applied = store.apply({ changes, position: at(1) });
    const after = store.count('rooms', {});
    expect(await Promise.all([before, after])).to.deep.equal([0, 500]);
    await applied;
  });

  it('never holds the event loop for long, however many documents a query looks at', async function () {
    this.timeout(60_000);
    const count = 100_000;
    const name = (n: number): string => `room ${(n * 7_919) % count}`;
    const changes = Array.from({ length: count }, (_, n) =>
      putRoom(`r${n}`, { name: name(n), createdPosition: at(n) }),
    );
    await store.apply({ changes, position: at(count) });
    const filter = { appId: 'app' };
    const queries = {
      'a sort of everything': () => store.find('rooms', { filter, sort: [['name', 1]] }),
      'a deep page': () => store.find('rooms', { filter, sort: [['name', -1]], skip: 50_000, limit: 100 }),
      'a list in order of creation': () => store.find('rooms', { filter, sort: [['createdPosition', -1]] }),
      'a search': () =>
        store.find('rooms', { filter: { ...filter, name: { $regex: '9999$', $options: 'i' } } }),
      'a count': () => store.count('rooms', { ...filter, name: { $regex: '7$' } }),
    };
    for (const [title, query] of Object.entries(queries))
      expect((await longestTurn<unknown>(query)).longestMs, title).to.be.below(100);

    const removal = { changes: [{ removeWhere: 'rooms', filter } as const], position: at(count + 1) };
    const { longestMs } = await longestTurn(() => store.apply(removal));
    expect(await store.count('rooms', {})).to.equal(0);
    expect(longestMs, 'a removal').to.be.below(150);
  });

  it('applies one batch at a time, and switches to no rebuild in the middle of one', async () => {
    const rooms = Array.from({ length: 3_000 }, (_, n) => putRoom(`r${n}`));
    await store.apply({ changes: rooms, position: at(1) });
    const rebuild = await store.rebuild();
    await rebuild.apply({ changes: rooms, position: at(1) });
    const removed = store.apply({ changes: [{ removeWhere: 'rooms', filter: {} }], position: at(2) });
    const later = store.apply({ changes: [putRoom('later')], position: at(3) });
    expect(await rebuild.takeOver([])).to.equal(false);
    await Promise.all([removed, later]);
    expect(await matchingIds(store, {})).to.deep.equal(['later']);
    expect(await store.checkpoint()).to.equal(at(3));
  });

  it('protects its documents against changes by readers', async () => {
    await store.apply({ changes: [putRoom('r', { metadata: { list: [1] } })], position: at(1) });
    const handedOut = (await store.get('rooms', 'r')) as unknown as {
      name: string;
      metadata: { list: number[] };
    };
    expect(() => (handedOut.name = 'changed')).to.throw(TypeError);
    expect(() => handedOut.metadata.list.push(2)).to.throw(TypeError);
    expect(await store.get('rooms', 'r')).to.deep.equal(room('r', { metadata: { list: [1] } }));
  });

  it('protects documents from the snapshot as well', async () => {
    await store.apply({ changes: [putRoom('r')], position: at(1) });
    await stores.close();
    await open();
    expect(await store.get('rooms', 'r')).to.be.frozen;
  });

  it('starts empty on the files of another version', async () => {
    await stores.close();
    const snapshot = new Snapshot(filesIn(folder).file('views.lmdb'), 'another');
    const changes = new PendingChanges();
    changes.record('rooms', 'r', room('r'));
    changes.moveTo(at(9));
    await snapshot.write(changes);
    await snapshot.close();

    await open();
    expect(await store.checkpoint()).to.equal(undefined);
    expect(await store.admitsReaders()).to.equal(false);
    await store.admitReaders(undefined);
    expect(await store.count('rooms', {})).to.equal(0);
    await stores.close();
    await open();
    expect(await store.count('rooms', {})).to.equal(0);
  });

  it('keeps the last uses across versions, and deletes those of deleted records', async () => {
    const time = '2026-01-01T00:00:00.000Z';
    await store.apply({ changes: [putRoom('kept'), putRoom('gone')], position: at(1) });
    await usage.noteUses(['kept', 'gone'].map((id) => ({ id, at: time })));
    await store.apply({ changes: [{ remove: 'rooms', id: 'gone' }], position: at(2) });
    expect([...(await usage.lastUses(['kept', 'gone']))]).to.deep.equal([['kept', time]]);
    await stores.close();
    const snapshot = new Snapshot(filesIn(folder).file('views.lmdb'), 'another');
    const changes = new PendingChanges();
    changes.clear(false);
    await snapshot.write(changes);
    await snapshot.close();
    await open();
    expect(await store.checkpoint()).to.equal(undefined);
    expect([...(await usage.lastUses(['kept', 'gone']))]).to.deep.equal([['kept', time]]);
  });

  it('does not restore cleared documents, even after a crash', async () => {
    await store.apply({ changes: [putRoom('r')], position: at(1) });
    await stores.close();
    await open({ snapshotAfterMs: 60_000 });
    await store.clear();
    // A copy of the file as it is: what a kill would leave.
    const crashed = await temporaryFolder();
    await copyFile(filesIn(folder).file('views.lmdb'), filesIn(crashed).file('views.lmdb'));
    const other = await openEmbeddedViewStores(filesIn(crashed));
    const { views: reopened } = other;
    expect(await reopened.checkpoint()).to.equal(undefined);
    expect(await reopened.admitsReaders()).to.equal(false);
    await reopened.admitReaders(undefined);
    expect(await reopened.count('rooms', {})).to.equal(0);
    await other.close();
    await crashed.remove();
  });

  it('refuses every call after it was closed', async () => {
    await stores.close();
    const uses = [
      store.get('rooms', 'r'),
      store.find('rooms', {}),
      store.count('rooms', {}),
      store.apply({ changes: [], position: at(1) }),
      store.checkpoint(),
      store.reached(at(1), 0),
      store.clear(),
      usage.noteUses([]),
      usage.lastUses([]),
    ];
    for (const use of uses) expect(await rejectionOf(use)).to.be.instanceOf(EngineUnavailable);
  });

  it('releases waiting callers when it is closed', async () => {
    const waiting = store.reached(at(1), 60_000);
    await stores.close();
    expect(await waiting).to.equal(false);
  });

  it('may be closed more than once', async () => {
    await store.apply({ changes: [putRoom('r')], position: at(1) });
    await Promise.all([stores.close(), stores.close()]);
    await stores.close();
  });
});
