import { type EventStoreEngine, startEventStore } from '@roomwire/testing/engines/eventStore';
import { type MongoEngine, startFerretDb } from '@roomwire/testing/engines/ferretdb';
import { type KafkaCluster, startKafkaCluster } from '@roomwire/testing/engines/kafka/cluster';
import { Door } from '@roomwire/testing/run/door';
import type { ServiceName } from '../../peers/roomwireService.js';
import { type Started, withStarted } from '../../process/children.js';
import type { WorkFolder } from '../../process/workFolder.js';
import type { Findings } from '../findings.js';
import { Member } from './member.js';

const perService = 2;
const services: readonly ServiceName[] = ['command-api', 'projections', 'gateway', 'webhook-consumer'];

/** Three Kafka brokers, FerretDB, the stand-in for EventStoreDB, and two processes of each service. */
export interface Cluster {
  readonly kafka: KafkaCluster;
  readonly mongo: MongoEngine;
  readonly eventStore: EventStoreEngine;
  /** Where clients find a gateway. */
  readonly gateways: Door;
  of(service: ServiceName): readonly Member[];
}

/** Gives `work` a cluster, and something for what it starts on it. In the end all of that is stopped, the last first. */
export const withCluster = <T>(
  folder: WorkFolder,
  findings: Findings,
  work: (cluster: Cluster, started: Started) => Promise<T>,
): Promise<T> =>
  withStarted(async (engines) => {
    const closedInTheEnd = <E extends { close(): Promise<void> }>(engine: E): E => {
      engines.add({ stop: () => engine.close() });
      return engine;
    };
    const kafka = closedInTheEnd(await startKafkaCluster({ dataDir: await folder.inside('kafka') }));
    const mongo = closedInTheEnd(await startFerretDb({ dataDir: await folder.inside('ferretdb') }));
    const eventStore = closedInTheEnd(await startEventStore({ dataDir: await folder.inside('eventstore') }));
    const addresses = { eventStoreUrl: eventStore.url, mongodbUrl: mongo.url, brokers: kafka.brokers };

    return withStarted(async (processes) => {
      const members: Member[] = [];
      for (const service of services)
        for (let count = 0; count < perService; count += 1)
          members.push(processes.add(await Member.start(service, addresses, findings)));
      const of = (service: ServiceName): readonly Member[] =>
        members.filter((member) => member.service === service);
      const gateways = closedInTheEnd(await Door.open(...of('gateway').map(({ baseUrl }) => baseUrl)));
      return withStarted((started) => work({ kafka, mongo, eventStore, gateways, of }, started));
    });
  });
