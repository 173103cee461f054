import { roomOfTopic } from '@roomwire/shared/domain/topic';
import type { RecordedFact } from '@roomwire/shared/ports/connectionRecord';
import type { ConnectionFact, FactPlace } from '@roomwire/shared/wire/bus/connectionFacts';
import type { TracedMessage } from './tracedMessage.js';

/** How far the clocks of gateways may differ. */
export const clockSkewMs = 1_000;
/** How long a gateway may take to read what was published, while it works. */
const readingMs = 15_000;

/** The facts of a connection, and how many of them were before the message: at least the one number, at most the other. */
export interface OrderedFacts {
  readonly facts: readonly RecordedFact[];
  readonly atLeast: number;
  readonly atMost: number;
}

type Side = 'before' | 'after' | 'unclear';

/**
 * Where the message stands among the facts of a connection, which are in their order. Places decide, and times only between what is decided by
 * places: two clocks are two opinions.
 */
export const orderedFacts = (facts: readonly RecordedFact[], message: TracedMessage): OrderedFacts => {
  const byPlace = facts.map(({ fact }) => sideByPlace(fact, message));
  const first = byPlace.lastIndexOf('before') + 1;
  const firstBehind = byPlace.indexOf('after', first);
  const end = firstBehind < 0 ? facts.length : firstBehind;
  const between = facts.slice(first, end).map(({ fact }) => sideByTime(fact, message));
  const atLeast = first + between.lastIndexOf('before') + 1;
  const behind = between.indexOf('after', atLeast - first);
  return { facts, atLeast, atMost: behind < 0 ? end : first + behind };
};

/** A fact has the place of the next message: that one, and each behind it, is after the fact. */
const sideByPlace = (fact: ConnectionFact, { place, nextEpoch, room }: TracedMessage): Side => {
  const known = placeIn(fact, room);
  if (place === undefined || known === undefined) return 'unclear';
  // Without its epoch it is of the one that its time falls into.
  const epoch = known.epoch ?? epochAt(fact.at, place.epoch, nextEpoch);
  const isBefore = epoch < place.epoch || (epoch === place.epoch && known.offset <= place.offset);
  if (!isBefore) return 'after';
  return fact.kind === 'standing' ? 'unclear' : 'before';
};

const epochAt = (at: number, epoch: number, next: number | undefined): number => {
  if (at < epoch) return Number.NEGATIVE_INFINITY;
  return next !== undefined && at >= next ? next : epoch;
};

const sideByTime = (fact: ConnectionFact, { at, isHypothetical }: TracedMessage): Side => {
  if (isHypothetical) return fact.at <= at ? 'before' : 'after';
  if (fact.at < at - clockSkewMs) return 'before';
  return fact.at > at + readingMs ? 'after' : 'unclear';
};

/** The place of a fact in a room; of what stands, one behind which it was told. */
export const placeIn = (fact: ConnectionFact, room: string): FactPlace | undefined => {
  switch (fact.kind) {
    case 'authenticated':
    case 'renewed':
      return undefined;
    case 'slow':
    case 'closed':
      return fact.places[room];
    case 'standing':
      return latest(fact.subscriptions.filter(({ topic }) => roomOfTopic(topic) === room));
    default:
      return roomOfTopic(fact.topic) === room ? fact.place : undefined;
  }
};

const latest = (places: readonly { readonly place?: FactPlace | undefined }[]): FactPlace | undefined => {
  let found: FactPlace | undefined;
  for (const { place } of places)
    if (place !== undefined && (found === undefined || place.offset > found.offset)) found = place;
  return found;
};
