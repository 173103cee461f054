import { join } from 'node:path';
import process from 'node:process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openEmbeddedViewStores } from '../../../src/adapters/view-store/embeddedViewStore.js';
import { at, putRoom } from '@roomwire/testing/contracts/view-store/storeUnderTest';

/** Counts in forty documents, all of them one further with each batch, until it is killed. */
const [path = ''] = process.argv.slice(2);
const { views: store } = await openEmbeddedViewStores(
  { file: (name) => join(path, name) },
  { snapshotAfterMs: 5 },
);
await store.admitReaders(undefined);
const from = Number((await store.checkpoint()) ?? 0);
process.send?.({ from });
for (let count = from + 1; ; count += 1) {
  const changes = Array.from({ length: 40 }, (_, n) => putRoom(`r${n}`, { metadata: { count } }));
  await store.apply({ changes, position: at(count) });
  await nextTurn();
}
