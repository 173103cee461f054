import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openEventStoreDbLog } from '@roomwire/shared/adapters/event-log/eventstoredb/eventStoreDbLog';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import { openEmbeddedMessageBus } from '@roomwire/shared/adapters/message-bus/embeddedMessageBus';
import { openKafkaMessageBus } from '@roomwire/shared/adapters/message-bus/kafka/kafkaMessageBus';
import { openEmbeddedViewStore } from '@roomwire/shared/adapters/view-store/embeddedViewStore';
import { openMongoViewStore } from '@roomwire/shared/adapters/view-store/mongo/mongoViewStore';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import type { EngineAddresses } from '../engines/onEngines.js';
import type { Profile } from './jobs.js';

/** What projections work with. */
export interface Ports {
  readonly log: EventLog;
  readonly views: ViewStore;
  readonly bus: MessageBus;
  readonly logger: Logger;
  close(): Promise<void>;
}

const complain = (message: string, fields: unknown): void => console.error(message, fields);
const logger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: complain,
  error: complain,
};

export const openProfile = (profile: Profile): Promise<Ports> =>
  profile.on === 'files' ? openFiles(profile.folder) : openEngines(profile.engines);

const openFiles = async (path: string): Promise<Ports> => {
  const folder = await openDataFolder(path);
  const ports = {
    log: await openEmbeddedEventLog(folder),
    views: await openEmbeddedViewStore(folder, { logger }),
    bus: await openEmbeddedMessageBus(folder, { logger }),
  };
  return withClose(ports, () => folder.close());
};

const openEngines = async ({ eventStoreUrl, mongodbUrl, brokers }: EngineAddresses): Promise<Ports> => {
  const ports = {
    log: await openEventStoreDbLog({ url: eventStoreUrl, logger }),
    views: await openMongoViewStore({ url: mongodbUrl, logger }),
    bus: await openKafkaMessageBus({ brokers: [brokers], clientId: 'load', logger }),
  };
  return withClose(ports, async () => undefined);
};

const withClose = (ports: Omit<Ports, 'close' | 'logger'>, after: () => Promise<void>): Ports => ({
  ...ports,
  logger,
  async close() {
    await Promise.all([ports.bus.close(), ports.views.close(), ports.log.close()]);
    await after();
  },
});
