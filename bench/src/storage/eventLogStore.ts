import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import type { ExpectedRevision } from '@roomwire/shared/ports/eventLog';
import { fillLog } from './fillLog.js';
import type { Store } from './store.js';

/** Roomwire's embedded event log. */
export const openEventLogStore = async (path: string): Promise<Store> => {
  const folder = await openDataFolder(path);
  const log = await openEmbeddedEventLog(folder);
  let writers = 0;
  return {
    writer() {
      writers += 1;
      const stream = `load-${writers}`;
      let expected: ExpectedRevision = 'none';
      return async (event) => {
        expected = (await log.append(stream, expected, [event])).revision;
      };
    },
    fill: (history) => fillLog(log, history),
    async readAll() {
      let events = 0;
      for await (const batch of log.readAll()) events += batch.length;
      return events;
    },
    async close() {
      await log.close();
      await folder.close();
    },
  };
};
