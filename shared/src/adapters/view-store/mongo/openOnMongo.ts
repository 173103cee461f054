import { MongoClient } from 'mongodb';
import { clientSettings } from './clientSettings.js';

/** Where a store is kept. */
export interface MongoPlace {
  /** `mongodb://…` or `mongodb+srv://…`. */
  readonly url: string;
  /** The URL's own unless told; `roomwire` when it names none. */
  readonly database?: string;
}

const databaseInUrl = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/;

export const databaseOf = ({ url, database }: MongoPlace): string =>
  database ?? databaseInUrl.exec(url)?.[1] ?? 'roomwire';

/** Connects and prepares a store, which closes the client from then on; rejects with `EngineUnavailable` while the server is away. */
export const openOnMongo = async <Store extends { prepare(): Promise<void> }>(
  place: MongoPlace,
  storeOn: (client: MongoClient, database: string) => Store,
): Promise<Store> => {
  const client = new MongoClient(place.url, clientSettings);
  const store = storeOn(client, databaseOf(place));
  try {
    await store.prepare();
    return store;
  } catch (error) {
    await client.close();
    throw error;
  }
};
