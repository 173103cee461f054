import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openDataFolder, type DataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import { openEmbeddedMessageBus } from '@roomwire/shared/adapters/message-bus/embeddedMessageBus';
import { openEmbeddedViewStore } from '@roomwire/shared/adapters/view-store/embeddedViewStore';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import type { ClosingStack } from './closingStack.js';

export interface Adapters {
  readonly folder: DataFolder;
  readonly log: EventLog;
  readonly views: ViewStore;
  readonly bus: MessageBus;
}

/** Picks the engine behind each port: the one place that knows which it is. */
export const openAdapters = async (
  dataDir: string,
  logger: Logger,
  closing: ClosingStack,
): Promise<Adapters> => {
  const folder = await openDataFolder(dataDir);
  closing.push(() => folder.close());
  const log = await openEmbeddedEventLog(folder);
  closing.push(() => log.close());
  const views = await openEmbeddedViewStore(folder, { logger });
  closing.push(() => views.close());
  const bus = await openEmbeddedMessageBus(folder, { logger });
  closing.push(() => bus.close());
  return { folder, log, views, bus };
};
