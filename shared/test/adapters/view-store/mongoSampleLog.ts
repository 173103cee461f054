import { join } from 'node:path';
import { openEmbeddedViewStores } from '../../../src/adapters/view-store/embeddedViewStore.js';
import type { Views } from '../../../src/wire/views/views.js';
import type { ViewBatch, ViewChange, ViewStore } from '../../../src/ports/viewStore.js';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { at, putRoom } from '@roomwire/testing/contracts/view-store/storeUnderTest';

/** A number that looks like chance and is the same in every process. */
const chance = (seed: number, below: number): number => {
  const mixed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) ^ 0x5bd1e995;
  const again = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  return ((again ^ (again >>> 15)) >>> 0) % below;
};

/**
 * The changes that event `n` of a made-up log comes to. As in a real one, no patch touches a field that others are
 * selected by, so that repeating them over documents that are already further changes nothing.
 */
const changesOf = (n: number): ViewChange[] => {
  const id = `r${chance(n * 7 + 1, 90)}`;
  const appId = `app${chance(n * 7 + 2, 8)}`;
  const kind = chance(n * 7 + 3, 40);
  if (kind < 20) return [putRoom(id, { appId, name: `put ${n}`, metadata: { n, filler: 'x'.repeat(200) } })];
  if (kind < 30) return [{ patch: 'rooms', id, set: { name: `patched ${n}` } }];
  if (kind < 33) return [{ patch: 'rooms', id, set: { description: `described ${n}`, metadata: { n } } }];
  if (kind < 38) return [{ remove: 'rooms', id }];
  if (kind < 39)
    return [{ patchWhere: 'rooms', filter: { appId }, set: { status: n % 2 ? 'active' : 'disabled' } }];
  return [{ removeWhere: 'rooms', filter: { appId } }];
};

/** The events after `from`, up to and with `to`, as one batch. */
export const batchOf = (from: number, to: number): ViewBatch => ({
  changes: Array.from({ length: to - from }, (_, index) => changesOf(from + index + 1)).flat(),
  position: at(to),
});

/** Continues from the checkpoint to the event `to`, in batches of changing sizes. */
export const project = async (store: ViewStore, to: number, largestBatch = 120): Promise<void> => {
  let position = Number((await store.checkpoint()) ?? 0);
  while (position < to) {
    const next = Math.min(to, position + 1 + chance(position * 31 + largestBatch, largestBatch));
    await store.apply(batchOf(position, next));
    position = next;
  }
};

export const allRooms = (store: ViewStore): Promise<Views['rooms'][]> =>
  store.find('rooms', { sort: [['roomId', 1]] });

/** The rooms after the event `to` when nothing goes wrong, one event after the other. */
export const undisturbedRooms = async (to: number): Promise<Views['rooms'][]> => {
  const folder = await temporaryFolder();
  const stores = await openEmbeddedViewStores({ file: (name) => join(folder.path, name) });
  await stores.views.admitReaders(undefined);
  const store = stores.views;
  for (let n = 0; n < to; n += 1) await store.apply(batchOf(n, n + 1));
  const rooms = await allRooms(store);
  await stores.close();
  await folder.remove();
  return rooms;
};
