import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';

/** An event log on files, which `close` removes. */
export const openTemporaryLog = async (): Promise<{ readonly log: EventLog; close(): Promise<void> }> => {
  const folder = await temporaryFolder();
  const data = await openDataFolder(folder.path);
  const log = await openEmbeddedEventLog(data);
  return {
    log,
    async close() {
      await log.close();
      await data.close();
      await folder.remove();
    },
  };
};
