import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { openEmbeddedMessageBus } from '@roomwire/shared/adapters/message-bus/embeddedMessageBus';
import { openEmbeddedViewStores } from '@roomwire/shared/adapters/view-store/embeddedViewStore';
import { otherTopics } from '@roomwire/shared/wire/bus/busTopics';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { isOnEngines, testBrokers, testMongodbUrl } from '@roomwire/testing/run/testProfile';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';

/** What the consumers of one test stand on. */
export interface Engines {
  readonly views: ViewStore;
  /** The same bus again when the one before is closed. */
  openBus(): Promise<MessageBus>;
  close(): Promise<void>;
}

export const openEngines = (): Promise<Engines> => (isOnEngines() ? onServers() : onFiles());

const onFiles = async (): Promise<Engines> => {
  const folder = await temporaryFolder();
  const files = { file: (name: string) => join(folder.path, name) };
  const stores = await openEmbeddedViewStores(files);
  await stores.views.admitReaders(undefined);
  return {
    views: stores.views,
    openBus: () => openEmbeddedMessageBus(files),
    async close() {
      await stores.close();
      await folder.remove();
    },
  };
};

/** With topics, groups and a database of its own. The client libraries take a second to load. */
const onServers = async (): Promise<Engines> => {
  const [{ openKafkaMessageBus }, { openMongoViewStores }] = await Promise.all([
    import('@roomwire/shared/adapters/message-bus/kafka/kafkaMessageBus'),
    import('@roomwire/shared/adapters/view-store/mongo/mongoViewStore'),
  ]);
  const own = `webhooks-${randomUUID().slice(0, 8)}`;
  const stores = await openMongoViewStores({ url: testMongodbUrl(own) });
  await stores.views.admitReaders(undefined);
  return {
    views: stores.views,
    openBus: () =>
      openKafkaMessageBus({
        brokers: testBrokers(),
        ...{ clientId: 'roomwire-test', topicPrefix: `${own}.` },
        ...{ topics: [], otherTopics: { ...otherTopics, partitions: 2 } },
      }),
    close: () => stores.close(),
  };
};
