import type { Collection, Filter, FindOptions } from 'mongodb';
import { auditVersion } from '../../wire/audit/auditKeys.js';
import {
  auditPositionOf,
  type AuditEntry,
  type AuditIndex,
  type AuditRange,
} from '../../ports/auditIndex.js';
import type { LogOrigin, LogPosition } from '../../ports/eventLog.js';
import { CheckpointPoller } from '../view-store/positionWaiters.js';
import { mappedInSlices, workSlices } from '../../runtime/workSlices.js';
import { isDuplicateKey } from '../mongo/errors.js';
import {
  durably,
  openOnMongo,
  readLimits,
  type MongoConnection,
  type MongoOptions,
} from '../mongo/connection.js';
import { makeIndex } from '../mongo/collections.js';

interface StoredEntry {
  /** Its position. */
  readonly _id: string;
  readonly organizationId: string;
  /** Including the key that every entry has. */
  readonly keys: readonly string[];
  /** Time and position, as a text that sorts like them. */
  readonly place: string;
  readonly isUnread?: true;
  /** As JSON, so that the content of an event never becomes structure of the document. */
  readonly entry: string;
}

interface Progress {
  readonly _id: 'follower';
  readonly position: LogPosition;
  /** A follower of an older version moves the position alone; what this says stays true. */
  readonly origin?: LogOrigin;
}

const everyKey = '';
/** An answer ends at this size. */
const maxCharacters = 4 * 1024 * 1024;

/** The audit index in MongoDB: a collection with its indexes, whose name holds the version of what is in them. */
class MongoAuditIndex implements AuditIndex {
  private readonly connection: MongoConnection;
  private readonly entries: Collection<StoredEntry>;
  private readonly progress: Collection<Progress>;
  private readonly poller = new CheckpointPoller(() => this.checkpoint());

  constructor(connection: MongoConnection) {
    this.connection = connection;
    this.entries = connection.database.collection(`audit${auditVersion}_entries`);
    this.progress = connection.database.collection(`audit${auditVersion}_progress`);
  }

  async prepare(): Promise<void> {
    await this.connection.call(() => this.makeIndexes());
  }

  async record(entries: readonly AuditEntry[], position: LogPosition, origin?: LogOrigin): Promise<void> {
    await this.connection.call(async () => {
      if (entries.length > 0) await this.write(await mappedInSlices(entries, stored));
      await this.moveTo(position, origin);
    });
    this.poller.reached(position);
  }

  async find(range: AuditRange): Promise<readonly AuditEntry[]> {
    const direction = range.order === 'oldest first' ? 1 : -1;
    return this.read(filterOf(range), { sort: { place: direction }, limit: range.limit });
  }

  async findUnread(after: LogPosition | undefined, limit: number): Promise<readonly AuditEntry[]> {
    const behind = after === undefined ? {} : { _id: { $gt: after } };
    return this.read({ isUnread: true, ...behind }, { sort: { _id: 1 }, limit });
  }

  async checkpoint(): Promise<LogPosition | undefined> {
    return (await this.readProgress())?.position;
  }

  async origin(): Promise<LogOrigin | undefined> {
    return (await this.readProgress())?.origin;
  }

  async reached(position: LogPosition, withinMs: number): Promise<boolean> {
    const from = performance.now();
    const checkpoint = await this.checkpoint();
    if (checkpoint !== undefined && position <= checkpoint) return true;
    return this.poller.wait(position, withinMs - (performance.now() - from));
  }

  async clear(): Promise<void> {
    await this.connection.call(async () => {
      // The checkpoint first, which says that the index is complete.
      await this.progress.deleteMany({}, durably);
      await this.entries.drop();
      await this.makeIndexes();
    });
  }

  async close(): Promise<void> {
    this.poller.close();
    await this.connection.close();
  }

  /** As many of the entries as an answer holds. */
  private async read(
    filter: Filter<StoredEntry>,
    options: Pick<FindOptions, 'sort' | 'limit'>,
  ): Promise<readonly AuditEntry[]> {
    return this.connection.call(async () => {
      const found: AuditEntry[] = [];
      const slices = workSlices();
      let characters = 0;
      const cursor = this.entries.find(filter, { ...options, batchSize: 100, ...readLimits() });
      for await (const { entry } of cursor) {
        found.push(JSON.parse(entry) as AuditEntry);
        characters += entry.length;
        if (characters >= maxCharacters) break;
        if (slices.isOver()) await slices.next();
      }
      return found;
    });
  }

  private async readProgress(): Promise<Progress | undefined> {
    const found = await this.connection.call(() => this.progress.findOne({ _id: 'follower' }, readLimits()));
    return found ?? undefined;
  }

  private async makeIndexes(): Promise<void> {
    await makeIndex(this.entries, { organizationId: 1, keys: 1, place: 1 });
    await makeIndex(this.entries, { isUnread: 1, _id: 1 });
  }

  private async write(entries: readonly StoredEntry[]): Promise<void> {
    const write = () =>
      this.entries.bulkWrite(
        entries.map(({ _id, ...fields }) =>
          fields.isUnread
            ? { updateOne: { filter: { _id }, update: { $setOnInsert: fields }, upsert: true } }
            : { replaceOne: { filter: { _id }, replacement: fields, upsert: true } },
        ),
        { ordered: false, ...durably },
      );
    // When two followers insert the same entry concurrently, one gets a duplicate key error.
    await write().catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
      return write();
    });
  }

  private async moveTo(position: LogPosition, origin: LogOrigin | undefined): Promise<void> {
    const moved = { $max: { position }, ...(origin !== undefined && { $set: { origin } }) };
    const move = () => this.progress.updateOne({ _id: 'follower' }, moved, { upsert: true, ...durably });
    await move().catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
      return move();
    });
  }
}

const stored = (entry: AuditEntry): StoredEntry => {
  const { time, position } = auditPositionOf(entry.event);
  const { organizationId } = entry.event.metadata;
  const keys = [everyKey, ...entry.keys];
  return {
    _id: position,
    ...(entry.isUnread && { isUnread: true }),
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

/** Connects and creates the index; rejects with `EngineUnavailable` while the server is unavailable. */
export const openMongoAuditIndex = (options: MongoOptions): Promise<AuditIndex> =>
  openOnMongo(options, 'audit index', async (connection) => {
    const store = new MongoAuditIndex(connection);
    await store.prepare();
    return store;
  });
