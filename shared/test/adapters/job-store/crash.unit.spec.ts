import { fork } from 'node:child_process';
import { once } from 'node:events';
import { stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { allJobs, shard } from '@roomwire/testing/contracts/job-store/storedJobs';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { openEmbeddedJobStore } from '../../../src/adapters/job-store/embeddedJobStore.js';
import { DamagedFile } from '../../../src/ports/errors.js';

const committingProcess = fileURLToPath(new URL('./committingProcess.js', import.meta.url));

/** Up to which number each group was said to be safe before the process was killed. */
const commitUntilKilled = async (
  path: string,
  term: number,
  killedAfterMs: number,
): Promise<ReadonlyMap<string, number>> => {
  const safe = new Map<string, number>();
  const child = fork(committingProcess, [path, String(term)]);
  child.on('message', (message) => {
    const [groupId, last] = message as [string, number];
    safe.set(groupId, last);
  });
  await once(child, 'message');
  await pause(killedAfterMs);
  child.kill('SIGKILL');
  await once(child, 'close');
  return safe;
};

describe('the embedded job store, killed while jobs are added and settled', () => {
  let folder: TemporaryFolder;

  beforeEach(async () => void (folder = await temporaryFolder()));
  afterEach(() => folder.remove());

  const open = () => openEmbeddedJobStore({ file: (name) => join(folder.path, name) });

  it('has each commit that was acknowledged, whole, and counts what it has', async function () {
    this.timeout(60_000);
    let term = 0;
    for (const killedAfterMs of [37, 71, 110]) {
      const safe = await commitUntilKilled(folder.path, (term += 1), killedAfterMs);
      const store = await open();
      const { groups } = await store.take(shard, (term += 1));
      for (const [groupId, last] of safe) {
        const group = groups.find((each) => each.groupId === groupId);
        const found = await allJobs(store, groupId);
        expect(group?.lastSeq).to.be.at.least(last);
        expect(group?.collected).to.equal(group?.lastSeq);
        expect(group).to.include({
          depth: found.length,
          bytes: found.reduce((sum, { message }) => sum + message.length, 0),
        });
        // Whole: every fifth, and the second half of the last commit.
        const end = group?.lastSeq ?? 0;
        const left = Array.from({ length: end }, (_, n) => n + 1).filter(
          (seq) => seq % 5 === 0 || seq > end - 10,
        );
        expect(found.map(({ seq }) => seq)).to.eql(left);
      }
      await store.close();
    }
  });

  it('does not open a file that was cut off', async () => {
    const store = await open();
    await store.take(shard, 1);
    await store.close();
    const path = join(folder.path, 'jobs.lmdb');
    await truncate(path, (await stat(path)).size / 2);
    const refusal = await open().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(refusal).to.be.instanceOf(DamagedFile);
  });
});
