import { Buffer } from 'node:buffer';
import { Binary, type Collection } from 'mongodb';
import type { LogOrigin, LogPosition } from '../../ports/eventLog.js';
import {
  rollKey,
  rollOfKey,
  type NewRollRecord,
  type Roll,
  type RollId,
  type RollRecord,
  type RollWrite,
  type RoomEventStore,
  type StoredRoll,
} from '../../ports/roomEventStore.js';
import { makeIndex, removeAll, upsertAll } from '../mongo/collections.js';
import {
  durably,
  openOnMongo,
  readLimits,
  type MongoConnection,
  type MongoOptions,
} from '../mongo/connection.js';
import { duplicatesIn } from '../mongo/errors.js';
import { FollowProgress } from '../mongo/followProgress.js';

/** The id is the roll and the revision: of two that write the same revision, one is refused. */
interface RecordDocument extends Roll {
  readonly _id: string;
  readonly roll: string;
  readonly revision: number;
  readonly term: number;
  readonly isIdle: boolean;
  readonly content: Binary;
}

/** The id is the roll. */
interface SettledDocument extends Omit<Roll, 'shard'> {
  readonly _id: string;
  readonly upTo: number;
}

const idOf = (roll: string, revision: number): string => `${roll}/${revision}`;

const withoutContent = () => ({ projection: { content: 0 }, ...readLimits() });

/** What all rolls go with that it owns. */
const owningRolls = ['projectId', 'appId', 'accessScopeId'] as const;

/** Rolls in one query. */
const rollsPerQuery = 200;

/**
 * Rolls in two collections of MongoDB: a document for each record, and one for what is settled of each roll, which others than the
 * owner write.
 */
class MongoRoomEventStore implements RoomEventStore {
  private readonly connection: MongoConnection;
  private readonly records: Collection<RecordDocument>;
  private readonly settled: Collection<SettledDocument>;
  private readonly progress: FollowProgress;

  constructor(connection: MongoConnection) {
    this.connection = connection;
    this.records = connection.database.collection('roomEvents');
    this.settled = connection.database.collection('roomEventsSettled');
    this.progress = new FollowProgress(connection, 'roomEventsProgress');
  }

  async prepare(): Promise<void> {
    await this.connection.call(async () => {
      await makeIndex(this.records, { roll: 1, revision: 1 });
      await makeIndex(this.records, { shard: 1, isIdle: 1, roll: 1 });
      for (const owner of [...owningRolls, 'roomId'] as const) await makeIndex(this.records, { [owner]: 1 });
      for (const owner of owningRolls) await makeIndex(this.settled, { [owner]: 1 });
    });
  }

  openIn(shard: number): Promise<readonly RollId[]> {
    return this.connection.call(async () => {
      // Of an idle one the records from before it was are left until it is written whole: it does no harm to open it.
      const steps = [{ $match: { shard, isIdle: false } }, { $group: { _id: '$roll' } }];
      const rolls: RollId[] = [];
      for await (const { _id } of this.records.aggregate<{ readonly _id: string }>(steps, readLimits()))
        rolls.push(rollOfKey(_id));
      return rolls;
    });
  }

  read(id: RollId): Promise<StoredRoll | undefined> {
    const roll = rollKey(id);
    return this.connection.call(async () => {
      const records: RollRecord[] = [];
      let owner: Roll | undefined;
      // Without the limits of a request, which a large one would exceed: nobody waits for it but its room.
      for await (const document of this.records.find({ roll }).sort({ revision: 1 })) {
        const { revision, term, content } = document;
        owner ??= rollOf(document);
        records.push({ revision, term, content: bytesOf(content) });
      }
      if (owner === undefined) return undefined;
      const settled = await this.settled.findOne({ _id: roll }, readLimits());
      return { roll: owner, records, settled: settled?.upTo ?? 0 };
    });
  }

  append(records: readonly NewRollRecord[]): Promise<readonly RollWrite[]> {
    return this.connection.call(async () => {
      const refused = await this.behindLaterTerms(records);
      const admitted = records.filter((record) => !refused.has(record));
      if (admitted.length > 0) {
        await this.beginAll(admitted);
        for (const record of await this.insert(admitted)) refused.add(record);
        for (const record of await this.overtaken(admitted)) refused.add(record);
        await this.removeReplaced(admitted.filter((record) => !refused.has(record)));
      }
      return records.map((record) => (refused.has(record) ? 'overtaken' : 'stored'));
    });
  }

  async settle(id: RollId, upTo: number): Promise<void> {
    const filter = { _id: rollKey(id), upTo: { $lt: upTo } };
    await this.connection.call(() => this.settled.updateOne(filter, { $set: { upTo } }, durably));
  }

  settledOf(ids: readonly RollId[]) {
    return this.connection.call(async () => {
      const settled: (RollId & { readonly settled: number })[] = [];
      for (let from = 0; from < ids.length; from += rollsPerQuery) {
        const rolls = ids.slice(from, from + rollsPerQuery).map(rollKey);
        for await (const each of this.settled.find({ _id: { $in: rolls } }, readLimits()))
          settled.push({
            roomId: each.roomId,
            accessScopeId: each.accessScopeId ?? null,
            settled: each.upTo,
          });
      }
      return settled;
    });
  }

  async remove(id: RollId): Promise<void> {
    const roll = rollKey(id);
    await this.connection.call(async () => {
      await removeAll(this.records, { roll });
      await this.settled.deleteOne({ _id: roll });
    });
  }

  removeOf(owners: readonly string[]): Promise<void> {
    return this.connection.call(async () => {
      for (const owner of owningRolls) {
        const filter = { [owner]: { $in: [...owners] } };
        await removeAll(this.records, filter);
        await removeAll(this.settled, filter);
      }
      await this.removeIdleOfRooms(owners);
    });
  }

  checkpoint(): Promise<LogPosition | undefined> {
    return this.progress.checkpoint();
  }

  moveCheckpoint(position: LogPosition | undefined, origin?: LogOrigin): Promise<void> {
    return this.progress.move(position, origin);
  }

  origin(): Promise<LogOrigin | undefined> {
    return this.progress.origin();
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  /** The documents that `settle` changes; without them nothing would be settled. */
  private async beginAll(records: readonly NewRollRecord[]): Promise<void> {
    const firsts = records.filter(({ revision }) => revision === 1);
    const operations = firsts.map(({ roll: { projectId, appId, roomId, accessScopeId } }) => ({
      updateOne: {
        filter: { _id: rollKey({ roomId, accessScopeId }) },
        update: { $setOnInsert: { projectId, appId, roomId, accessScopeId, upTo: 0 } },
        upsert: true,
      },
    }));
    await upsertAll(this.settled, operations);
  }

  /** A record that is there does not change any more, so that nothing comes between this and the insertion. */
  private async behindLaterTerms(records: readonly NewRollRecord[]): Promise<Set<NewRollRecord>> {
    const ids = records.map(({ roll, revision }) => idOf(rollKey(roll), revision - 1));
    const terms = new Map<string, number>();
    for await (const { _id, term } of this.records.find({ _id: { $in: ids } }, withoutContent()))
      terms.set(_id, term);
    return new Set(records.filter(({ term }, index) => term < (terms.get(ids[index] ?? '') ?? 0)));
  }

  /** Returns those in whose place another one is. */
  private async insert(records: readonly NewRollRecord[]): Promise<readonly NewRollRecord[]> {
    try {
      await this.records.insertMany(records.map(documentOf), { ordered: false, ...durably });
      return [];
    } catch (error) {
      const duplicates = duplicatesIn(error)?.map((index) => records[index] as NewRollRecord);
      if (duplicates === undefined) throw error;
      const areStored = await Promise.all(duplicates.map((record) => this.isStored(record)));
      return duplicates.filter((_, index) => !areStored[index]);
    }
  }

  private async isStored({ roll, revision, term, content }: NewRollRecord): Promise<boolean> {
    const found = await this.records.findOne({ _id: idOf(rollKey(roll), revision) }, readLimits());
    return found?.term === term && Buffer.compare(bytesOf(found.content), content) === 0;
  }

  /**
   * Where later records have replaced those before, no duplicate refuses a record of an owner that has lost its shard and does not know it
   * yet. What it has written stays, and is before a later beginning.
   */
  private async overtaken(records: readonly NewRollRecord[]): Promise<readonly NewRollRecord[]> {
    const $or = records.map(({ roll, revision }) => ({ roll: rollKey(roll), revision: { $gt: revision } }));
    const found = await this.records.find({ $or }, withoutContent()).toArray();
    const rolls = new Set(found.map(({ roll }) => roll));
    return records.filter(({ roll }) => rolls.has(rollKey(roll)));
  }

  private async removeReplaced(records: readonly NewRollRecord[]): Promise<void> {
    for (const { roll, from } of records)
      if (from !== undefined) await this.records.deleteMany({ roll: rollKey(roll), revision: { $lt: from } });
  }

  private async removeIdleOfRooms(roomIds: readonly string[]): Promise<void> {
    const records = await this.records
      .find({ roomId: { $in: [...roomIds] } }, { projection: { roll: 1, revision: 1, isIdle: 1 } })
      .sort({ roll: 1, revision: 1 })
      .toArray();
    const lastOf = new Map(records.map((record) => [record.roll, record]));
    for (const { roll, revision, isIdle } of lastOf.values()) {
      if (!isIdle) continue;
      // Its owner may have written again since.
      await this.records.deleteMany({ roll, revision: { $lte: revision } });
      if ((await this.records.findOne({ roll }, withoutContent())) === null)
        await this.settled.deleteOne({ _id: roll });
    }
  }
}

const documentOf = ({ roll, revision, term, content, isIdle }: NewRollRecord): RecordDocument => ({
  _id: idOf(rollKey(roll), revision),
  ...{ roll: rollKey(roll), revision, term, isIdle, content: new Binary(content) },
  ...rollOf(roll),
});

const rollOf = ({ shard, projectId, appId, roomId, accessScopeId }: Roll): Roll => ({
  ...{ shard, projectId, appId, roomId, accessScopeId: accessScopeId ?? null },
});

const bytesOf = (content: Binary): Uint8Array => content.value();

/** Connects and makes the indexes; rejects with `EngineUnavailable` while the server is away. */
export const openMongoRoomEventStore = (options: MongoOptions): Promise<RoomEventStore> =>
  openOnMongo(options, 'room events', async (connection) => {
    const store = new MongoRoomEventStore(connection);
    await store.prepare();
    return store;
  });
