import type { Collection } from 'mongodb';
import { isDuplicateKey } from '../mongo/errors.js';
import { retryingDuplicates } from '../mongo/collections.js';
import {
  durably,
  openOnMongo,
  readLimits,
  type MongoConnection,
  type MongoOptions,
} from '../mongo/connection.js';
import type { ShardLeases } from '../../ports/shardLeases.js';
import { LeasedShards, type LeasedShardsDeps } from './leasedShards.js';
import type { Lease, LeaseReading, LeaseTable, Member } from './leaseTable.js';

interface WorkDocument {
  /** The name of the work. */
  readonly _id: string;
  readonly revision: number;
  readonly leases: readonly Lease[];
}

interface MemberDocument {
  readonly _id: string;
  readonly beat: number;
  readonly works: readonly string[];
  /** For people: nothing is decided by it. */
  readonly at: Date;
}

/** A document for each work, and one for each process. */
class MongoLeaseTable implements LeaseTable {
  private readonly connection: MongoConnection;
  private readonly works: Collection<WorkDocument>;
  private readonly members: Collection<MemberDocument>;

  constructor(connection: MongoConnection) {
    this.connection = connection;
    this.works = connection.database.collection('shard_leases');
    this.members = connection.database.collection('shard_members');
  }

  async renew({ id, beat, works }: Member): Promise<void> {
    const set = { $set: { beat, works, at: new Date() } };
    await this.connection.call(() =>
      retryingDuplicates(() => this.members.updateOne({ _id: id }, set, { upsert: true, ...durably })),
    );
  }

  read(names: readonly string[]): Promise<LeaseReading> {
    return this.connection.call(async () => {
      const works = await this.works.find({ _id: { $in: [...names] } }, readLimits()).toArray();
      const members = await this.members.find({}, readLimits()).toArray();
      return {
        works: new Map(works.map(({ _id, revision, leases }) => [_id, { revision, leases }])),
        members: members.map(({ _id, beat, works: of }) => ({ id: _id, beat, works: of })),
      };
    });
  }

  swap(work: string, revision: number, leases: readonly Lease[]): Promise<boolean> {
    return this.connection.call(async () => {
      if (revision === 0) return this.insert({ _id: work, revision: 1, leases });
      const set = { $set: { revision: revision + 1, leases } };
      return (await this.works.updateOne({ _id: work, revision }, set, durably)).matchedCount === 1;
    });
  }

  async forget(members: readonly Pick<Member, 'id' | 'beat'>[]): Promise<void> {
    await this.connection.call(async () => {
      for (const { id, beat } of members) await this.members.deleteOne({ _id: id, beat });
    });
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  private async insert(document: WorkDocument): Promise<boolean> {
    try {
      await this.works.insertOne(document, durably);
      return true;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return false;
    }
  }
}

export const openMongoLeaseTable = (options: MongoOptions): Promise<LeaseTable> =>
  openOnMongo(options, 'shard leases', async (connection) => new MongoLeaseTable(connection));

export const openMongoShardLeases = async (
  options: MongoOptions,
  deps: Omit<LeasedShardsDeps, 'table'>,
): Promise<ShardLeases> => new LeasedShards({ ...deps, table: await openMongoLeaseTable(options) });
