import { Buffer } from 'node:buffer';
import { EngineUnavailable } from '../../../ports/errors.js';
import type {
  Acknowledgement,
  ChannelReader,
  MeasuredBus,
  OnRecord,
  QueueWorker,
  ReadOptions,
  ReadStatistics,
  WorkOptions,
} from '../../../ports/messageBus.js';
import { versionsOf, type Channel, type Versioned, type WorkQueue } from '../../../wire/bus/channel.js';
import { once } from '../../../runtime/service.js';
import { ChannelPartitions } from './channelPartitions.js';
import { ChannelSource } from './channelSource.js';
import { EndOffsets, TopicCatalog } from './topicCatalog.js';
import { GroupReader, type GroupFollower, type GroupReading } from './groupReader.js';
import { settingsOf, type KafkaMessageBusOptions, type Settings } from './kafkaSettings.js';
import { createKafkaClients, type KafkaClients } from './kafkaClients.js';
import { QueueConsumer } from './queueConsumer.js';
import { OpenByName } from './openByName.js';
import { PartitionHistory } from './partitionHistory.js';
import { carriedBy, partitionOf } from './recordFormat.js';
import { TopicSender } from './topicSender.js';
import { untilAnswered, within } from './renewableClient.js';

export type { KafkaMessageBusOptions } from './kafkaSettings.js';

/** Records that are kept with their times, and read back. */
export interface KafkaRecords {
  /** Like `send`, with a time of the caller's (milliseconds since 1970); resolves when the record is stored. */
  store<T>(channel: Channel<T>, record: T, timestamp: number): Promise<void>;

  /** The records of a channel in the partition of a key, from a time on (milliseconds since 1970). */
  history(channel: Pick<Channel<never>, 'name'>, key: string, sinceMs: number): Promise<PartitionHistory>;
}

export interface KafkaGroups {
  /** Reads all of a channel together with the other members of a group of the name, each its partitions. */
  follow(channel: Versioned, group: string, follower: GroupFollower): Promise<GroupReading>;
}

export interface KafkaPartitions {
  partitions(channel: Pick<Channel<never>, 'name'>): Promise<ChannelPartitions>;
}

export interface KafkaMessageBus extends MeasuredBus, KafkaRecords, KafkaGroups, KafkaPartitions {}

const maxQueuedBytes = 64 * 1024 * 1024;

/** Without a copy, since codecs do not change their output afterwards. */
const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

class KafkaBus implements KafkaMessageBus {
  private readonly settings: Settings;
  private readonly clients: KafkaClients;
  private readonly topics: TopicCatalog;
  private readonly senders = new Map<string, TopicSender>();
  private readonly sources = new OpenByName<ChannelSource<unknown>>();
  private readonly queues = new OpenByName<QueueConsumer<unknown>>();
  private readonly readings: (readonly [name: string, reader: GroupReader])[] = [];
  private isOpen = true;

  constructor(settings: Settings) {
    this.settings = settings;
    this.clients = createKafkaClients(settings.connection, () => this.takesRecords());
    this.topics = new TopicCatalog(this.clients.admin, {
      prefix: settings.topicPrefix,
      declared: settings.topics,
      others: settings.otherTopics,
      withinMs: settings.withinMs,
      logger: settings.connection.logger,
    });
  }

  async open(): Promise<void> {
    await this.topics.ensureDeclared();
    await untilAnswered(() => this.clients.leaders.current(), this.settings.withinMs);
  }

  get reachable(): boolean {
    return this.isOpen && this.clients.reachability.isReachable;
  }

  get statistics(): Readonly<Record<string, ReadStatistics>> {
    return Object.fromEntries(this.sources.opened().map(([name, source]) => [name, source.statistics]));
  }

  send<T>(
    { name, key, codec, carried }: Channel<T>,
    record: T,
    acknowledgement: Acknowledgement,
  ): Promise<number> {
    if (!this.isOpen) return Promise.reject(new EngineUnavailable('message bus'));
    const headers = carriedBy(carried, record);
    const encoded = { key: Buffer.from(key(record)), value: asBuffer(codec.encode(record)), headers };
    return this.sender(name).send(encoded, acknowledgement);
  }

  async store<T>({ name, key, codec }: Channel<T>, record: T, timestamp: number): Promise<void> {
    this.assertOpen();
    const encoded = { key: Buffer.from(key(record)), value: asBuffer(codec.encode(record)), timestamp };
    await this.sender(name).send(encoded, 'stored');
  }

  async history(
    { name }: Pick<Channel<never>, 'name'>,
    key: string,
    sinceMs: number,
  ): Promise<PartitionHistory> {
    this.assertOpen();
    const partition = partitionOf(Buffer.from(key), await this.topics.partitions(name));
    const { admin, reader } = this.clients;
    const { withinMs } = this.settings;
    const topic = this.topics.topicOf(name);
    const ends = new EndOffsets(admin, topic, withinMs);
    return PartitionHistory.open({ topic, partition, ends, admin, reader, withinMs }, sinceMs);
  }

  async partitions({ name }: Pick<Channel<never>, 'name'>): Promise<ChannelPartitions> {
    this.assertOpen();
    const count = await this.topics.partitions(name);
    const { topic, ends } = await this.common(name);
    const { withinMs } = this.settings;
    return new ChannelPartitions({ topic, count, ends, reader: this.clients.reader, withinMs });
  }

  async follow({ name }: Versioned, group: string, follower: GroupFollower): Promise<GroupReading> {
    this.assertOpen();
    const { groupPrefix, ...common } = await this.common(name);
    this.assertOpen();
    const reader = new GroupReader(follower, { ...common, groupId: `${groupPrefix}${group}.${name}` });
    this.readings.push([name, reader]);
    reader.start();
    return reader;
  }

  async read<T>(channel: Channel<T>, options: ReadOptions, onRecord: OnRecord<T>): Promise<ChannelReader> {
    this.assertOpen();
    const source = await this.sources.get(channel.name, () => this.openSource(channel));
    // Each name has one type of record; callers guarantee it, not the compiler.
    return (source as ChannelSource<T>).read(options, onRecord);
  }

  async put<T>(queue: WorkQueue<T>, job: T): Promise<void> {
    return this.store(queue, job, this.settings.clock.now());
  }

  async work<T>(
    queue: WorkQueue<T>,
    options: WorkOptions,
    handler: (job: T) => Promise<void>,
  ): Promise<QueueWorker> {
    this.assertOpen();
    if (queue.isRetired && !(await this.topics.exists(queue.name))) return { close: async () => undefined };
    const consumer = await this.queues.get(queue.name, () => this.openQueue(queue));
    return (consumer as QueueConsumer<T>).work(options, handler);
  }

  /** This adapter does not know who else reads: `VersionedBus` does. */
  versionOf(topic: Versioned): number {
    return versionsOf(topic).newest;
  }

  async lag(): Promise<ReadonlyMap<string, number>> {
    this.assertOpen();
    const opened = [...this.sources.opened(), ...this.queues.opened(), ...this.readings];
    const lags = opened.map(async ([name, taken]) => [name, await taken.lag()] as const);
    const longest = new Map<string, number>();
    // A channel may be read, and followed by a group besides.
    for (const [name, lag] of await Promise.all(lags))
      longest.set(name, Math.max(lag, longest.get(name) ?? 0));
    return longest;
  }

  readonly close = once(async () => {
    this.isOpen = false;
    const flushed = Promise.all([...this.senders.values()].map((sender) => sender.flush()));
    await Promise.all([
      this.sources.close(),
      this.queues.close(),
      ...this.readings.map(([, reader]) => reader.close()),
      within(this.settings.withinMs, flushed).catch(() => undefined),
    ]);
    await this.clients.close();
  });

  private sender(name: string): TopicSender {
    const known = this.senders.get(name);
    if (known) return known;
    const { leaders, writerTo, reachability } = this.clients;
    const topic = this.topics.topicOf(name);
    const sender = new TopicSender({
      topic,
      shape: () => this.topics.shape(name),
      leaders: () => leaders.use((client) => client.leaders(topic)),
      write: (leader, records) => writerTo(leader).use((client) => client.write(records)),
      reachability,
      maxRecordBytes: this.topics.declaration(name).maxRecordBytes,
      withinMs: this.settings.withinMs,
      maxQueuedBytes,
    });
    this.senders.set(name, sender);
    return sender;
  }

  /** What a sender knows of its topic may be old. */
  private async takesRecords(): Promise<boolean> {
    const senders = [...this.senders.values()];
    await Promise.all(senders.map((sender) => sender.look()));
    const known = senders.map((sender) => sender.takesRecords).filter((each) => each !== undefined);
    return known.length === 0 || known.includes(true);
  }

  private async openSource<T>(channel: Channel<T>): Promise<ChannelSource<unknown>> {
    const source = new ChannelSource(channel, {
      ...(await this.common(channel.name)),
      partitions: await this.topics.partitions(channel.name),
      unused: () => this.sources.closeOne(channel.name),
    });
    try {
      await within(this.settings.withinMs, source.start());
      this.assertOpen();
      return source as ChannelSource<unknown>;
    } catch (error) {
      await source.close();
      throw error;
    }
  }

  private async openQueue<T>(queue: WorkQueue<T>): Promise<QueueConsumer<unknown>> {
    const common = await this.common(queue.name);
    const consumer = new QueueConsumer(queue, {
      ...common,
      committed: (groupId) => this.clients.admin.use((admin) => admin.fetchCommitted(common.topic, groupId)),
      clock: this.settings.clock,
      unused: () => this.queues.closeOne(queue.name),
    });
    this.assertOpen();
    consumer.start();
    return consumer as QueueConsumer<unknown>;
  }

  private async common(name: string) {
    await this.topics.partitions(name);
    const { groupPrefix, topicPrefix, sessionTimeoutMs, withinMs, connection } = this.settings;
    const topic = this.topics.topicOf(name);
    return {
      topic,
      groupPrefix: groupPrefix + topicPrefix,
      sessionTimeoutMs,
      ends: new EndOffsets(this.clients.admin, topic, withinMs),
      context: this.clients.consumers,
      logger: connection.logger,
    };
  }

  private assertOpen(): void {
    if (!this.isOpen) throw new EngineUnavailable('message bus');
  }
}

/** Resolves when the brokers answer and the topics are as they were declared. */
export const openKafkaMessageBus = async (options: KafkaMessageBusOptions): Promise<KafkaMessageBus> => {
  const bus = new KafkaBus(settingsOf(options));
  try {
    await bus.open();
    return bus;
  } catch (error) {
    await bus.close();
    throw error;
  }
};
