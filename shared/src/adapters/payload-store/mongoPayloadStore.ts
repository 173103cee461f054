import { Binary, type Collection, type Filter } from 'mongodb';
import type { Clock } from '../../ports/clock.js';
import type { LogOrigin, LogPosition } from '../../ports/eventLog.js';
import type { NewPayload, PayloadLimits, PayloadStore, Pruned } from '../../ports/payloadStore.js';
import {
  durably,
  openOnMongo,
  readLimits,
  type MongoConnection,
  type MongoOptions,
} from '../mongo/connection.js';
import { makeIndex, removeInSteps, retryingDuplicates } from '../mongo/collections.js';
import { isDuplicateKey } from '../mongo/errors.js';
import { FollowProgress } from '../mongo/followProgress.js';
import { systemClock } from '../system/systemClock.js';

interface PayloadDocument {
  readonly _id: string;
  readonly projectId: string;
  readonly owners: readonly string[];
  readonly bytes: number;
  readonly storedAt: number;
  readonly content: Binary;
}

type Found = Pick<PayloadDocument, '_id' | 'projectId' | 'bytes'>;

interface SizeDocument {
  readonly _id: string;
  readonly bytes: number;
}

/** Evictions in one request, owners in one query. */
const step = 500;
/** A project at its quota is brought this far below, so that not every further payload needs the room of one. */
const evictedTo = 0.95;

/**
 * Payloads in a collection of MongoDB. The size of a project is a counter, which may be off where a process was killed
 * between two requests: it is counted again, on an index alone, before anything is evicted. Expired documents are removed by
 * `prune` and not by the server, because the counter would not know of it.
 */
class MongoPayloadStore implements PayloadStore {
  readonly limits: PayloadLimits;
  private readonly connection: MongoConnection;
  private readonly clock: Clock;
  private readonly payloads: Collection<PayloadDocument>;
  private readonly sizes: Collection<SizeDocument>;
  private readonly progress: FollowProgress;
  /** By project: one at a time, which finds what the one before has left. */
  private readonly evicting = new Map<string, Promise<number>>();

  constructor(connection: MongoConnection, limits: PayloadLimits, clock: Clock) {
    this.connection = connection;
    this.limits = limits;
    this.clock = clock;
    this.payloads = connection.database.collection('payloads');
    this.sizes = connection.database.collection('payloadSizes');
    this.progress = new FollowProgress(connection, 'payloadProgress');
  }

  async prepare(): Promise<void> {
    await this.connection.call(async () => {
      await makeIndex(this.payloads, { projectId: 1, storedAt: 1, bytes: 1 });
      await makeIndex(this.payloads, { storedAt: 1 });
      await makeIndex(this.payloads, { owners: 1 });
    });
  }

  async put(payload: NewPayload): Promise<number> {
    const { id: _id, projectId, owners, content } = payload;
    const bytes = content.length;
    if (bytes > this.limits.quotaBytes) return 1;
    return this.connection.call(async () => {
      const document: PayloadDocument = {
        ...{ _id, projectId, bytes, storedAt: this.clock.now(), content: new Binary(content) },
        owners: [...new Set([...owners, projectId, _id])],
      };
      const size = (await this.insert(document))
        ? await this.resize(projectId, bytes)
        : // The put before this one may have failed before the payload was counted.
          await this.recount(projectId);
      return size > this.limits.quotaBytes ? this.evict(projectId, bytes) : 0;
    });
  }

  async get(id: string): Promise<Uint8Array | undefined> {
    const filter = { _id: id, storedAt: { $gt: this.oldest } };
    const found = await this.connection.call(() => this.payloads.findOne(filter, readLimits()));
    return found?.content.value();
  }

  removeOf(owners: readonly string[]): Promise<number> {
    return this.connection.call(async () => {
      let removed = 0;
      for (let from = 0; from < owners.length; from += step)
        removed += await this.removeAll({ owners: { $in: owners.slice(from, from + step) } });
      return removed;
    });
  }

  prune(): Promise<Pruned> {
    return this.connection.call(async () => {
      const expired = await this.removeAll({ storedAt: { $lte: this.oldest } });
      let evicted = 0;
      for (const { _id } of await this.sizes.find({ bytes: { $gt: this.limits.quotaBytes } }).toArray())
        evicted += await this.evict(_id, 0);
      return { expired, evicted };
    });
  }

  checkpoint(): Promise<LogPosition | undefined> {
    return this.progress.checkpoint();
  }

  origin(): Promise<LogOrigin | undefined> {
    return this.progress.origin();
  }

  moveCheckpoint(position: LogPosition | undefined, origin?: LogOrigin): Promise<void> {
    return this.progress.move(position, origin);
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  private get oldest(): number {
    return this.clock.now() - this.limits.retentionMs;
  }

  /** Resolves with whether it was not there yet. */
  private async insert(document: PayloadDocument): Promise<boolean> {
    try {
      await this.payloads.insertOne(document, durably);
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** `newest` is what must fit: the bytes of the payload for which room is made. */
  private evict(projectId: string, newest: number): Promise<number> {
    const before = this.evicting.get(projectId) ?? Promise.resolve(0);
    const evicted = before.catch(() => 0).then(() => this.evictOldest(projectId, newest));
    const settled = evicted.finally(() => {
      if (this.evicting.get(projectId) === settled) this.evicting.delete(projectId);
    });
    this.evicting.set(projectId, settled);
    return settled;
  }

  private async evictOldest(projectId: string, newest: number): Promise<number> {
    let evicted = 0;
    let size = await this.recount(projectId);
    if (size <= this.limits.quotaBytes) return evicted;
    const wanted = Math.max(this.limits.quotaBytes * evictedTo, newest);
    while (size > wanted) {
      const leaving: Found[] = [];
      for (const each of await this.find({ projectId }, step, { storedAt: 1, _id: 1 })) {
        if (size <= wanted) break;
        leaving.push(each);
        size -= each.bytes;
      }
      if (leaving.length === 0) break;
      evicted += await this.discard(leaving);
    }
    return evicted;
  }

  private removeAll(filter: Filter<PayloadDocument>): Promise<number> {
    return removeInSteps(
      (limit) => this.find(filter, limit),
      (found) => this.discard(found),
    );
  }

  private find(
    filter: Filter<PayloadDocument>,
    limit: number,
    sort: Readonly<Record<string, 1>> = {},
  ): Promise<Found[]> {
    const options = { projection: { projectId: 1, bytes: 1 }, limit };
    return this.payloads.find(filter, options).sort(sort).toArray();
  }

  private async discard(found: readonly Found[]): Promise<number> {
    const { deletedCount } = await this.payloads.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
    const freed = new Map<string, number>();
    for (const { projectId, bytes } of found) freed.set(projectId, (freed.get(projectId) ?? 0) + bytes);
    for (const [projectId, bytes] of freed)
      // Where another process has removed some of them, it has taken them off as well.
      if (deletedCount === found.length) await this.resize(projectId, -bytes);
      else await this.recount(projectId);
    return deletedCount;
  }

  /** Resolves with the new size. */
  private async resize(projectId: string, bytes: number): Promise<number> {
    const options = { upsert: true, returnDocument: 'after' } as const;
    const change = { $inc: { bytes } };
    const found = await retryingDuplicates(() =>
      this.sizes.findOneAndUpdate({ _id: projectId }, change, options),
    );
    return found?.bytes ?? 0;
  }

  private async recount(projectId: string): Promise<number> {
    const sum = { $group: { _id: null, bytes: { $sum: '$bytes' } } };
    const [counted] = await this.payloads
      .aggregate<{ readonly bytes: number }>([{ $match: { projectId } }, sum])
      .toArray();
    const bytes = counted?.bytes ?? 0;
    await retryingDuplicates(() =>
      this.sizes.updateOne({ _id: projectId }, { $set: { bytes } }, { upsert: true }),
    );
    return bytes;
  }
}

/** Connects and makes the indexes; rejects with `EngineUnavailable` while the server is away. */
export const openMongoPayloadStore = (
  options: MongoOptions,
  limits: PayloadLimits,
  clock: Clock = systemClock,
): Promise<PayloadStore> =>
  openOnMongo(options, 'payloads', async (connection) => {
    const store = new MongoPayloadStore(connection, limits, clock);
    await store.prepare();
    return store;
  });
