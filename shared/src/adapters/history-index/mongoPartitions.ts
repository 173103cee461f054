import { EngineUnavailable } from '../../ports/errors.js';
import type { IndexedPartition } from '../../ports/historyIndex.js';
import { retryingDuplicates } from '../mongo/collections.js';
import { durably, readLimits } from '../mongo/connection.js';
import { markOf, placeOfMark, type HistoryCollections } from './historyDocuments.js';

/** Up to where the partitions of the bus are in the index. */
export class MongoPartitions {
  private readonly partitions: HistoryCollections['partitions'];

  constructor({ partitions }: Pick<HistoryCollections, 'partitions'>) {
    this.partitions = partitions;
  }

  async get(partition: number): Promise<IndexedPartition | undefined> {
    const found = await this.partitions.findOne({ _id: String(partition) }, readLimits());
    if (found === null) return undefined;
    const { epoch, offset: next } = placeOfMark(found.mark);
    return { epoch, next };
  }

  /** Forwards alone. */
  async move(partition: number, to: IndexedPartition): Promise<void> {
    await this.upsert(partition, { $max: { mark: markAt(to) } });
  }

  /** Of several at once one takes effect. */
  async begin(
    partition: number,
    former: number | undefined,
    to: IndexedPartition,
  ): Promise<IndexedPartition> {
    const mark = markAt(to);
    if (former !== undefined) {
      const ofFormer = {
        $gte: markAt({ epoch: former, next: 0 }),
        $lt: markAt({ epoch: former + 1, next: 0 }),
      };
      await this.partitions.updateOne(
        { _id: String(partition), mark: ofFormer },
        { $set: { mark } },
        durably,
      );
    }
    await this.upsert(partition, { $setOnInsert: { mark } });
    const begun = await this.get(partition);
    if (begun === undefined) throw new EngineUnavailable('message history');
    return begun;
  }

  private async upsert(
    partition: number,
    change:
      { readonly $max: { readonly mark: string } } | { readonly $setOnInsert: { readonly mark: string } },
  ): Promise<void> {
    await retryingDuplicates(() =>
      this.partitions.updateOne({ _id: String(partition) }, change, { upsert: true, ...durably }),
    );
  }
}

const markAt = ({ epoch, next }: IndexedPartition): string => markOf({ epoch, offset: next });
