import type { IndexedTopic } from '../../ports/historyIndex.js';
import { acceptedAt } from '../../wire/bus/messageId.js';
import { comparePlaces, type Place } from '../../wire/protocol/position.js';
import type { RecentIds } from './recentIds.js';

/** Where a message stands in its topic. */
export type Standing = NonNullable<IndexedTopic['newest']>;

/** Undefined for a message that is there already: the records come in order, so that none of a lower place is missing. */
export const standingOf = (
  newest: Standing | undefined,
  ids: RecentIds,
  place: Place,
  id: string,
): Standing | undefined => {
  if (newest !== undefined && comparePlaces(place, newest.place) <= 0) return undefined;
  if (ids.has(id)) return undefined;
  return {
    place,
    ordinal: (newest?.ordinal ?? 0) + 1,
    latestAt: Math.max(newest?.latestAt ?? 0, acceptedAt(id)),
  };
};

export const isUpTo = (place: Place, to: Place | undefined): boolean =>
  to !== undefined && comparePlaces(place, to) <= 0;

export const laterOf = (one: Place | undefined, other: Place): Place =>
  isUpTo(other, one) ? (one as Place) : other;
