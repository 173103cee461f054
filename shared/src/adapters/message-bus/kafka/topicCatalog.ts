import type { BusTopic } from '../../../wire/bus/busTopics.js';
import type { Logger } from '../../../ports/logger.js';
import { SharedAnswer } from '../../../runtime/sharedAnswer.js';
import type { DescribedTopic, EndsOfPartition, KafkaAdmin, NewTopic } from './kafkaClient.js';
import {
  type Renewable,
  PartitionUnavailable,
  PermanentError,
  untilAnswered,
  within,
} from './renewableClient.js';

export interface TopicCatalogOptions {
  /** Before the name of every topic: several installations, or tests, on the same brokers. */
  readonly prefix: string;
  readonly declared: readonly BusTopic[];
  readonly others: Omit<BusTopic, 'name'>;
  readonly withinMs: number;
  readonly logger: Logger | undefined;
}

/** A topic exists but is not as declared, and changing it is up to the operator. */
export class TopicMismatch extends PermanentError {
  override readonly name = 'TopicMismatch';
}

/** What a sender has to know of a topic. */
export interface TopicShape {
  readonly partitions: number;
  /** With fewer replicas in sync a partition takes nothing that is to be stored. */
  readonly fewestInSync: number;
}

const mostReplicas = 3;
const segmentsKept = 4;

/** The topics as they were declared, and as the brokers have them. */
export class TopicCatalog {
  private readonly admin: Renewable<KafkaAdmin>;
  private readonly options: TopicCatalogOptions;
  /** By name, of topics that exist. */
  private readonly shapes = new Map<string, Promise<TopicShape>>();

  constructor(admin: Renewable<KafkaAdmin>, options: TopicCatalogOptions) {
    this.admin = admin;
    this.options = options;
  }

  topicOf(name: string): string {
    return this.options.prefix + name;
  }

  declaration(name: string): BusTopic {
    return this.options.declared.find((topic) => topic.name === name) ?? { name, ...this.options.others };
  }

  /** Creates the declared topics that are missing, and checks the others. */
  async ensureDeclared(): Promise<void> {
    const { declared } = this.options;
    if (declared.length === 0) return;
    const shapes = await this.ensure(declared);
    for (const [n, { name }] of declared.entries())
      this.shapes.set(name, Promise.resolve(shapes[n] as TopicShape));
  }

  /** The topic is created if it is missing. */
  shape(name: string): Promise<TopicShape> {
    const known = this.shapes.get(name);
    if (known) return known;
    const asked = this.ensure([this.declaration(name)]).then(([shape]) => shape as TopicShape);
    this.shapes.set(name, asked);
    asked.catch(() => this.shapes.delete(name));
    return asked;
  }

  async partitions(name: string): Promise<number> {
    return (await this.shape(name)).partitions;
  }

  /** Whether the brokers have the topic; it is not created. */
  exists(name: string): Promise<boolean> {
    const topic = this.topicOf(name);
    return untilAnswered(
      () => this.admin.use(async (admin) => (await admin.listTopics()).includes(topic)),
      this.options.withinMs,
    );
  }

  private ensure(topics: readonly BusTopic[]): Promise<TopicShape[]> {
    return untilAnswered(
      () => this.admin.use((admin) => this.createAndCheck(admin, topics)),
      this.options.withinMs,
    );
  }

  private async createAndCheck(admin: KafkaAdmin, topics: readonly BusTopic[]): Promise<TopicShape[]> {
    const existing = new Set(await admin.listTopics());
    const missing = topics.filter(({ name }) => !existing.has(this.topicOf(name)));
    if (missing.length > 0) await this.create(admin, missing);
    const found = await admin.describeTopics(topics.map(({ name }) => this.topicOf(name)));
    return topics.map((topic) => this.check(topic, found.get(this.topicOf(topic.name)) as DescribedTopic));
  }

  /** Of two processes that start at the same time one creates a topic, and the other finds that it exists. */
  private async create(admin: KafkaAdmin, topics: readonly BusTopic[]): Promise<void> {
    const replicas = Math.min(await admin.countBrokers(), mostReplicas);
    await admin.createTopics(topics.map((topic) => this.newTopic(topic, replicas)));
  }

  private newTopic(topic: BusTopic, replicas: number): NewTopic {
    return {
      name: this.topicOf(topic.name),
      partitions: topic.partitions,
      replicas,
      config: {
        'cleanup.policy': topic.cleanup,
        'retention.ms': String(topic.retentionMs),
        // Only whole segments are removed, and the one that is written to is not.
        'segment.ms': String(Math.ceil(topic.retentionMs / segmentsKept)),
        'max.message.bytes': String(topic.maxRecordBytes),
        // Acknowledged records survive the loss of a broker, and writes continue with one broker down.
        'min.insync.replicas': String(Math.max(1, replicas - 1)),
      },
    };
  }

  private check(topic: BusTopic, { partitions, config }: DescribedTopic): TopicShape {
    const name = this.topicOf(topic.name);
    if (partitions.length < topic.partitions)
      throw new TopicMismatch(
        `The topic ${name} has ${partitions.length} partitions, but ${topic.partitions} are declared. Adding partitions ` +
          'breaks the order of what is already in it: add them while nothing runs, or create the topic again.',
      );
    const largest = Number(config.get('max.message.bytes'));
    if (largest < topic.maxRecordBytes)
      throw new TopicMismatch(
        `The topic ${name} takes records of ${largest} bytes, but ${topic.maxRecordBytes} are needed: ` +
          `kafka-configs.sh --alter --topic ${name} --add-config max.message.bytes=${topic.maxRecordBytes}`,
      );
    // Retention is up to the operator of the brokers.
    const differs =
      config.get('retention.ms') !== String(topic.retentionMs) ||
      config.get('cleanup.policy') !== topic.cleanup;
    if (differs)
      this.options.logger?.warn('A topic is kept otherwise than declared', { topic: name, ...topic });
    return {
      partitions: partitions.length,
      fewestInSync: Number(config.get('min.insync.replicas') ?? 1),
    };
  }
}

/**
 * Where the partitions of one topic begin and end. Requests that come while one is under way share the next
 * one, so that a thousand readers that start at the same time cause two.
 */
export class EndOffsets {
  private readonly topic: string;
  private readonly withinMs: number;
  private readonly answer: SharedAnswer<readonly EndsOfPartition[]>;

  constructor(admin: Renewable<KafkaAdmin>, topic: string, withinMs: number) {
    this.topic = topic;
    this.withinMs = withinMs;
    const ask = () => untilAnswered(() => admin.use((client) => fetchEnds(client, topic)), withinMs);
    // An attempt may take longer than there is time.
    this.answer = new SharedAnswer(() => within(withinMs, ask()));
  }

  /** The offsets of the next records. */
  async fetch(needed: readonly number[] = []): Promise<readonly number[]> {
    const ends: number[] = [];
    for (const { partition, high } of Object.values(await this.bounds(needed))) ends[partition] = high;
    return ends;
  }

  /** As of a moment after the call. Those of partitions without a leader are missing, unless they are needed. */
  bounds(needed: readonly number[] = []): Promise<readonly EndsOfPartition[]> {
    const attempt = async () => {
      const ends = await this.answer.get();
      const missing = needed.find((partition) => ends[partition] === undefined);
      if (missing !== undefined) throw new PartitionUnavailable(this.topic, missing);
      return ends;
    };
    return within(this.withinMs, untilAnswered(attempt, this.withinMs));
  }
}

/** By partition. */
const fetchEnds = async (admin: KafkaAdmin, topic: string): Promise<readonly EndsOfPartition[]> => {
  const ends: EndsOfPartition[] = [];
  for (const of of await admin.fetchOffsets(topic)) ends[of.partition] = of;
  return ends;
};
