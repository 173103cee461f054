import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openEventStoreDbLog } from '@roomwire/shared/adapters/event-log/eventstoredb/eventStoreDbLog';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import { openEmbeddedMessageBus } from '@roomwire/shared/adapters/message-bus/embeddedMessageBus';
import { openKafkaMessageBus } from '@roomwire/shared/adapters/message-bus/kafka/kafkaMessageBus';
import { openEmbeddedViewStores } from '@roomwire/shared/adapters/view-store/embeddedViewStore';
import { openMongoViewStores } from '@roomwire/shared/adapters/view-store/mongo/mongoViewStore';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { ViewStore, ViewStores } from '@roomwire/shared/ports/viewStore';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { noPayloads } from '@roomwire/testing/fakes/noPayloads';
import { createProjections } from '@roomwire/projections/projections';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { EngineAddresses } from '../engines/onEngines.js';
import type { Measurement } from '../measure/comparison.js';
import { startOwnCpuMeter } from '../measure/usage.js';

/** Where log and read models are. */
export type Profile =
  | { readonly on: 'files'; readonly folder: string }
  | { readonly on: 'engines'; readonly engines: EngineAddresses };

export type RebuildJob =
  | { readonly kind: 'fill'; readonly profile: Profile; readonly events: number; readonly apps: number }
  | { readonly kind: 'rebuild'; readonly profile: Profile; readonly events: number };

/** Empty where there is nothing to tell. */
export type RebuildResult = Measurement;

/** What projections work with. */
interface Ports {
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
    stores: await openEmbeddedViewStores(folder, { logger }),
    bus: await openEmbeddedMessageBus(folder, { logger }),
  };
  return withClose(ports, () => folder.close());
};

const openEngines = async ({ eventStoreUrl, mongodbUrl, brokers }: EngineAddresses): Promise<Ports> => {
  const ports = {
    log: await openEventStoreDbLog({ url: eventStoreUrl }),
    stores: await openMongoViewStores({ url: mongodbUrl }),
    bus: await openKafkaMessageBus({ brokers: [brokers], clientId: 'load', logger }),
  };
  return withClose(ports, async () => undefined);
};

const withClose = (
  { log, stores, bus }: { readonly log: EventLog; readonly stores: ViewStores; readonly bus: MessageBus },
  after: () => Promise<void>,
): Ports => ({
  ...{ log, views: stores.views, bus, logger },
  async close() {
    await Promise.all([bus.close(), stores.close(), log.close()]);
    await after();
  },
});

/** From empty read models until they hold all that is in the log. */
export const measureRebuild = async (ports: Ports, events: number): Promise<Measurement> => {
  const { views } = ports;
  await views.clear();
  const meter = startOwnCpuMeter();
  const projections = createProjections({ ...ports, payloads: noPayloads, clock: systemClock });
  await projections.start();
  await projections.caughtUp;
  const { elapsed, cpu } = meter();
  await projections.close();
  await checkRebuilt(ports);
  return { eventsPerSecond: events / elapsed, seconds: elapsed * 1000, cpuPerEvent: (cpu * 1e6) / events };
};

/** Counting all rooms takes longer on some engines than building them: the last one has to do. */
const checkRebuilt = async ({ log, views }: Ports): Promise<void> => {
  const [checkpoint, head] = [await views.checkpoint(), await log.head()];
  if (checkpoint !== head) throw new Error('The read models are not up to date after the rebuild');
  let last: RecordedEvent | undefined;
  for await (const events of log.readAll()) last = events.at(-1) ?? last;
  const { roomId = '' } = (last?.data ?? {}) as { roomId?: string };
  if ((await views.get('rooms', roomId)) === undefined) throw new Error('The last room is not there');
};
