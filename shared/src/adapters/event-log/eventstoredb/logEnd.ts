import type { Position } from '@eventstore/db-client';
import type { LogPosition } from '../../../ports/eventLog.js';
import { logPositionOf } from './place.js';
import type { Reads } from './reads.js';
import type { EventReader } from './storedForm.js';

export interface LogEnd {
  /** Position of the last event in the database, whosesoever it is. */
  readonly end: LogPosition | undefined;
  /** Position of the last event of this log. */
  readonly head: LogPosition | undefined;
}

/** Looks for the last event of this log from the end of the database backwards, as far as nobody has looked yet. */
export const createLogEnd = (reads: Pick<Reads, 'backwards'>, events: EventReader) => {
  let known: { readonly place: Position; readonly head: LogPosition | undefined } | undefined;

  return async (): Promise<LogEnd> => {
    const before = known;
    let place: Position | undefined;
    const found = (head: LogPosition | undefined): LogEnd => {
      known = place && { place, head };
      return { end: place && logPositionOf(place), head };
    };
    for await (const resolved of reads.backwards()) {
      const { event } = resolved;
      place ??= event?.position;
      // Only at the very same place: a database that was restored from a backup ends earlier.
      if (before && isSame(before.place, event?.position)) return found(before.head);
      const recorded = events.recorded(resolved);
      if (recorded) return found(recorded.position);
    }
    return found(undefined);
  };
};

const isSame = (one: Position, other: Position | undefined): boolean =>
  one.commit === other?.commit && one.prepare === other.prepare;
