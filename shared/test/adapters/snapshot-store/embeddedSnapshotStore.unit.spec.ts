import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { open } from 'lmdb';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { snapshotStoreContract } from '@roomwire/testing/contracts/snapshotStoreContract';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { openEmbeddedSnapshotStore } from '../../../src/adapters/snapshot-store/embeddedSnapshotStore.js';

snapshotStoreContract('files', async (limits, clock) => {
  const folder = await temporaryFolder();
  const files = { file: (name: string) => join(folder.path, name) };
  return reopenable(
    () => openEmbeddedSnapshotStore(files, limits(), clock),
    () => folder.remove(),
  );
});

describe('the file of snapshots', () => {
  let folder: TemporaryFolder;
  let path: string;

  const openStore = () => openEmbeddedSnapshotStore({ file: (name) => join(folder.path, name) });

  async function* parts(count: number): AsyncGenerator<string> {
    for (let part = 0; part < count; part += 1) yield `${part}`.repeat(1_000);
  }

  beforeEach(async () => {
    folder = await temporaryFolder();
    path = join(folder.path, 'snapshots.lmdb');
  });
  afterEach(() => folder.remove());

  it('is made again where it is damaged', async () => {
    const store = await openStore();
    await store.write('rooms-1', { version: 1, revision: 1, event: 'e' }, parts(10));
    await store.close();
    await truncate(path, 5_000);
    const again = await openStore();
    expect(await again.find('rooms-1')).to.equal(undefined);
    await again.write('rooms-1', { version: 1, revision: 1, event: 'e' }, parts(1));
    expect(await again.find('rooms-1')).to.include({ revision: 1 });
    await again.close();
  });

  it('holds no parts of a write that was interrupted, and none that were replaced', async () => {
    const store = await openStore();
    const head = { version: 1, revision: 1, event: 'e' };
    await store.write('rooms-1', head, parts(5));
    await store.write('rooms-1', head, parts(3));
    await store.close();
    const file = open({ path, overlappingSync: false });
    const stored = file.openDB<string, [string, number]>('parts', { encoding: 'string' });
    expect([...stored.getKeys()]).to.have.length(3);
    await stored.put(['of a process that was killed', 0], 'x');
    await file.close();

    const again = await openStore();
    const found = await again.find('rooms-1');
    const read: string[] = [];
    for await (const part of found?.parts ?? []) read.push(part);
    expect(read).to.have.length(3);
    await again.close();
    const checked = open({ path, overlappingSync: false });
    const left = checked.openDB<string, [string, number]>('parts', { encoding: 'string' });
    expect([...left.getKeys()]).to.have.length(3);
    await checked.close();
  });
});
