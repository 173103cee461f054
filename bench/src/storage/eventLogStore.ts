import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import type { ExpectedRevision } from '@roomwire/shared/ports/eventLog';
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
    async fill(history) {
      const revisions = new Map<string, number>();
      for (const { stream, events } of history) {
        const { revision } = await log.append(stream, revisions.get(stream) ?? 'none', events);
        revisions.set(stream, revision);
      }
    },
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
