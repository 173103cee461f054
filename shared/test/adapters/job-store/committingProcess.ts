import { join } from 'node:path';
import process from 'node:process';
import { groupOf, jobsFrom, shard } from '@roomwire/testing/contracts/job-store/storedJobs';
import { openEmbeddedJobStore } from '../../../src/adapters/job-store/embeddedJobStore.js';

/** Adds and settles jobs, says of each commit when it is safe, two groups at a time, until it is killed. */
const [path = '', term = ''] = process.argv.slice(2);
const store = await openEmbeddedJobStore({ file: (name) => join(path, name) });
const { groups } = await store.take(shard, Number(term));

const commitInTurn = async (groupId: string): Promise<void> => {
  const known = groups.find((group) => group.groupId === groupId);
  if (known === undefined) await store.write(groupOf(groupId), Number(term));
  for (let last = known?.lastSeq ?? 0; ; last += 20) {
    // The first half of what is added, and the second half of what was added before: four in five are gone in the end.
    const settled = Array.from({ length: 20 }, (_, n) => last - 10 + n + 1).filter((seq) => seq % 5 > 0);
    await store.commit(Number(shard), Number(term), [
      { groupId, add: jobsFrom(last + 1, last + 20), settled, collected: last + 20 },
    ]);
    process.send?.([groupId, last + 20]);
  }
};
await Promise.all(['a', 'b'].map(commitInTurn));
