import type { Buffer } from 'node:buffer';
import type { IndexedPartition } from '../../ports/historyIndex.js';
import { liveMessages, type KeptMeta, type LiveMessage } from '../../wire/bus/liveMessage.js';
import { comparePlaces, type Place } from '../../wire/protocol/position.js';
import {
  headerLength,
  headerOf,
  keysOf,
  withHeader,
  type HistoryTables,
  type TopicEntry,
} from './historyTables.js';
import { isUpTo, standingOf, type Standing } from './intake.js';
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

/** Messages beyond the bounds are removed together. */
const removedTogether = 32;
/** At most, besides as many as were added: what lowered bounds have left goes in small steps. */
const removedBesides = 64;

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
    const partitions = new Map<number, IndexedPartition>();
    for (const { partition, records, to } of appends) {
      for (const record of records) this.add(topics, to.epoch, record);
      partitions.set(partition, furthest(partitions.get(partition), to));
    }
    for (const [key, topic] of topics) {
      if (topic === undefined) continue;
      this.tables.topics.putSync(key, this.makeRoom(key, topic));
      this.remember(key, topic);
    }
    for (const [partition, to] of partitions) {
      const before = this.tables.partitions.get(partition);
      this.tables.partitions.putSync(partition, furthest(before, to));
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
    topic.added += 1;
    if (entry.oldest !== undefined) return;
    const begun = { ...topic.entry, oldest: newest.ordinal };
    topic.entry = addDue(this.tables, key, begun, expiryOf(newest.latestAt, kept));
  }

  private makeRoom(key: string, { entry, added }: OpenTopic): TopicEntry {
    const last = lastBeyond(entry);
    if (entry.oldest === undefined || entry.oldest + removedTogether > last + 1) return entry;
    const isBeyond = ({ ordinal }: Standing) => ordinal <= last;
    return removeOldest(this.tables, key, entry, added + removedBesides, isBeyond).entry;
  }

  /** Undefined for a topic whose owner has been removed. */
  private open(key: string, { message, kept }: NewRecord): OpenTopic | undefined {
    const found = this.tables.topics.get(key);
    if (found !== undefined) return { entry: found, ids: this.idsOf(key, found), added: 0 };
    const topic = topicOf(message, kept);
    const owners = ownersOf(topic);
    if (owners.some((owner) => this.tables.removed.doesExist(owner))) return undefined;
    for (const owner of owners) this.tables.owned.putSync([owner, key], '');
    const { seconds, messages } = kept;
    return { entry: { ...topic, seconds, messages }, ids: new RecentIds(), added: 0 };
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
}

/** A topic while a transaction adds to it. */
interface OpenTopic {
  entry: TopicEntry;
  readonly ids: RecentIds;
  /** How many messages. */
  added: number;
}

const furthest = (before: IndexedPartition | undefined, to: IndexedPartition): IndexedPartition =>
  before !== undefined && comparePlaces(placeOf(before), placeOf(to)) >= 0 ? before : to;

const placeOf = ({ epoch, next: offset }: IndexedPartition): Place => ({ epoch, offset });
