import type { Collection, Filter, UpdateFilter } from 'mongodb';
import { StaleBatch } from '../../../ports/errors.js';
import type { LogPosition } from '../../../ports/eventLog.js';
import { durably, readLimits } from '../../mongo/connection.js';
import { isDuplicateKey } from '../../mongo/errors.js';

/** How far the documents are, and who writes them. */
export interface Progress {
  readonly _id: 'projector';
  /** Counts up whenever a projector takes the lead, or takes it again after a failure. */
  readonly term: number;
  readonly position?: LogPosition;
  /** The documents are being removed; whoever finds it like this sees it through. */
  readonly isClearing?: true;
  /** The documents that are read; the first generation has none. */
  readonly generation?: number;
  /** The last number that was given out. */
  readonly generations?: number;
  /** Was live before, and is still written: readers that have not yet heard of the other one go there. */
  readonly retiring?: number;
  /** Is being built by a rebuild. */
  readonly building?: number;
  /** A rebuild asks the projector to wait for a moment, so that it can take over between two batches. */
  readonly hold?: string;
}

const _id = 'projector';

/**
 * The one document that says how far the read models are. It is what two projectors contend for: the later one gets a
 * higher term, and from then on nothing that the earlier one has under way changes a document the later one has written.
 */
export class ProgressDocument {
  private readonly collection: Collection<Progress>;

  constructor(collection: Collection<Progress>) {
    this.collection = collection;
  }

  async read(): Promise<Progress | undefined> {
    return (await this.collection.findOne({ _id }, readLimits())) ?? undefined;
  }

  /** For a batch at this position; refused with `StaleBatch` when the documents are that far already. */
  async newTerm(position: LogPosition): Promise<Progress> {
    return this.raiseTerm({ _id, $nor: [{ position: { $gte: position } }] }, {}).catch(
      async (error: unknown) => {
        throw isDuplicateKey(error) ? await this.stale(position) : error;
      },
    );
  }

  /** A term that begins with the removal of all documents. */
  async newTermForClearing(): Promise<Progress> {
    return this.raiseTerm(
      { _id },
      {
        $set: { isClearing: true },
        $unset: { position: true, retiring: true, building: true, hold: true },
      },
    );
  }

  async cleared(term: number): Promise<void> {
    await this.collection.updateOne({ _id, term }, { $unset: { isClearing: true } }, durably);
  }

  /**
   * Resolves undefined, or with the progress as it is where another generation has gone live in this term. Refused with
   * `StaleBatch` when another projector has taken the lead.
   */
  async moveTo(position: LogPosition, { term, generation }: Progress): Promise<Progress | undefined> {
    const mine = { _id, term, generation: generation ?? 0 } as const;
    const { matchedCount } = await this.collection.updateOne(mine, { $set: { position } }, durably);
    if (matchedCount > 0) return undefined;
    const found = await this.read();
    if (found?.term === term && found.generation !== mine.generation) return found;
    throw new StaleBatch(position, found?.position ?? 'of another projector');
  }

  /** Ends a hold whose rebuild has not come back. */
  async release(hold: string): Promise<void> {
    await this.collection.updateOne({ _id, hold }, { $unset: { hold: true } });
  }

  /** From now on the generation that was live before is not written any more. */
  async retire(retiring: number): Promise<boolean> {
    const { matchedCount } = await this.collection.updateOne(
      { _id, retiring },
      { $unset: { retiring: true } },
      durably,
    );
    return matchedCount > 0;
  }

  /** The number of a new generation, undefined where nothing has been built yet. Whoever builds another one stops. */
  async beginBuilding(): Promise<number | undefined> {
    const numbered = await this.collection.findOneAndUpdate(
      { _id },
      { $inc: { generations: 1 }, $max: { generation: 0 }, $unset: { hold: true } },
      { returnDocument: 'after', ...durably },
    );
    const building = numbered?.generations;
    if (building === undefined) return undefined;
    await this.collection.updateOne({ _id, generations: building }, { $set: { building } }, durably);
    return building;
  }

  /** Undefined where the generation is not being built any more. */
  async hold(building: number, hold: string): Promise<Progress | undefined> {
    const held = await this.collection.findOneAndUpdate(
      { _id, building },
      { $set: { hold } },
      { returnDocument: 'after', ...durably },
    );
    return held ?? undefined;
  }

  /** What was built becomes live, unless the one that is live has been written meanwhile, or is another one. */
  async switchTo(building: number, { position, generation = 0 }: Progress): Promise<boolean> {
    if (position === undefined) return false;
    const { matchedCount } = await this.collection.updateOne(
      { _id, building, position, generation },
      { $set: { generation: building, retiring: generation }, $unset: { building: true, hold: true } },
      durably,
    );
    return matchedCount > 0;
  }

  async endBuilding(building: number): Promise<void> {
    await this.collection.updateOne({ _id, building }, { $unset: { building: true, hold: true } }, durably);
  }

  private async stale(position: LogPosition): Promise<StaleBatch> {
    return new StaleBatch(position, (await this.read())?.position ?? 'of another projector');
  }

  private async raiseTerm(filter: Filter<Progress>, and: UpdateFilter<Progress>): Promise<Progress> {
    const raise = (): Promise<Progress | null> =>
      this.collection.findOneAndUpdate(
        filter,
        { $inc: { term: 1 }, $max: { generation: 0 }, ...and },
        { upsert: true, returnDocument: 'after', ...durably },
      );
    // Of two that make the document at the same time, one finds that it is there.
    const progress = await raise().catch((error: unknown) => {
      if (isDuplicateKey(error)) return raise();
      throw error;
    });
    return progress as Progress;
  }
}
