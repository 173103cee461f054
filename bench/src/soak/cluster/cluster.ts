import { type EventStoreEngine, startEventStore } from '@roomwire/testing/engines/eventStore';
import { type MongoEngine, startFerretDb } from '@roomwire/testing/engines/ferretdb';
import { type KafkaCluster, startKafkaCluster } from '@roomwire/testing/engines/kafka/cluster';
import { Door } from '@roomwire/testing/run/door';
import type { ServiceName } from '../../peers/roomwireService.js';
import type { WorkFolder } from '../../process/workFolder.js';
import type { Findings } from '../findings.js';
import { Member } from './member.js';

const perService = 2;
const services: readonly ServiceName[] = ['command-api', 'projections', 'gateway', 'webhook-consumer'];

/** Three Kafka brokers, FerretDB, the stand-in for EventStoreDB, and two processes of each service. */
export class Cluster {
  readonly kafka: KafkaCluster;
  readonly mongo: MongoEngine;
  readonly eventStore: EventStoreEngine;
  readonly members: Member[] = [];
  /** Where clients find a gateway, and a command-api. */
  gateways!: Door;
  commandApis!: Door;

  private constructor(kafka: KafkaCluster, mongo: MongoEngine, eventStore: EventStoreEngine) {
    this.kafka = kafka;
    this.mongo = mongo;
    this.eventStore = eventStore;
  }

  static async start(folder: WorkFolder, findings: Findings): Promise<Cluster> {
    const [kafka, mongo, eventStore] = await Promise.all([
      startKafkaCluster(),
      startFerretDb({ dataDir: await folder.inside('ferretdb') }),
      startEventStore({ dataDir: await folder.inside('eventstore') }),
    ]);
    const cluster = new Cluster(kafka, mongo, eventStore);
    const addresses = { eventStoreUrl: eventStore.url, mongodbUrl: mongo.url, brokers: kafka.brokers };
    for (const service of services)
      for (let count = 0; count < perService; count += 1)
        cluster.members.push(await Member.start(service, addresses, findings));
    const doorTo = (service: ServiceName): Promise<Door> =>
      Door.open(...cluster.of(service).map(({ baseUrl }) => baseUrl));
    cluster.gateways = await doorTo('gateway');
    cluster.commandApis = await doorTo('command-api');
    return cluster;
  }

  of(service: ServiceName): readonly Member[] {
    return this.members.filter((member) => member.service === service);
  }

  async close(): Promise<void> {
    await Promise.all([this.gateways.close(), this.commandApis.close()]);
    await Promise.all(this.members.map((member) => member.end('SIGTERM')));
    await Promise.all([this.kafka.close(), this.mongo.close(), this.eventStore.close()]);
  }
}
