import type { HistoryBounds } from '@roomwire/shared/domain/topicHistory';
import { BoundedView } from '@roomwire/shared/history/boundedView';
import type { HistoryTopic, HistoryView, KeptMessage } from '@roomwire/shared/ports/history';
import { givenIdOf } from '@roomwire/shared/wire/bus/messageId';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { comparePlaces, placeOf } from '@roomwire/shared/wire/protocol/position';
import { keptMessage, type TracedMessage } from './tracedMessage.js';

/** Why a message is not found. */
export const notFoundReasons = ['no_topic', 'no_history', 'not_found', 'search_limit'] as const;
export type NotFoundReason = (typeof notFoundReasons)[number];

export interface FoundMessages {
  /** The newest first. */
  readonly messages: readonly TracedMessage[];
  /** Undefined where there are messages. */
  readonly missing: NotFoundReason | undefined;
  /** How many messages of the history were looked at. */
  readonly examined: number;
  /** Whether there may be others that were not looked at. */
  readonly hasMore: boolean;
}

const most = limitTable.traceExamined.value;
const mostBytes = limitTable.traceExaminedBytes.value;
export const mostMessages = limitTable.traceMessages.value;

/** Those of a topic's history that have an id, from whichever publisher: given ones come again once they are free. */
export const findById = async (
  view: HistoryView,
  bounds: HistoryBounds,
  id: string,
  now: number,
): Promise<FoundMessages> => {
  const bounded = new BoundedView(view, bounds, now);
  const messages: TracedMessage[] = [];
  let [examined, bytes] = [0, 0];
  const found = (hasMore: boolean): FoundMessages => {
    const missing = hasMore ? 'search_limit' : 'not_found';
    return { messages, missing: messages.length > 0 ? undefined : missing, examined, hasMore };
  };
  for await (const page of view.newestFirst())
    for (const kept of page) {
      if (bounded.endsBefore(kept)) return found(false);
      if (examined === most || bytes > mostBytes || messages.length === mostMessages) return found(true);
      examined += 1;
      bytes += kept.message.body.length;
      if (bounded.shows(kept) && hasId(kept, id)) messages.push(keptMessage(kept, view));
    }
  return found(false);
};

const hasId = ({ message }: KeptMessage, id: string): boolean =>
  message.id === id || givenIdOf(message.id) === id;

/** The one at a position. */
export const findAt = async (
  topic: HistoryTopic,
  view: HistoryView,
  bounds: HistoryBounds,
  asked: { readonly position: string; readonly now: number },
): Promise<FoundMessages> => {
  const bounded = new BoundedView(view, bounds, asked.now);
  const place = placeOf(topic, asked.position);
  const none: FoundMessages = { messages: [], missing: 'not_found', examined: 0, hasMore: false };
  if (place === undefined || place.isDeletion) return none;
  for await (const page of view.oldestFirst({ epoch: place.epoch, offset: place.offset - 1 })) {
    const [kept] = page;
    if (kept === undefined) continue;
    const isIt = comparePlaces(kept.place, place) === 0 && bounded.shows(kept);
    return isIt ? { ...none, messages: [keptMessage(kept, view)], missing: undefined, examined: 1 } : none;
  }
  return none;
};
