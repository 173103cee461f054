import type { ResolvedEvent } from '@eventstore/db-client';
import type { LogPosition } from '../../../ports/eventLog.js';
import { logPositionOf } from './place.js';
import type { Reads } from './reads.js';
import type { EventReader } from './storedForm.js';

type Event = NonNullable<ResolvedEvent['event']>;

export interface LogEnd {
  /** Position of the last event in the database, whosesoever it is. */
  readonly end: LogPosition | undefined;
  /** Position of the last event of this log. */
  readonly head: LogPosition | undefined;
}

/** Looks for the last event of this log from the end of the database backwards, as far as nobody has looked yet. */
export const createLogEnd = (reads: Pick<Reads, 'backwards'>, events: EventReader) => {
  let known: { readonly last: Event; readonly head: LogPosition | undefined } | undefined;

  return async (): Promise<LogEnd> => {
    const before = known;
    let last: Event | undefined;
    const found = (head: LogPosition | undefined): LogEnd => {
      known = last && { last, head };
      return { end: last && logPositionOf(last.position), head };
    };
    for await (const resolved of reads.backwards()) {
      const { event } = resolved;
      last ??= event;
      // Only the very same event: a database that was restored from a backup has another one, or none, there.
      if (before && event && isSame(before.last, event)) return found(before.head);
      const recorded = events.recorded(resolved);
      if (recorded) return found(recorded.position);
    }
    return found(undefined);
  };
};

const isSame = (one: Event, other: Event): boolean =>
  one.id === other.id && one.position?.commit === other.position?.commit;
