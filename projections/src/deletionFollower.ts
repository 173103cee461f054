import { UnknownEvent } from '@roomwire/shared/domain/events';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { LogOrigin, LogPosition } from '@roomwire/shared/ports/eventLog';
import type { Service } from '@roomwire/shared/runtime/service';
import { createCheckpointedFollower, type FollowerDeps } from './checkpointedFollower.js';
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
}

/** So many events that delete nothing may be read again after a start: each checkpoint costs a sync of the disk. */
const repeated = 1_000;

/** Follows the log to delete from a store what its events delete. */
export const createDeletionFollower = (deps: FollowerDeps, { name, store, deleteBy }: Deletions): Service => {
  let passedOver = 0;
  return createCheckpointedFollower(deps, {
    name,
    checkpoint: () => store.checkpoint(),
    origin: () => store.origin(),
    apply: async (events, origin) => {
      // An event of a newer version may delete something.
      const { readable, unknown } = upToUnknown(events);
      const hasDeleted = await deleteBy(readable);
      passedOver += readable.length;
      const last = readable.at(-1);
      if (last !== undefined && (hasDeleted || passedOver >= repeated)) {
        await store.moveCheckpoint(last.position, { ...origin, position: last.position, event: last.id });
        passedOver = 0;
      }
      if (unknown !== undefined) throw new UnknownEvent(unknown);
    },
    clear: () => store.moveCheckpoint(undefined),
  });
};
