import { openMongoViewStores } from '../../../src/adapters/view-store/mongo/mongoViewStore.js';
import type { ViewStore, ViewStores } from '../../../src/ports/viewStore.js';
import { linkTo, type Link } from './mongoLink.js';
import { testDatabase, type TestDatabase } from './mongoTestDatabase.js';

/** A database of its own, a link to it that can be interrupted, and any number of stores on it. */
export interface MongoStores {
  readonly database: TestDatabase;
  readonly link: Link;
  /** On the database itself, unless it is the URL of the link. */
  readonly open: (url?: string) => Promise<ViewStore>;
  close(): Promise<void>;
}

export const mongoStores = async (): Promise<MongoStores> => {
  const database = testDatabase();
  const link = await linkTo(database.url);
  const stores: ViewStores[] = [];
  return {
    database,
    link,
    async open(url = database.url) {
      const opened = await openMongoViewStores({ url, database: database.name });
      stores.push(opened);
      await opened.views.admitReaders(undefined);
      return opened.views;
    },
    async close() {
      await Promise.all(stores.map((store) => store.close()));
      await link.close();
      await database.drop();
    },
  };
};
