import { join } from 'node:path';
import type { NewEvent } from '@roomwire/shared/domain/eventEnvelope';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import type { ExpectedRevision } from '@roomwire/shared/ports/eventLog';
import { open } from 'lmdb';
import { fillLog, type StreamEvents } from './history.js';

/** What is asked of an event log and of the bare store beside it. */
export interface Store {
  /** One event after another in a stream of its own; each is on disk when its promise resolves. */
  writer(index: number): (event: NewEvent) => Promise<void>;
  fill(history: Iterable<StreamEvents>): Promise<void>;
  /** Reads and decodes everything, in order; resolves with the number of events. */
  readAll(): Promise<number>;
  close(): Promise<void>;
}

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

/** LMDB with nothing around it: the same JSON under increasing numbers. No streams, no revisions, no subscribers. */
export const openLmdbStore = async (path: string): Promise<Store> => {
  const database = open<string, number>(join(path, 'bare.lmdb'), { noSubdir: true, encoding: 'string' });
  let last = 0;
  const put = (stream: string, event: NewEvent): Promise<boolean> => {
    last += 1;
    return database.put(last, JSON.stringify({ stream, ...event }));
  };
  return {
    writer: (index) => async (event) => {
      await put(`load-${index}`, event);
      await database.flushed;
    },
    async fill(history) {
      for (const { stream, events } of history) await Promise.all(events.map((event) => put(stream, event)));
      await database.flushed;
    },
    async readAll() {
      let events = 0;
      for (const { value } of database.getRange()) {
        if ((JSON.parse(value) as NewEvent).id !== '') events += 1;
      }
      return events;
    },
    close: () => database.close(),
  };
};
