import type { Buffer } from 'node:buffer';
import type { IndexedPartition } from '../../ports/historyIndex.js';
import { liveMessages, type KeptMeta, type LiveMessage } from '../../wire/bus/liveMessage.js';
import { comparePlaces } from '../../wire/protocol/position.js';
import {
  headerLength,
  headerOf,
  keysOf,
  withHeader,
  type HistoryTables,
  type TopicEntry,
} from './historyTables.js';
import { isUpTo, standingOf } from './intake.js';
import { ownersOf, topicKeyOf, topicOf } from './keptTopics.js';
import { RecentIds } from './recentIds.js';
import { expiryOf, lastBeyond, secondCopyMs } from './removal.js';
import { addDue, removeOldest } from './topicRemoval.js';
import { WeightedCache } from './weightedCache.js';

/** A message on its way into the tables; its value has room for a header. */
export interface NewRecord {
  readonly offset: number;
  readonly message: LiveMessage;
  readonly kept: KeptMeta;
  readonly value: Buffer;
}

export interface Append {
  readonly partition: number;
  readonly records: readonly NewRecord[];
  readonly to: IndexedPartition;
}

/** A message beyond the bounds makes room for itself, and for what lowered bounds have left, in small steps. */
const removedPerMessage = 20;

const idsFound = 200;
const bytesRead = 4 * 1024 * 1024;
/** Of all topics together. */
const idsRemembered = 200_000;

interface RememberedIds {
  /** Of the newest message then: they are those of the topic as long as it is its newest. */
  readonly ordinal: number;
  readonly ids: RecentIds;
}

/** Adds messages to the tables. */
export class HistoryAppends {
  private readonly tables: HistoryTables;
  private readonly remembered = new WeightedCache<RememberedIds>(idsRemembered);

  constructor(tables: HistoryTables) {
    this.tables = tables;
  }

  /** Within a transaction. */
  write(appends: readonly Append[]): void {
    const topics = new Map<string, OpenTopic | undefined>();
    for (const { partition, records, to } of appends) {
      for (const record of records) this.add(topics, to.epoch, record);
      this.movePartition(partition, to);
    }
    for (const [key, topic] of topics) {
      if (topic === undefined) continue;
      this.tables.topics.putSync(key, topic.entry);
      this.remember(key, topic);
    }
  }

  private add(topics: Map<string, OpenTopic | undefined>, epoch: number, record: NewRecord): void {
    const { offset, message, kept, value } = record;
    const key = topicKeyOf(topicOf(message, kept));
    if (!topics.has(key)) topics.set(key, this.open(key, record));
    const topic = topics.get(key);
    if (topic === undefined) return;
    const { entry, ids } = topic;
    const newest = standingOf(entry.newest, ids, { epoch, offset }, message.id);
    if (newest === undefined) return;
    const { seconds, messages } = kept;
    const isNarrower = seconds < entry.seconds || messages < entry.messages;
    topic.entry = { ...entry, seconds, messages, newest };
    if (isNarrower) topic.entry = addDue(this.tables, key, topic.entry, 0);
    if (isUpTo(newest.place, entry.deletedTo)) return;
    this.tables.messages.putSync([key, epoch, offset], withHeader(value, newest));
    ids.add(message.id);
    if (topic.oldest === undefined) {
      topic.oldest = newest.ordinal;
      topic.entry = addDue(this.tables, key, topic.entry, expiryOf(newest.latestAt, kept));
    }
    this.makeRoom(key, topic);
  }

  private makeRoom(key: string, topic: OpenTopic): void {
    const { entry, oldest } = topic;
    const last = lastBeyond(entry);
    if (oldest === undefined || oldest > last) return;
    const removed = removeOldest(
      this.tables,
      key,
      entry,
      removedPerMessage,
      ({ ordinal }) => ordinal <= last,
    );
    topic.entry = removed.entry;
    topic.oldest = removed.next?.ordinal;
  }

  /** Undefined for a topic whose owner has been removed. */
  private open(key: string, { message, kept }: NewRecord): OpenTopic | undefined {
    const found = this.tables.topics.get(key);
    if (found !== undefined) return { entry: found, ids: this.idsOf(key, found), oldest: this.oldestOf(key) };
    const topic = topicOf(message, kept);
    const owners = ownersOf(topic);
    if (owners.some((owner) => this.tables.removed.doesExist(owner))) return undefined;
    for (const owner of owners) this.tables.owned.putSync([owner, key], '');
    const { seconds, messages } = kept;
    return { entry: { ...topic, seconds, messages }, ids: new RecentIds(), oldest: undefined };
  }

  private oldestOf(key: string): number | undefined {
    for (const { key: at, value } of this.tables.messages.getRange({ ...keysOf(key), limit: 1 }))
      return headerOf(at, value).ordinal;
    return undefined;
  }

  private remember(key: string, { entry, ids }: OpenTopic): void {
    this.remembered.put(key, { ordinal: entry.newest?.ordinal ?? 0, ids }, ids.size + 1);
  }

  private idsOf(key: string, { newest }: TopicEntry): RecentIds {
    const remembered = this.remembered.take(key);
    if (remembered !== undefined && remembered.ordinal === (newest?.ordinal ?? 0)) return remembered.ids;
    return new RecentIds(this.readIds(key, newest?.latestAt ?? 0).reverse());
  }

  /** The newest first. */
  private readIds(key: string, latestAt: number): string[] {
    const found: string[] = [];
    const { start, end } = keysOf(key);
    let bytes = 0;
    for (const { key: at, value } of this.tables.messages.getRange({
      start: end,
      end: start,
      reverse: true,
    })) {
      if (headerOf(at, value).latestAt < latestAt - secondCopyMs) break;
      found.push(liveMessages.codec.decode(value.subarray(headerLength)).id);
      bytes += value.length;
      if (found.length === idsFound || bytes > bytesRead) break;
    }
    return found;
  }

  private movePartition(partition: number, to: IndexedPartition): void {
    const before = this.tables.partitions.get(partition);
    const placeOf = ({ epoch, next: offset }: IndexedPartition) => ({ epoch, offset });
    if (before === undefined || comparePlaces(placeOf(to), placeOf(before)) > 0)
      this.tables.partitions.putSync(partition, to);
  }
}

/** A topic while a transaction adds to it. */
interface OpenTopic {
  entry: TopicEntry;
  readonly ids: RecentIds;
  /** Ordinal of the oldest message that is stored. */
  oldest: number | undefined;
}
