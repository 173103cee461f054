import type { HistoryBounds } from '../domain/topicHistory.js';
import type { HistoryTopic, HistoryView, KeptMessage } from '../ports/history.js';
import { placeOf, positionOf, type Place } from '../wire/protocol/position.js';
import { BoundedView } from './boundedView.js';

/** Why something is missing, and the positions around it, as far as they are known. */
export interface HistoryGap {
  readonly reason: 'expired' | 'limit' | 'unknown';
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

/** Which messages of a topic are asked for. At most one of `before` and `after` is there. */
export interface PageRequest {
  /** A position, or empty for the end: the newest first. */
  readonly before?: string | undefined;
  /** A position, or empty for the beginning: the oldest first. */
  readonly after?: string | undefined;
  readonly limit: number;
  /** Of the messages on the bus; the first is there however large it is. */
  readonly maxBytes: number;
}

export interface HistoryPage {
  readonly messages: readonly KeptMessage[];
  /** The position to go on from; undefined at the end. */
  readonly next: string | undefined;
  readonly gap: HistoryGap | undefined;
}

/** [WS-HIST-12] [HTTP-HIST-1] A page of what a topic shows. */
export const readPage = async (
  topic: HistoryTopic,
  view: HistoryView,
  bounds: HistoryBounds,
  request: PageRequest,
  now: number,
): Promise<HistoryPage> => {
  const bounded = new BoundedView(view, bounds, now);
  if (request.after !== undefined) return upwards(topic, bounded, request.after, request);
  return downwards(topic, bounded, request);
};

const downwards = async (
  topic: HistoryTopic,
  bounded: BoundedView,
  { before = '', ...request }: PageRequest,
): Promise<HistoryPage> => {
  const from = before === '' ? undefined : placeOf(topic, before);
  if (before !== '' && from === undefined) return unknownPage(topic, bounded, request);
  const found = await gather(bounded, bounded.view.newestFirst(from), request);
  return { ...pageOf(topic, found), gap: undefined };
};

const upwards = async (
  topic: HistoryTopic,
  bounded: BoundedView,
  after: string,
  request: PageRequest,
): Promise<HistoryPage> => {
  const from = after === '' ? undefined : placeOf(topic, after);
  if (after !== '' && !isGiven(from, bounded.view)) return unknownPage(topic, bounded, request);
  const found = await gather(bounded, bounded.view.oldestFirst(from), request);
  const isShort = found.hasHidden || (await bounded.hasMeanwhileLostBehind(from));
  const page = pageOf(topic, found);
  return { ...page, gap: isShort ? gapOf(topic, 'expired', after, page.messages[0]) : undefined };
};

/** Nobody knows where it stands: what there is, from the beginning. */
const unknownPage = async (
  topic: HistoryTopic,
  bounded: BoundedView,
  request: PageRequest,
): Promise<HistoryPage> => {
  const isUpwards = request.after !== undefined;
  const pages = isUpwards ? bounded.view.oldestFirst() : bounded.view.newestFirst();
  const page = pageOf(topic, await gather(bounded, pages, request));
  return { ...page, gap: gapOf(topic, 'unknown', undefined, isUpwards ? page.messages[0] : undefined) };
};

/** Whether a place was given in this epoch, or is behind nothing that was. */
export const isGiven = (place: Place | undefined, view: HistoryView): boolean =>
  place !== undefined && place.epoch === view.epoch && place.offset <= view.upTo;

export const gapOf = (
  topic: HistoryTopic,
  reason: HistoryGap['reason'],
  after: string | undefined,
  next: Pick<KeptMessage, 'place'> | undefined,
): HistoryGap => ({
  reason,
  ...(after !== undefined && { after }),
  ...(next && { before: positionOf(topic, next.place) }),
});

interface Gathered {
  readonly messages: readonly KeptMessage[];
  readonly isMore: boolean;
  /** Whether one that is not shown was passed. */
  readonly hasHidden: boolean;
}

const gather = async (
  bounded: BoundedView,
  pages: AsyncIterable<readonly KeptMessage[]>,
  { after, limit, maxBytes }: PageRequest,
): Promise<Gathered> => {
  const messages: KeptMessage[] = [];
  let [bytes, hasHidden] = [0, false];
  for await (const page of pages)
    for (const kept of page) {
      if (!bounded.shows(kept)) {
        hasHidden = true;
        if (after === undefined && bounded.endsBefore(kept)) return { messages, isMore: false, hasHidden };
        continue;
      }
      bytes += kept.message.body.length;
      const isFull = messages.length === limit || (messages.length > 0 && bytes > maxBytes);
      if (isFull) return { messages, isMore: true, hasHidden };
      messages.push(kept);
    }
  return { messages, isMore: false, hasHidden };
};

const pageOf = (
  topic: HistoryTopic,
  { messages, isMore }: Gathered,
): Pick<HistoryPage, 'messages' | 'next'> => {
  const last = messages.at(-1);
  return { messages, next: isMore && last ? positionOf(topic, last.place) : undefined };
};
