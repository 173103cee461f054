import { BoundedView, isBehind } from '@roomwire/shared/history/boundedView';
import { gapOf, isGiven, type HistoryGap } from '@roomwire/shared/history/historyPage';
import type { HistoryView, KeptMessage } from '@roomwire/shared/ports/history';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { messageData } from '@roomwire/shared/wire/protocol/messageParts';
import { placeOf, type Place } from '@roomwire/shared/wire/protocol/position';
import type { StartPoint } from '@roomwire/shared/wire/protocol/startPoint';
import type { TopicRecord } from '../access/topicAccess.js';

/** What a subscription gets of the record before its live messages. */
export interface Selection {
  readonly continuity: 'continuous' | 'gap' | 'fresh';
  readonly gap: HistoryGap | undefined;
  /** The oldest first. */
  readonly messages: readonly KeptMessage[];
}

/** [WS-HIST-8] */
const most = {
  messages: limitTable.replayMessages.value,
  bytes: limitTable.replayBytes.value,
  lookedAt: limitTable.replayLookedAt.value,
};

/** Up to where the record is read, from its end: behind a place, or until a time, or so many messages. */
interface Until {
  readonly place: Place | undefined;
  readonly since: number;
  readonly last: number;
}

const everything: Until = { place: undefined, since: Number.NEGATIVE_INFINITY, last: most.messages };

interface Found {
  readonly messages: readonly KeptMessage[];
  /** Why it is not all that was asked for; undefined where it is. */
  readonly shortFor: 'expired' | 'limit' | undefined;
  /** Whether the record ended there. */
  readonly isToTheEnd: boolean;
}

/** [WS-HIST-4] [WS-HIST-5] `matches`: whether the subscription is for a message. `now`: Unix milliseconds. */
export const select = async (
  { topic, bounds }: Pick<TopicRecord, 'topic' | 'bounds'>,
  view: HistoryView,
  from: StartPoint,
  matches: (message: LiveMessage) => boolean,
  now: number,
): Promise<Selection> => {
  const bounded = new BoundedView(view, bounds, now);
  const find = (until: Until) => gather(bounded, until, matches);
  if ('last' in from) return fresh(await find({ ...everything, last: from.last }));
  if ('since' in from) return fresh(await find({ ...everything, since: from.since }));
  const place = from.position === '' ? undefined : placeOf(topic, from.position);
  if (from.position !== '' && !isGiven(place, view)) {
    const { messages } = await find(everything);
    return { continuity: 'gap', gap: gapOf(topic, 'unknown', undefined, messages[0]), messages };
  }
  const found = await find({ ...everything, place });
  const { messages } = found;
  // Where the record has not ended, whatever is older than that is still there.
  const isShort = found.isToTheEnd && (await bounded.hasMeanwhileLostBehind(place));
  const shortFor = isShort ? 'expired' : found.shortFor;
  if (shortFor === undefined) return { continuity: 'continuous', gap: undefined, messages };
  return { continuity: 'gap', gap: gapOf(topic, shortFor, from.position, messages[0]), messages };
};

const fresh = ({ messages }: Found): Selection => ({ continuity: 'fresh', gap: undefined, messages });

const gather = async (
  bounded: BoundedView,
  until: Until,
  matches: (message: LiveMessage) => boolean,
): Promise<Found> => {
  const messages: KeptMessage[] = [];
  let [lookedAt, bytes] = [0, 0];
  let expected = bounded.view.newest?.ordinal ?? 0;
  let hasExpired = bounded.hasLostBehind(until.place);
  const found = (isCut: boolean, isToTheEnd = false): Found => ({
    messages: messages.reverse(),
    isToTheEnd,
    shortFor: hasExpired ? 'expired' : isCut ? 'limit' : undefined,
  });
  if (until.last === 0) return found(false);
  for await (const page of bounded.view.newestFirst())
    for (const kept of page) {
      // Removed while this reads.
      if (kept.ordinal < expected) hasExpired = true;
      expected = kept.ordinal - 1;
      if (!isBehind(kept.place, until.place) || kept.latestAt < until.since) return found(false);
      if (!bounded.shows(kept)) {
        hasExpired = true;
        if (bounded.endsBefore(kept)) return found(false);
        continue;
      }
      if (++lookedAt > most.lookedAt) return found(true);
      if (!matches(kept.message)) continue;
      bytes += messageData(kept.message.body).length;
      if (messages.length === until.last || bytes > most.bytes) return found(true);
      messages.push(kept);
      if (messages.length === until.last && until.last < most.messages) return found(false);
    }
  return found(false, true);
};
