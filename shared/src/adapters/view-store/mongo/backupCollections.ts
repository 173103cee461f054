import { BSON, type Document } from 'mongodb';
import { upsertAll } from '../../mongo/collections.js';
import { withMongo, type MongoAddress } from '../../mongo/connection.js';

/** Collections that cannot be rebuilt from the event log. */
const backedUp = [
  ...['last_uses', 'usage', 'publish_ids', 'sessions', 'workerGroups', 'schedules'],
  ...['payloads', 'payloadSizes', 'accessLog'],
  // In this order: whatever one of them says is there is in those behind it.
  ...['historyPartitions', 'historyTopics', 'historyBuckets'],
  ...['roomEventsSettled', 'roomEvents'],
  // What was added before the groups were read, and waits when the buckets are, has its message in the chunks.
  ...['jobGroups', 'jobIds', 'jobChunks', 'jobBuckets'],
] as const;

const linesAtOnce = 500;
/** A payload may be larger than a megabyte. */
const charactersAtOnce = 8_000_000;

/** Reads every document of these collections, each as a line of extended JSON; resolves with their number. */
export const readBackupDocuments = (
  address: MongoAddress,
  onLines: (lines: readonly string[]) => Promise<void>,
): Promise<number> =>
  withMongo(address, async (database) => {
    let count = 0;
    for (const collection of backedUp) {
      let lines: string[] = [];
      let characters = 0;
      for await (const document of database.collection(collection).find()) {
        const line = BSON.EJSON.stringify({ collection, document }, { relaxed: false });
        lines.push(line);
        characters += line.length;
        count += 1;
        if (lines.length < linesAtOnce && characters < charactersAtOnce) continue;
        await onLines(lines);
        [lines, characters] = [[], 0];
      }
      await onLines(lines);
    }
    return count;
  });

/** Writes documents back, replacing those with the same identifiers; resolves with their number. */
export const writeBackupDocuments = (address: MongoAddress, lines: AsyncIterable<string>): Promise<number> =>
  withMongo(address, async (database) => {
    // Payloads, messages, jobs, schedules and events that come back although they were removed since go again when the log is followed from its beginning.
    for (const progress of [
      'payloadProgress',
      'historyProgress',
      'jobProgress',
      'scheduleProgress',
      'roomEventsProgress',
      'connectionProgress',
    ])
      await database.collection(progress).deleteMany({});
    let [count, characters] = [0, 0];
    const pending = new Map<string, Document[]>();
    const flush = async (): Promise<void> => {
      for (const [collection, documents] of pending)
        await upsertAll(
          database.collection(collection),
          documents.map((document) => ({
            replaceOne: {
              filter: { _id: document['_id'] as BSON.ObjectId },
              replacement: asPutBack(collection, document),
              upsert: true,
            },
          })),
        );
      pending.clear();
      characters = 0;
    };
    for await (const line of lines) {
      const { collection, document } = BSON.EJSON.parse(line, { relaxed: false }) as {
        readonly collection: string;
        readonly document: Document;
      };
      if (!backedUp.some((name) => name === collection))
        throw new TypeError(`${collection} is no collection of a backup`);
      pending.set(collection, [...(pending.get(collection) ?? []), document]);
      count += 1;
      characters += line.length;
      if (count % linesAtOnce === 0 || characters >= charactersAtOnce) await flush();
    }
    await flush();
    return count;
  });

/** The owners of jobs begin anew; their collections were read one after the other, and do not agree. */
const asPutBack = (collection: string, document: Document): Document => {
  if (collection === 'jobGroups') return { ...document, term: 0, isRestored: true };
  return collection === 'jobBuckets' || collection === 'jobChunks' ? { ...document, term: 0 } : document;
};
