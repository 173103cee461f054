import { startEventStore } from '@roomwire/testing/engines/eventStore';
import { startFerretDb } from '@roomwire/testing/engines/ferretdb';
import { startKafka } from '@roomwire/testing/engines/kafka';
import { testBrokers, testMongodb } from '@roomwire/testing/run/testProfile';
import { onEngines } from '../server/cluster.js';
import type { Deployments } from '../server/deployment.js';

type Close = () => Promise<void>;

const withClose = (deployments: Deployments, ...closes: readonly Close[]): Deployments => ({
  take: (settings, isOwn) => deployments.take(settings, isOwn),
  async close() {
    await deployments.close();
    await Promise.all(closes.map((close) => close()));
  },
});

/** On the engines of a test run, with an event log of its own. */
export const onEnginesOfTheRun = async (): Promise<Deployments> => {
  const eventStore = await startEventStore();
  const addresses = { mongodbUrl: testMongodb(), kafkaBrokers: testBrokers().join(',') };
  const deployments = await onEngines({ ...addresses, eventStoreUrl: eventStore.url });
  return withClose(deployments, () => eventStore.close());
};

/** On engines that are started for it. */
export const onNewEngines = async (): Promise<Deployments> => {
  const [kafka, mongodb, eventStore] = await Promise.all([startKafka(), startFerretDb(), startEventStore()]);
  const deployments = await onEngines({
    ...{ mongodbUrl: mongodb.url, kafkaBrokers: kafka.brokers, eventStoreUrl: eventStore.url },
  });
  return withClose(
    deployments,
    () => kafka.close(),
    () => mongodb.close(),
    () => eventStore.close(),
  );
};
