import type { LogOrigin, LogPosition } from './eventLog.js';
import type { HistoryTopic, KeptMessage, HistoryOwners } from './history.js';
import type { LiveMessage } from '../wire/bus/liveMessage.js';
import type { Place } from '../wire/protocol/position.js';

/** Up to where the messages of a partition of the bus are in the index. */
export interface IndexedPartition {
  readonly epoch: number;
  /** The offset behind the last one that was looked at. */
  readonly next: number;
}

/** A message with its place in a partition of the bus. Its `kept` says to which topic it belongs. */
export interface IndexedRecord {
  readonly offset: number;
  readonly message: LiveMessage;
}

/** What the index knows of a topic. */
export interface IndexedTopic {
  readonly newest: Pick<KeptMessage, 'place' | 'ordinal' | 'latestAt'> | undefined;
  readonly removedTo: Place | undefined;
  readonly deletedTo: Place | undefined;
  /** Pages hold messages without `kept`: what their topic keeps is said by the newest record alone. */
  newestFirst(before?: Place): AsyncIterable<readonly KeptMessage[]>;
  oldestFirst(after?: Place): AsyncIterable<readonly KeptMessage[]>;
}

/**
 * The messages of topics with history, by topic, as they stand in the partitions of the bus. Durable once resolved. Everything rejects with
 * `EngineUnavailable` where the engine is out of reach: whether anything was written is then unknown.
 */
export interface HistoryIndex {
  /**
   * Anything in the index below it can be read. Undefined for a partition of which nothing was written yet; the first one of files begins
   * with the file.
   */
  partition(partition: number): Promise<IndexedPartition | undefined>;

  /**
   * Begins an epoch of a partition. `former` is the one that it ends, undefined for the first one: where the partition is in another one,
   * since somebody else has begun that meanwhile, it stays in it. Resolves to where the partition is then.
   */
  begin(partition: number, former: number | undefined, to: IndexedPartition): Promise<IndexedPartition>;

  /**
   * Adds messages, in their order, and then moves the partition on. The same ones may come again, also in other batches and from two
   * processes at once: each is there once, by its id within the last minutes, at its first place. What lies at or before a deletion is passed over.
   * What is beyond the bounds of a topic (`kept` of its newest message) may be removed.
   */
  append(partition: number, records: readonly IndexedRecord[], to: IndexedPartition): Promise<void>;

  /** A snapshot is not needed: pages may miss what is removed, and have what is added, while they are read. */
  topic(topic: HistoryTopic): Promise<IndexedTopic>;

  /** Everything of the topic up to a place is gone for good, also what is appended later. */
  deleteTopic(topic: HistoryTopic, owners: HistoryOwners, to: Place): Promise<void>;

  /** Removes all topics of projects, apps, rooms and scopes, by their ids. */
  removeOf(owners: readonly string[]): Promise<void>;

  /** Names (within their rooms) and places of the topics of an app that the index knows. */
  topicsOf(appId: string): AsyncIterable<readonly (HistoryTopic & HistoryOwners)[]>;

  /** Removes what has expired, and returns how many messages that were. */
  prune(now: number): Promise<number>;

  /** Of the event log, for whoever follows it to delete histories. */
  checkpoint(): Promise<LogPosition | undefined>;
  origin(): Promise<LogOrigin | undefined>;
  /** Undefined for the beginning. */
  moveCheckpoint(position: LogPosition | undefined, origin?: LogOrigin): Promise<void>;

  /** Idempotent. */
  close(): Promise<void>;
}
