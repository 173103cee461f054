import { join } from 'node:path';
import { open } from 'lmdb';
import type { NewEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { Store } from './store.js';

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
