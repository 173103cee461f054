import type { Buffer } from 'node:buffer';

// What Roomwire needs of a client library for Kafka. `kafkajs/` implements it, and is what changes with the library.

export interface Connectable {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
}

/** Why a broker refuses, by its name in Kafka's protocol, on the errors that a client rejects with; undefined for others. */
export const refusalOf = (error: unknown): string | undefined =>
  error instanceof Error ? ((error as { readonly type?: string }).type ?? refusalOf(error.cause)) : undefined;

export type RecordHeaders = Record<string, Buffer | string | (Buffer | string)[] | undefined>;

export interface RecordToSend {
  key: Buffer;
  value: Buffer;
  /** Milliseconds since 1970, decimal; the client's own clock when absent. */
  timestamp?: string;
  headers?: RecordHeaders;
}

/** The client's own objects, which are not copied: offsets and times are decimal strings. */
export interface StoredRecord {
  readonly offset: string;
  readonly timestamp: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers?: RecordHeaders | undefined;
}

export interface RecordBatch {
  readonly topic: string;
  readonly partition: number;
  /** The offset behind the last record of the partition that readers may have. */
  readonly highWatermark: string;
  readonly messages: readonly StoredRecord[];
}

export interface Led {
  readonly leader: number;
  readonly replicas: number;
  readonly inSyncReplicas: number;
}

/** By partition; undefined for one without a leader. */
export type Leaders = readonly (Led | undefined)[];

/** Finds out who leads the partitions of a topic at present. */
export interface LeaderFinder extends Connectable {
  leaders(topic: string): Promise<Leaders>;
}

/** The records of a request to one leader. */
export interface ForLeader {
  readonly topic: string;
  readonly acks: number;
  readonly partitions: readonly { readonly partition: number; readonly messages: readonly RecordToSend[] }[];
}

/** By partition, the offset of the first of its records, or why it has not taken them. Those that are missing have stored theirs. */
export type WriteAnswers = ReadonlyMap<number, number | Error>;

/** Writes to one leader, so that another one that hangs is no matter to it. */
export interface PartitionWriter extends Connectable {
  /** Rejects where it is unknown what is stored. */
  write(records: ForLeader): Promise<WriteAnswers>;
}

export interface RecordPosition {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/** Reads a partition from an offset, without a group: joining one takes seconds. */
export interface PartitionReader extends Connectable {
  /**
   * Whole batches, so that the first records may come before the offset; at least one batch unless there is none.
   * Undefined where the offset has expired.
   */
  read(position: RecordPosition, maxBytes: number): Promise<readonly StoredRecord[] | undefined>;
}

export interface DescribedPartition {
  readonly leader: number;
  readonly replicas: readonly number[];
  readonly isr: readonly number[];
}

/** A topic as the brokers have it. */
export interface DescribedTopic {
  /** None where the topic is missing. */
  readonly partitions: readonly DescribedPartition[];
  readonly config: ReadonlyMap<string, string>;
}

export interface NewTopic {
  readonly name: string;
  readonly partitions: number;
  readonly replicas: number;
  readonly config: Readonly<Record<string, string>>;
}

export interface EndsOfPartition {
  readonly partition: number;
  /** The first record that is still there. */
  readonly low: number;
  /** The next record. */
  readonly high: number;
}

/** Asks the brokers. What it says of the partitions of a topic leaves out those without a leader. */
export interface KafkaAdmin extends Connectable {
  countBrokers(): Promise<number>;
  listTopics(): Promise<readonly string[]>;
  describeTopics(names: readonly string[]): Promise<ReadonlyMap<string, DescribedTopic>>;
  /** Leaves those alone that exist. Resolves when all can be written, so that the first record need not wait for it. */
  createTopics(topics: readonly NewTopic[]): Promise<void>;
  fetchOffsets(topic: string): Promise<readonly EndsOfPartition[]>;
  /** By partition: the first record at or after the time, or the end. */
  fetchOffsetsAt(topic: string, timeMs: number): Promise<readonly (number | undefined)[]>;
  /** By partition; -1 where the group has not committed anything. */
  fetchCommitted(topic: string, groupId: string): Promise<readonly (number | undefined)[]>;
}

export interface GroupConsumerOptions {
  readonly topic: string;
  readonly groupId: string;
  /** Where a group begins that has not committed anything. */
  readonly fromBeginning: boolean;
  readonly sessionTimeoutMs: number;
}

export interface ConsumerEvents {
  /** Before anything is fetched: what was sought or paused is forgotten. */
  joined(partitions: readonly number[], memberId: string): void;
  /** A rebalance is about to begin. */
  leaving(): void;
  /** Whether it was taken: if not, it may come again. Must not throw. */
  take(batch: RecordBatch): boolean;
  /** A broker has answered some request. */
  answered(): void;
  /** It does nothing any more. */
  crashed(why: string): void;
}

/** A member of a group that reads one topic; it commits nothing by itself. */
export interface GroupConsumer {
  run(events: ConsumerEvents): Promise<void>;
  disconnect(): Promise<void>;
  seek(partition: number, offset: number): void;
  pause(partitions: readonly number[]): void;
  resume(partitions: readonly number[]): void;
  commit(offsets: ReadonlyMap<number, number>): Promise<void>;
}

/** A client with connections of its own, so that they can be counted, and closed when the library no longer does it. */
export interface KafkaClient {
  admin(): KafkaAdmin;
  leaderFinder(): LeaderFinder;
  writerTo(leader: number): PartitionWriter;
  reader(): PartitionReader;
  consumer(options: GroupConsumerOptions): GroupConsumer;
  /** Everything that was received so far. */
  readonly bytesRead: number;
  /** Closes all connections immediately and permanently; pending requests fail. */
  readonly cut: () => void;
}
