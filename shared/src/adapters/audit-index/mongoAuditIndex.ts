import type { Collection, Filter, MongoClient } from 'mongodb';
import { auditVersion } from '../../wire/audit/auditKeys.js';
import { placeOf, type AuditEntry, type AuditIndex, type AuditRange } from '../../ports/auditIndex.js';
import { EngineUnavailable } from '../../ports/errors.js';
import type { LogPosition } from '../../ports/eventLog.js';
import type { Logger } from '../../ports/logger.js';
import { once } from '../../runtime/service.js';
import { CheckpointWatch } from '../view-store/mongo/checkpointWatch.js';
import { readLimits } from '../view-store/mongo/clientSettings.js';
import { EngineCalls } from '../view-store/mongo/engineCalls.js';
import { isDuplicateKey } from '../view-store/mongo/engineErrors.js';
import { openOnMongo, type MongoPlace } from '../view-store/mongo/openOnMongo.js';

export interface MongoAuditIndexOptions extends MongoPlace {
  readonly logger?: Logger;
}

interface StoredEntry {
  /** Its position. */
  readonly _id: string;
  readonly organizationId: string;
  /** With the one that every entry has. */
  readonly keys: readonly string[];
  /** Its place, as a text that sorts like it. */
  readonly place: string;
  /** As JSON, so that nothing of an event is ever a part of the document's structure. */
  readonly entry: string;
}

interface Progress {
  readonly _id: 'follower';
  readonly position: LogPosition;
}

const everyKey = '';
/** An answer that has so much in it ends there. */
const enoughCharacters = 4 * 1024 * 1024;
const durably = { writeConcern: { w: 'majority', journal: true } } as const;

/** The audit index in MongoDB: one collection and one index, whose names hold the version of what is in them. */
class MongoAuditIndex implements AuditIndex {
  readonly #client: MongoClient;
  readonly #entries: Collection<StoredEntry>;
  readonly #progress: Collection<Progress>;
  readonly #calls: EngineCalls;
  readonly #watch = new CheckpointWatch(() => this.checkpoint());
  #isOpen = true;

  constructor(client: MongoClient, { database, logger }: MongoAuditIndexOptions) {
    this.#client = client;
    this.#entries = client.db(database).collection(`audit${auditVersion}_entries`);
    this.#progress = client.db(database).collection(`audit${auditVersion}_progress`);
    this.#calls = new EngineCalls(logger);
  }

  async prepare(): Promise<void> {
    await this.#call(async () => {
      await this.#client.connect();
      await this.#makeIndex();
    });
  }

  async record(entries: readonly AuditEntry[], position: LogPosition): Promise<void> {
    await this.#call(async () => {
      if (entries.length > 0) await this.#write(entries.map(stored));
      await this.#moveTo(position);
    });
    this.#watch.reached(position);
  }

  async find(range: AuditRange): Promise<readonly AuditEntry[]> {
    return this.#call(async () => {
      const direction = range.order === 'oldest first' ? 1 : -1;
      const found: AuditEntry[] = [];
      let characters = 0;
      const cursor = this.#entries.find(filterOf(range), {
        ...{ sort: { place: direction }, limit: range.limit, batchSize: 100 },
        ...readLimits(),
      });
      for await (const { entry } of cursor) {
        found.push(JSON.parse(entry) as AuditEntry);
        characters += entry.length;
        if (characters >= enoughCharacters) break;
      }
      return found;
    });
  }

  async checkpoint(): Promise<LogPosition | undefined> {
    const progress = await this.#call(() => this.#progress.findOne({ _id: 'follower' }, readLimits()));
    return progress?.position;
  }

  async reached(position: LogPosition, withinMs: number): Promise<boolean> {
    const from = performance.now();
    const checkpoint = await this.checkpoint();
    if (checkpoint !== undefined && position <= checkpoint) return true;
    return this.#watch.wait(position, withinMs - (performance.now() - from));
  }

  async clear(): Promise<void> {
    await this.#call(async () => {
      // First what says that it is complete.
      await this.#progress.deleteMany({}, durably);
      await this.#entries.drop();
      await this.#makeIndex();
    });
  }

  readonly close = once(async () => {
    this.#isOpen = false;
    this.#watch.close();
    await this.#client.close();
  });

  async #makeIndex(): Promise<void> {
    await this.#entries.createIndex({ organizationId: 1, keys: 1, place: 1 });
  }

  async #write(entries: readonly StoredEntry[]): Promise<void> {
    const write = () =>
      this.#entries.bulkWrite(
        entries.map(({ _id, ...fields }) => ({
          replaceOne: { filter: { _id }, replacement: fields, upsert: true },
        })),
        { ordered: false, ...durably },
      );
    // Of two followers that write an entry at the same time, one finds that it is there.
    await write().catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
      return write();
    });
  }

  async #moveTo(position: LogPosition): Promise<void> {
    const move = () =>
      this.#progress.updateOne({ _id: 'follower' }, { $max: { position } }, { upsert: true, ...durably });
    await move().catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
      return move();
    });
  }

  #call<T>(action: () => Promise<T>): Promise<T> {
    if (!this.#isOpen) return Promise.reject(new EngineUnavailable('audit index'));
    return this.#calls.run(action);
  }
}

const stored = (entry: AuditEntry): StoredEntry => {
  const { time, position } = placeOf(entry.event);
  const { organizationId } = entry.event.metadata;
  const keys = [everyKey, ...entry.keys];
  return {
    _id: position,
    ...{ organizationId, keys, place: placeText(time, position), entry: JSON.stringify(entry) },
  };
};

const placeText = (time: number, position = ''): string => `${String(time).padStart(16, '0')} ${position}`;

const filterOf = ({ organizationId, key, from, to, after, order }: AuditRange): Filter<StoredEntry> => {
  const place = {
    ...(from === undefined ? {} : { $gte: placeText(from) }),
    ...(to === undefined ? {} : { $lt: placeText(to + 1) }),
  };
  const beyond = after && {
    [order === 'oldest first' ? '$gt' : '$lt']: placeText(after.time, after.position),
  };
  const conditions = [place, beyond ?? {}].filter((each) => Object.keys(each).length > 0);
  return {
    ...{ organizationId, keys: key ?? everyKey },
    ...(conditions.length > 0 && { $and: conditions.map((each) => ({ place: each })) }),
  };
};

/** Connects and makes the index; rejects with `EngineUnavailable` while the server is away. */
export const openMongoAuditIndex = (options: MongoAuditIndexOptions): Promise<AuditIndex> =>
  openOnMongo(options, (client, database) => new MongoAuditIndex(client, { ...options, database }));
