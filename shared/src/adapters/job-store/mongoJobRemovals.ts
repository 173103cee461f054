import type { Collection } from 'mongodb';
import type { MongoConnection } from '../mongo/connection.js';
import { readLimits } from '../mongo/connection.js';
import type { JobCollections, PartDocument } from './jobDocuments.js';

/** Documents in one step. */
const step = 500;

/** Removes in the background what groups had that are marked as removed, and then the groups. */
export class MongoJobRemovals {
  private readonly connection: MongoConnection;
  private readonly collections: JobCollections;
  private readonly underway = new Map<string, Promise<void>>();
  private isOpen = true;

  constructor(connection: MongoConnection, collections: JobCollections) {
    this.connection = connection;
    this.collections = collections;
  }

  begin(groupId: string): void {
    if (this.underway.has(groupId)) return;
    // One that is broken off goes on when its shard is taken the next time.
    const removal = this.connection.call(() => this.remove(groupId)).catch(() => undefined);
    this.underway.set(
      groupId,
      removal.finally(() => this.underway.delete(groupId)),
    );
  }

  async stop(): Promise<void> {
    this.isOpen = false;
    await Promise.all(this.underway.values());
  }

  private async remove(groupId: string): Promise<void> {
    const { buckets, chunks, ids, groups } = this.collections;
    for (const parts of [buckets, chunks, ids]) if (!(await this.removeParts(parts, groupId))) return;
    await groups.deleteOne({ _id: groupId, isRemoved: true });
  }

  /** Whether all are gone. */
  private async removeParts(parts: Collection<PartDocument>, groupId: string): Promise<boolean> {
    while (this.isOpen) {
      const options = { projection: { _id: 1 }, limit: step, ...readLimits() } as const;
      const found = await parts.find({ groupId }, options).toArray();
      if (found.length === 0) return true;
      await parts.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
    }
    return false;
  }
}
