import { BSON, MongoClient, type Document } from 'mongodb';
import { upsertAll } from './bulkAccess.js';
import { clientSettings } from './clientSettings.js';
import { databaseOf, type MongoPlace } from './openOnMongo.js';

/** What no event log could bring back; all the rest in the database is made from it. */
const kept = ['last_uses', 'usage', 'sessions', 'workerGroups'] as const;

const atOnce = 500;

const within = async <T>(
  place: MongoPlace,
  use: (client: MongoClient, database: string) => Promise<T>,
): Promise<T> => {
  const client = new MongoClient(place.url, clientSettings);
  try {
    return await use(client, databaseOf(place));
  } finally {
    await client.close();
  }
};

/** Hands over every document that is to be kept, as a line of text, and resolves with how many there were. */
export const readKept = (
  place: MongoPlace,
  onLines: (lines: readonly string[]) => Promise<void>,
): Promise<number> =>
  within(place, async (client, database) => {
    let count = 0;
    for (const collection of kept) {
      let lines: string[] = [];
      for await (const document of client.db(database).collection(collection).find()) {
        lines.push(BSON.EJSON.stringify({ collection, document }, { relaxed: false }));
        count += 1;
        if (lines.length < atOnce) continue;
        await onLines(lines);
        lines = [];
      }
      await onLines(lines);
    }
    return count;
  });

/** Puts documents back, in the place of those with the same identifiers. */
export const writeKept = (place: MongoPlace, lines: AsyncIterable<string>): Promise<number> =>
  within(place, async (client, database) => {
    let count = 0;
    const pending = new Map<string, Document[]>();
    const flush = async (): Promise<void> => {
      for (const [collection, documents] of pending)
        await upsertAll(
          client.db(database).collection(collection),
          documents.map((document) => ({
            replaceOne: {
              filter: { _id: document['_id'] as BSON.ObjectId },
              replacement: document,
              upsert: true,
            },
          })),
        );
      pending.clear();
    };
    for await (const line of lines) {
      const { collection, document } = BSON.EJSON.parse(line, { relaxed: false }) as {
        readonly collection: string;
        readonly document: Document;
      };
      if (!kept.some((name) => name === collection))
        throw new TypeError(`${collection} is no collection that is kept`);
      pending.set(collection, [...(pending.get(collection) ?? []), document]);
      count += 1;
      if (count % atOnce === 0) await flush();
    }
    await flush();
    return count;
  });
