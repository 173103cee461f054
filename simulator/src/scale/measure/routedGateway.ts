import { Audiences } from '@roomwire/gateway/fanout/audience';
import { RoomFeed } from '@roomwire/gateway/fanout/roomFeed';
import { Subscriber } from '@roomwire/gateway/fanout/subscriber';
import { JobLink } from '@roomwire/gateway/jobs/link/jobLink';
import { shardCount } from '@roomwire/shared/domain/shards';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import { jobNews, shardKey, type JobNews } from '@roomwire/shared/wire/bus/jobNews';
import { retainedMessages, type RetainedMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { isGroupRecord, roomRecords, type RoomRecord } from '@roomwire/shared/wire/bus/roomRecord';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { actorId, gatewayIdOf, projectId, roomName, topicName } from '../model/estate.js';
import { SimulatedTopic, TopicReading, type Reading, type TopicRecord } from '../wire/simulatedTopic.js';
import type { Tally } from '../wire/tally.js';

/** The channels of which a gateway may read a part. */
export const createTopics = () => ({
  messages: new SimulatedTopic<RoomRecord>(roomRecords),
  retained: new SimulatedTopic<RetainedMessage>(retainedMessages),
  jobs: new SimulatedTopic<JobNews>(jobNews),
});

export type Topics = ReturnType<typeof createTopics>;

/** The parts of a gateway that decide what it fetches and decodes, on brokers that hand it each record by itself. */
export class RoutedGateway {
  readonly gateway: number;
  private readonly tally: Tally;
  /** How many records the one that is being offered stands for. */
  private weight = 0;
  private readonly readings: Readonly<Record<keyof Topics, Reading>>;
  private readonly audiences = new Audiences();
  private readonly feed: RoomFeed;
  private readonly link: JobLink;

  constructor(gateway: number, tally: Tally, { messages, retained, jobs }: Topics) {
    this.gateway = gateway;
    this.tally = tally;
    this.readings = {
      messages: new TopicReading(messages),
      retained: new TopicReading(retained),
      jobs: new TopicReading(jobs),
    };
    const bus: Pick<MessageBus, 'read' | 'send'> = {
      read: ({ name }, options, onRecord) => this.readings[name as keyof Topics].read(options, onRecord),
      send: async () => 0,
    };
    this.feed = new RoomFeed(bus);
    this.link = new JobLink({ id: gatewayIdOf(gateway), bus, logger: silentLogger });
  }

  async start(gateways: number): Promise<void> {
    for (const reading of Object.values(this.readings)) await reading.start();
    await this.feed.start((record) => this.take(record));
    await this.readings.retained.read({ interest: 'all' }, () => undefined);
    await this.link.start(() => this.count('jobs decoded'));
    // There are 64 of them, however many gateways.
    for (let shard = this.gateway; shard < shardCount; shard += gateways)
      await this.link.subscribe(shardKey(shard));
  }

  async subscribe(project: number, room: number, topics: ReadonlySet<number>): Promise<void> {
    await this.feed.subscribe(roomName(project, room));
    for (const topic of topics) this.audiences.add(subscriberOf(project, room, topic));
  }

  /** Counts under `name` what this gateway fetches. */
  offer(from: keyof Topics, record: TopicRecord, name: string, weight: number): void {
    this.weight = weight;
    if (this.readings[from].offer(record))
      this.tally.add(name, record.key.length + record.value.length, weight);
  }

  async close(): Promise<void> {
    await this.link.close();
    await this.feed.close();
    for (const reading of Object.values(this.readings)) await reading.close();
  }

  private take(record: RoomRecord): void {
    if (isGroupRecord(record)) return this.count('group commands decoded');
    this.count('messages decoded');
    if (this.audiences.of(record.topic) === undefined) this.count('messages for nobody');
  }

  private count(name: string): void {
    this.tally.add(name, 0, this.weight);
  }
}

/** One for all who are subscribed here: nothing is delivered to them. */
const subscriberOf = (project: number, room: number, topic: number): Subscriber => {
  const identity = { actorTokenId: actorId(0), projectId: projectId(project) };
  const access = { room: roomName(project, room), topic: topicName(project, room, topic) };
  return new Subscriber({ identity } as never, access as never, {
    filters: undefined,
    meta: false,
    own: false,
  });
};
