import { Buffer } from 'node:buffer';
import { ChannelSource } from '@roomwire/shared/adapters/message-bus/kafka/channelSource';
import type { ConsumerEvents, KafkaAdmin } from '@roomwire/shared/adapters/message-bus/kafka/kafkaClient';
import { partitionOf } from '@roomwire/shared/adapters/message-bus/kafka/recordFormat';
import { Renewable } from '@roomwire/shared/adapters/message-bus/kafka/renewableClient';
import { EndOffsets } from '@roomwire/shared/adapters/message-bus/kafka/topicCatalog';
import { busTopics, otherTopics } from '@roomwire/shared/wire/bus/busTopics';
import type { Channel } from '@roomwire/shared/wire/bus/channel';
import type { ChannelReader, OnRecord, ReadOptions } from '@roomwire/shared/ports/messageBus';

/** A record on its way to all who read its partition. */
export interface TopicRecord {
  readonly partition: number;
  readonly key: Buffer;
  readonly value: Buffer;
  readonly offset: number;
}

/** A topic with the partitions that it is declared with. */
export class SimulatedTopic<T> {
  readonly channel: Channel<T>;
  readonly partitions: number;
  private readonly ends: number[];

  constructor(channel: Channel<T>) {
    this.channel = channel;
    this.partitions = (busTopics.find(({ name }) => name === channel.name) ?? otherTopics).partitions;
    this.ends = new Array<number>(this.partitions).fill(0);
  }

  append(record: T): TopicRecord {
    const key = Buffer.from(this.channel.key(record));
    const partition = partitionOf(key, this.partitions);
    const offset = this.ends[partition] as number;
    this.ends[partition] = offset + 1;
    return { partition, offset, key, value: Buffer.from(this.channel.codec.encode(record)) };
  }
}

const never = 2 ** 31 - 1;

/** A topic as one process reads it, whatever its records are. */
export interface Reading {
  start(): Promise<void>;
  read(options: ReadOptions, onRecord: OnRecord<never>): Promise<ChannelReader>;
  /** Whether the process fetches the record, for which it is handed over. */
  offer(record: TopicRecord): boolean;
  close(): Promise<void>;
}

/** The source of the Kafka adapter, on brokers that hold nothing from before. */
export class TopicReading<T> implements Reading {
  private readonly source: ChannelSource<T>;
  /** Those that the source fetches. */
  private readonly fetched = new Set<number>();
  private events: ConsumerEvents | undefined;
  private readonly topic: SimulatedTopic<T>;

  constructor(topic: SimulatedTopic<T>) {
    this.topic = topic;
    const { channel, partitions } = topic;
    const admin = new Renewable(() => ({ client: emptyTopic(partitions), cut: nothing }), {
      answered: nothing,
      failed: nothing,
    });
    this.source = new ChannelSource(channel, {
      ...{ topic: channel.name, partitions, groupPrefix: '', sessionTimeoutMs: never },
      ends: new EndOffsets(admin, channel.name, never),
      context: {
        client: () => ({ consumer: () => this.consumer(), bytesRead: 0, cut: nothing }),
        outcome: { answered: nothing, doubted: async () => true },
        logger: undefined,
      },
      logger: undefined,
      unused: async () => undefined,
    });
  }

  start(): Promise<void> {
    return this.source.start();
  }

  /** Who reads it knows the type of its records, as with the bus. */
  read(options: ReadOptions, onRecord: OnRecord<never>): Promise<ChannelReader> {
    return this.source.read(options, onRecord as OnRecord<T>);
  }

  offer({ partition, offset, key, value }: TopicRecord): boolean {
    if (!this.fetched.has(partition)) return false;
    const message = { offset: String(offset), timestamp: '0', key, value };
    const highWatermark = String(offset + 1);
    this.events?.take({ topic: this.topic.channel.name, partition, highWatermark, messages: [message] });
    return true;
  }

  close(): Promise<void> {
    return this.source.close();
  }

  private consumer() {
    return {
      run: async (events: ConsumerEvents) => {
        this.events = events;
        events.joined([...Array(this.topic.partitions).keys()], 'member');
      },
      disconnect: async () => undefined,
      commit: async () => undefined,
      seek: nothing,
      pause: (partitions: readonly number[]) => {
        for (const partition of partitions) this.fetched.delete(partition);
      },
      resume: (partitions: readonly number[]) => {
        for (const partition of partitions) this.fetched.add(partition);
      },
    };
  }
}

const nothing = (): void => undefined;

/** The brokers, as far as a source asks them. */
const emptyTopic = (partitions: number) =>
  ({
    connect: async () => undefined,
    disconnect: async () => undefined,
    fetchOffsets: async () =>
      Array.from({ length: partitions }, (_, partition) => ({ partition, low: 0, high: 0 })),
  }) as unknown as KafkaAdmin;
