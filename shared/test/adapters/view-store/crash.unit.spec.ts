import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { openEmbeddedViewStore } from '../../../src/adapters/view-store/embeddedViewStore.js';
import { temporaryFolder, type TemporaryFolder } from '../../../src/testing/temporaryFolder.js';

const countingProcess = fileURLToPath(new URL('./countingProcess.js', import.meta.url));

/** Lets it count for a while and kills it; tells where it began. */
const countUntilKilled = async ({ path }: TemporaryFolder, killedAfterMs: number): Promise<number> => {
  const child = fork(countingProcess, [path]);
  const [{ from }] = (await once(child, 'message')) as [{ from: number }];
  await pause(killedAfterMs);
  child.kill('SIGKILL');
  await once(child, 'exit');
  return from;
};

describe('the embedded view store, killed while it writes', () => {
  let folder: TemporaryFolder;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(() => folder.remove());

  it('comes back with documents that agree with the checkpoint', async function () {
    this.timeout(60_000);
    let expectedFrom = 0;
    for (const killedAfterMs of [40, 61, 83, 97, 120]) {
      expect(await countUntilKilled(folder, killedAfterMs)).to.equal(expectedFrom);
      const store = await openEmbeddedViewStore({ file: (name) => join(folder.path, name) });
      const checkpoint = Number(await store.checkpoint());
      const rooms = await store.find('rooms', {});
      expect(checkpoint).to.be.greaterThan(expectedFrom);
      expect(rooms).to.have.lengthOf(40);
      expect(new Set(rooms.map(({ metadata }) => metadata.count))).to.deep.equal(new Set([checkpoint]));
      await store.close();
      expectedFrom = checkpoint;
    }
  });
});
