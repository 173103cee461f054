import type { Collection } from 'mongodb';
import type { AccessEntry, AccessLog, AccessLogLimits, AccessRange } from '../../ports/accessLog.js';
import type { Clock } from '../../ports/clock.js';
import { minuteOf } from '../../wire/accessPlaces.js';
import { openOnMongo, readLimits, type MongoConnection, type MongoOptions } from '../mongo/connection.js';
import { makeIndex } from '../mongo/collections.js';
import { isDuplicateKey } from '../mongo/errors.js';
import { systemClock } from '../system/systemClock.js';
import { defaultAccessLogLimits } from './defaultLimits.js';

interface AccessDocument {
  readonly _id: string;
  readonly organizationId: string;
  readonly place: string;
  readonly at: number;
  readonly count: number;
  /** As JSON. */
  readonly refusal: string;
}

/** Removals in one request. */
const step = 1_000;
/** Writes at the same time. */
const atOnce = 20;

/** The access log in a collection of MongoDB. */
class MongoAccessLog implements AccessLog {
  readonly limits: AccessLogLimits;
  private readonly connection: MongoConnection;
  private readonly clock: Clock;
  private readonly entries: Collection<AccessDocument>;

  constructor(connection: MongoConnection, limits: AccessLogLimits, clock: Clock) {
    this.connection = connection;
    this.limits = limits;
    this.clock = clock;
    this.entries = connection.database.collection('accessLog');
  }

  async prepare(): Promise<void> {
    await this.connection.call(async () => {
      await makeIndex(this.entries, { organizationId: 1, place: 1 });
      await makeIndex(this.entries, { place: 1 });
    });
  }

  record(entries: readonly AccessEntry[]): Promise<number> {
    return this.connection.call(async () => {
      let evicted = 0;
      const grown = new Set<string>();
      for (let from = 0; from < entries.length; from += atOnce)
        await Promise.all(
          entries.slice(from, from + atOnce).map(async (entry) => {
            if (await this.isNew(entry)) grown.add(entry.organizationId);
          }),
        );
      for (const organizationId of grown) evicted += await this.evict(organizationId);
      return evicted;
    });
  }

  find({ organizationId, after, before, limit }: AccessRange): Promise<readonly AccessEntry[]> {
    const place = {
      ...(after === undefined ? {} : { $gt: after }),
      ...(before === undefined ? {} : { $lt: before }),
    };
    const filter = { organizationId, ...(Object.keys(place).length > 0 && { place }) };
    return this.connection.call(async () => {
      const found = this.entries.find(filter, { sort: { place: -1 }, limit, ...readLimits() });
      return (await found.toArray()).map(entryOf);
    });
  }

  prune(): Promise<number> {
    const oldest = minuteOf(this.clock.now() - this.limits.retentionMs);
    return this.connection.call(async () => {
      for (let removed = 0; ;) {
        const options = { projection: { _id: 1 }, limit: step } as const;
        const found = await this.entries.find({ place: { $lt: oldest } }, options).toArray();
        if (found.length === 0) return removed;
        removed += await this.remove(found);
      }
    });
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  /** Writes the entry. */
  private async isNew({ count, at, ...refusal }: AccessEntry): Promise<boolean> {
    const { organizationId, place } = refusal;
    const added = { $setOnInsert: { organizationId, place, refusal: JSON.stringify(refusal) } };
    const write = () =>
      this.entries.updateOne(
        { _id: `${organizationId} ${place}` },
        { $inc: { count }, $min: { at }, ...added },
        { upsert: true },
      );
    // Of two that insert the same entry at once, one gets a duplicate key error.
    const { upsertedCount } = await write().catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
      return write();
    });
    return upsertedCount > 0;
  }

  private async evict(organizationId: string): Promise<number> {
    let evicted = 0;
    const count = await this.entries.countDocuments({ organizationId });
    for (let excess = count - this.limits.entriesPerOrganization; excess > 0; excess -= step) {
      const options = { projection: { _id: 1 }, sort: { place: 1 }, limit: Math.min(step, excess) } as const;
      evicted += await this.remove(await this.entries.find({ organizationId }, options).toArray());
    }
    return evicted;
  }

  private async remove(found: readonly Pick<AccessDocument, '_id'>[]): Promise<number> {
    const { deletedCount } = await this.entries.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
    return deletedCount;
  }
}

const entryOf = ({ refusal, at, count }: AccessDocument): AccessEntry => ({
  ...(JSON.parse(refusal) as Omit<AccessEntry, 'at' | 'count'>),
  ...{ at, count },
});

/** Connects and creates the indexes; rejects with `EngineUnavailable` while the server is unavailable. */
export const openMongoAccessLog = (
  options: MongoOptions,
  limits: AccessLogLimits = defaultAccessLogLimits,
  clock: Clock = systemClock,
): Promise<AccessLog> =>
  openOnMongo(options, 'access log', async (connection) => {
    const log = new MongoAccessLog(connection, limits, clock);
    await log.prepare();
    return log;
  });
