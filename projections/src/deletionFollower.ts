import { UnknownEvent } from '@roomwire/shared/domain/events';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { LogOrigin, LogPosition } from '@roomwire/shared/ports/eventLog';
import type { Service } from '@roomwire/shared/runtime/service';
import { createCheckpointedFollower, type FollowerDeps } from './checkpointedFollower.js';
import type { RepeatedDeletions } from './repeatedDeletions.js';
import { upToUnknown } from './unknownEvents.js';

/** A store from which the events of the log delete. */
export interface DeletedFrom {
  checkpoint(): Promise<LogPosition | undefined>;
  origin(): Promise<LogOrigin | undefined>;
  moveCheckpoint(position: LogPosition | undefined, origin?: LogOrigin): Promise<void>;
}

interface Deletions {
  /** Of the store. */
  readonly name: string;
  readonly store: DeletedFrom;
  /** Deletes what these events delete; resolves with whether that was anything. They may come again. */
  readonly deleteBy: (events: readonly RecordedEvent[]) => Promise<boolean>;
  /** Those of its deletions that are to be done once more: until they are, the checkpoint stays before them. */
  readonly repeated?: Pick<RepeatedDeletions<unknown>, 'settledUpTo'>;
}

/** So many events that delete nothing may be read again after a start: each checkpoint costs a sync of the disk. */
const mostPassedOver = 1_000;

/** Follows the log to delete from a store what its events delete. */
export const createDeletionFollower = (
  deps: FollowerDeps,
  { name, store, deleteBy, repeated }: Deletions,
): Service => {
  /** Since the checkpoint covered all that was read. */
  let [passedOver, isDue] = [0, false];
  let checkpoint: LogPosition | undefined;

  const moveCheckpoint = async (last: RecordedEvent, origin: LogOrigin): Promise<void> => {
    const settled = repeated ? repeated.settledUpTo(last) : last;
    if (!isDue || settled === undefined || settled.position === checkpoint) return;
    const { position, id: event } = settled;
    await store.moveCheckpoint(position, { ...origin, position, event });
    checkpoint = position;
    if (settled === last) [passedOver, isDue] = [0, false];
  };

  return createCheckpointedFollower(deps, {
    name,
    checkpoint: () => store.checkpoint(),
    origin: () => store.origin(),
    apply: async (events, origin) => {
      // An event of a newer version may delete something.
      const { readable, unknown } = upToUnknown(events);
      const hasDeleted = await deleteBy(readable);
      passedOver += readable.length;
      isDue ||= hasDeleted || passedOver >= mostPassedOver;
      const last = readable.at(-1);
      if (last !== undefined) await moveCheckpoint(last, origin);
      if (unknown !== undefined) throw new UnknownEvent(unknown);
    },
    async clear() {
      checkpoint = undefined;
      await store.moveCheckpoint(undefined);
    },
  });
};
