import type { HistoryTopic, HistoryView, KeptMessage } from '../ports/history.js';
import type { IndexedRecord, IndexedTopic } from '../ports/historyIndex.js';
import { acceptedAt } from '../wire/bus/messageId.js';
import { comparePlaces, type Place } from '../wire/protocol/position.js';
import { isBehind } from './boundedView.js';
import { SharedPages } from './sharedPages.js';
import type { PartitionEnd } from './historyPartitions.js';

/**
 * What the index has of a topic, and behind it what the tail has. The index may have been read after the tail, and goes on growing: it
 * counts up to what was its newest message when it was read, and every earlier one of the tail is in it.
 */
export class MergedView implements HistoryView {
  readonly epoch: number;
  readonly upTo: number;
  readonly newest: HistoryView['newest'];
  readonly removedTo: Place | undefined;
  readonly deletedTo: Place | undefined;
  readonly removals: HistoryView['removals'];
  private readonly indexed: IndexedTopic;
  /** Behind everything that is indexed. */
  private readonly tail: readonly KeptMessage[];
  /** From the end on: what most who share a view read of it. */
  private newestPages: SharedPages | undefined;

  private constructor(
    { epoch, next }: PartitionEnd,
    indexed: IndexedTopic,
    tail: readonly KeptMessage[],
    removals: HistoryView['removals'],
  ) {
    this.indexed = indexed;
    this.removals = removals;
    this.epoch = epoch;
    this.newest = tail.at(-1) ?? indexed.newest;
    this.upTo = Math.max(next - 1, this.newest?.place.epoch === epoch ? this.newest.place.offset : -1);
    this.removedTo = indexed.removedTo;
    this.deletedTo = indexed.deletedTo;
    this.tail = tail.filter(({ place }) => isBehind(place, indexed.deletedTo));
  }

  /** `removals`: what the index has removed by then. */
  static async of(
    end: PartitionEnd,
    indexed: IndexedTopic,
    topic: HistoryTopic,
    removals: HistoryView['removals'],
  ): Promise<MergedView> {
    return new MergedView(end, indexed, await tailBehind(indexed, end, topic), removals);
  }

  /** Of the messages that it has in memory. */
  get bytes(): number {
    const ofTail = this.tail.reduce((sum, { message }) => sum + message.body.length, 0);
    return ofTail + (this.newestPages?.bytes ?? 0);
  }

  /** Takes over what was read of a former view of the topic, if nothing has come or gone since. */
  readOn({ epoch, newest, removedTo, deletedTo, newestPages }: MergedView): void {
    const isSame =
      epoch === this.epoch &&
      newest?.ordinal === this.newest?.ordinal &&
      isSamePlace(newest?.place, this.newest?.place) &&
      isSamePlace(removedTo, this.removedTo) &&
      isSamePlace(deletedTo, this.deletedTo);
    if (isSame && newestPages?.hasFailed === false) this.newestPages = newestPages;
  }

  newestFirst(before?: Place): AsyncGenerator<readonly KeptMessage[]> {
    if (before !== undefined) return this.pagesBefore(before);
    return (this.newestPages ??= new SharedPages(this.pagesBefore())).all();
  }

  async *oldestFirst(after?: Place): AsyncGenerator<readonly KeptMessage[]> {
    yield* this.indexedFrom(after);
    const newer = this.tail.filter(({ place }) => isBehind(place, after));
    if (newer.length > 0) yield newer;
  }

  private async *pagesBefore(before?: Place): AsyncGenerator<readonly KeptMessage[]> {
    const newer = this.tail.filter(({ place }) => before === undefined || comparePlaces(place, before) < 0);
    if (newer.length > 0) yield newer.toReversed();
    const { newest } = this.indexed;
    if (newest === undefined) return;
    const behindNewest = placeBehind(newest);
    const isWithin = before !== undefined && comparePlaces(before, behindNewest) < 0;
    yield* this.indexed.newestFirst(isWithin ? before : behindNewest);
  }

  private async *indexedFrom(after: Place | undefined): AsyncGenerator<readonly KeptMessage[]> {
    const { newest } = this.indexed;
    if (newest === undefined || (after !== undefined && !isBehind(newest.place, after))) return;
    for await (const page of this.indexed.oldestFirst(after)) {
      const known = page.filter(({ place }) => !isBehind(place, newest.place));
      if (known.length > 0) yield known;
      if (known.length < page.length) return;
    }
  }
}

const isSamePlace = (one: Place | undefined, other: Place | undefined): boolean =>
  one === undefined || other === undefined ? one === other : comparePlaces(one, other) === 0;

const placeBehind = ({ place: { epoch, offset } }: Pick<KeptMessage, 'place'>): Place => ({
  epoch,
  offset: offset + 1,
});

/** The messages of the tail behind the newest one of the index, numbered on from it. */
const tailBehind = async (
  indexed: IndexedTopic,
  { epoch, tail }: PartitionEnd,
  topic: HistoryTopic,
): Promise<readonly KeptMessage[]> => {
  const later = tail
    .messagesOf(topic)
    .filter(({ offset }) => isBehind({ epoch, offset }, indexed.newest?.place));
  const copies = later.length > 0 && !tail.knowsCopies ? await idsBefore(later, indexed) : new Set<string>();
  let { ordinal, latestAt } = indexed.newest ?? { ordinal: 0, latestAt: 0 };
  return later
    .filter(({ message }) => !copies.has(message.id))
    .map(({ offset, message }) => {
      ordinal += 1;
      latestAt = Math.max(latestAt, acceptedAt(message.id));
      return { place: { epoch, offset }, ordinal, latestAt, message };
    });
};

/** So many ids of a topic are remembered by the index, too. */
const mostIds = 1_000;

/**
 * Of the messages of the index among which the first copies of later ones are: a copy has the id of the first one, and so its time. What is
 * indexed meanwhile is not among them: it is a message of the tail itself.
 */
const idsBefore = async (
  later: readonly IndexedRecord[],
  indexed: IndexedTopic,
): Promise<ReadonlySet<string>> => {
  const ids = new Set<string>();
  const { newest } = indexed;
  if (newest === undefined) return ids;
  const since = later.reduce((first, { message }) => Math.min(first, acceptedAt(message.id)), Infinity);
  for await (const page of indexed.newestFirst(placeBehind(newest))) {
    for (const { message } of page) ids.add(message.id);
    const oldest = page.at(-1);
    if (ids.size >= mostIds || (oldest && oldest.latestAt < since)) break;
  }
  return ids;
};
