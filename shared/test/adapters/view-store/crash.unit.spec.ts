import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { openEmbeddedViewStores } from '../../../src/adapters/view-store/embeddedViewStore.js';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';

const countingProcess = fileURLToPath(new URL('./countingProcess.js', import.meta.url));

/** Lets it count for a while and kills it; returns where it began. */
const countUntilKilled = async ({ path }: TemporaryFolder, killedAfterMs: number): Promise<number> => {
  const child = fork(countingProcess, [path]);
  const [{ from }] = (await once(child, 'message')) as [{ from: number }];
  await pause(killedAfterMs);
  child.kill('SIGKILL');
  await once(child, 'exit');
  return from;
};

/** The checkpoint that the documents agree with; it never falls behind what was kept before. */
const checkpointOfAgreement = async ({ path }: TemporaryFolder, keptBefore: number): Promise<number> => {
  const stores = await openEmbeddedViewStores({ file: (name) => join(path, name) });
  const { views: store } = stores;
  const checkpoint = Number((await store.checkpoint()) ?? 0);
  // Killed before its first snapshot, it has admitted no reader yet.
  const rooms = (await store.admitsReaders()) ? await store.find('rooms', {}) : [];
  await stores.close();
  expect(checkpoint).to.be.at.least(keptBefore);
  const counts = rooms.map(({ metadata }) => metadata.count);
  expect(counts).to.deep.equal(Array.from({ length: checkpoint === 0 ? 0 : 40 }, () => checkpoint));
  return checkpoint;
};

describe('the embedded view store, killed while it writes', () => {
  let folder: TemporaryFolder;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(() => folder.remove());

  it('reopens with documents that match the checkpoint', async function () {
    this.timeout(60_000);
    let kept = 0;
    for (const firstTryMs of [40, 61, 83, 97, 120]) {
      const before = kept;
      // A slow machine may have kept nothing more yet when the kill comes: then it gets more time.
      for (let killedAfterMs = firstTryMs; kept === before; killedAfterMs *= 2) {
        expect(await countUntilKilled(folder, killedAfterMs)).to.equal(kept);
        kept = await checkpointOfAgreement(folder, kept);
      }
    }
  });
});
