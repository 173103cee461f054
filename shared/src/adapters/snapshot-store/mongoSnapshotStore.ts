import { randomUUID } from 'node:crypto';
import type { Collection, Filter } from 'mongodb';
import type { Clock } from '../../ports/clock.js';
import type { Snapshot, SnapshotHead, SnapshotLimits, SnapshotStore } from '../../ports/snapshotStore.js';
import { makeIndex } from '../mongo/collections.js';
import { openOnMongo, readLimits, type MongoConnection, type MongoOptions } from '../mongo/connection.js';
import { isDuplicateKey } from '../mongo/errors.js';
import { systemClock } from '../system/systemClock.js';
import { beyondLimits, defaultSnapshotLimits } from './snapshotLimits.js';
import { checkedParts, noParts, withPart, type PartsSum } from './snapshotParts.js';

interface EntryDocument extends SnapshotHead, PartsSum {
  /** The stream. */
  readonly _id: string;
  /** Under which its parts are. */
  readonly copy: string;
  /** When its writing began. */
  readonly writtenAt: number;
}

interface PartDocument {
  /** The copy and the number of the part. */
  readonly _id: string;
  readonly stream: string;
  readonly copy: string;
  readonly writtenAt: number;
  readonly text: string;
}

const partId = (copy: string, number: number): string => `${copy} ${number}`;

/**
 * Snapshots in two collections of MongoDB. The parts of a new one are beside those of the one before, until they are complete. They are read
 * one by one, so that none takes longer than a read may.
 */
class MongoSnapshotStore implements SnapshotStore {
  private readonly connection: MongoConnection;
  private readonly limits: SnapshotLimits;
  private readonly clock: Clock;
  private readonly entries: Collection<EntryDocument>;
  private readonly parts: Collection<PartDocument>;

  constructor(connection: MongoConnection, limits: SnapshotLimits, clock: Clock) {
    this.connection = connection;
    this.limits = limits;
    this.clock = clock;
    this.entries = connection.database.collection('streamSnapshots');
    this.parts = connection.database.collection('streamSnapshotParts');
  }

  async prepare(): Promise<void> {
    await this.connection.call(async () => {
      await makeIndex(this.parts, { stream: 1, writtenAt: 1 });
      await makeIndex(this.parts, { writtenAt: 1 });
    });
  }

  async find(stream: string): Promise<Snapshot | undefined> {
    const filter = { _id: stream, writtenAt: { $gt: this.oldest } };
    const entry = await this.connection.call(() => this.entries.findOne(filter, readLimits()));
    if (!entry) return undefined;
    const { version, revision, event } = entry;
    return { version, revision, event, parts: checkedParts(stream, entry, this.partsOf(entry)) };
  }

  async write(stream: string, head: SnapshotHead, parts: AsyncIterable<string>): Promise<void> {
    const [copy, writtenAt] = [randomUUID(), this.clock.now()];
    let sum = noParts;
    try {
      for await (const text of parts) {
        const part: PartDocument = { _id: partId(copy, sum.count), stream, copy, writtenAt, text };
        await this.connection.call(() => this.parts.insertOne(part));
        sum = withPart(sum, text);
      }
      const { version, revision, event } = head;
      const entry = { _id: stream, version, revision, event, copy, writtenAt, ...sum };
      await this.connection.call(() => this.replace(entry));
    } catch (error) {
      // What stays, because the server is away, goes when it is too old, or with the next one.
      await this.removeParts({ copy }).catch(() => undefined);
      throw error;
    }
    await this.connection.call(() => this.prune());
  }

  async remove(streams: readonly string[]): Promise<void> {
    if (streams.length === 0) return;
    await this.connection.call(() => this.entries.deleteMany({ _id: { $in: [...streams] } }));
    await this.removeParts({ stream: { $in: [...streams] } });
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  private get oldest(): number {
    return this.clock.now() - this.limits.retentionMs;
  }

  private async *partsOf({ copy, count }: EntryDocument): AsyncGenerator<string> {
    for (let number = 0; number < count; number += 1) {
      const filter = { _id: partId(copy, number) };
      const found = await this.connection.call(() => this.parts.findOne(filter, readLimits()));
      if (!found) return;
      yield found.text;
    }
  }

  private async replace(entry: EntryDocument): Promise<void> {
    const { _id, copy, writtenAt } = entry;
    const earlier = { _id, writtenAt: { $lte: writtenAt } };
    try {
      await this.entries.replaceOne(earlier, entry, { upsert: true });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      // One that began later is there, or another process has just made the first one.
      const { matchedCount } = await this.entries.replaceOne(earlier, entry);
      if (matchedCount === 0) return this.removeParts({ copy });
    }
    // Not those of one that began later and is being written.
    await this.removeParts({ stream: _id, copy: { $ne: copy }, writtenAt: { $lte: writtenAt } });
  }

  private async prune(): Promise<void> {
    const projection = { writtenAt: 1, bytes: 1 };
    const entries = await this.entries.find({}, { projection, ...readLimits() }).toArray();
    const kept = entries.map(({ _id, writtenAt, bytes }) => ({ stream: _id, writtenAt, bytes }));
    await this.remove(beyondLimits(kept, this.limits, this.clock.now()));
    await this.removeParts({ writtenAt: { $lte: this.oldest } });
  }

  private async removeParts(filter: Filter<PartDocument>): Promise<void> {
    await this.connection.call(() => this.parts.deleteMany(filter));
  }
}

/** Connects and makes the indexes; rejects with `EngineUnavailable` while the server is away. */
export const openMongoSnapshotStore = (
  options: MongoOptions,
  limits: SnapshotLimits = defaultSnapshotLimits,
  clock: Clock = systemClock,
): Promise<SnapshotStore> =>
  openOnMongo(options, 'snapshots', async (connection) => {
    const store = new MongoSnapshotStore(connection, limits, clock);
    await store.prepare();
    return store;
  });
