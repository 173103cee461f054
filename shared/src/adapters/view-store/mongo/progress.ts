import { randomUUID } from 'node:crypto';
import type { Collection, Filter, UpdateFilter } from 'mongodb';
import { StaleBatch } from '../../../ports/errors.js';
import type { LogOrigin, LogPosition } from '../../../ports/eventLog.js';
import type { LogExtent, ViewBatch, ViewExtent } from '../../../ports/viewStore.js';
import { durably, readLimits } from '../../mongo/connection.js';
import { isDuplicateKey } from '../../mongo/errors.js';

/** The checkpoint of the documents, and who writes them. */
export interface Progress {
  readonly _id: 'projector';
  /** Incremented whenever a projector takes the lead, or takes it again after a failure. */
  readonly term: number;
  readonly position?: LogPosition;
  /** A projector of an older version moves the position alone; what this says stays true. */
  readonly origin?: LogOrigin;
  /** The documents are being removed; the next writer that finds this completes it. */
  readonly isClearing?: true;
  /** The documents lack a part of the past: nobody reads them. */
  readonly isFilling?: true;
  /** Of the time since the documents held the past: another one whenever they are filled. A projector of an older version leaves it. */
  readonly filling?: string;
  /** The live generation; absent for the first one. */
  readonly generation?: number;
  /** The last generation number that was assigned. */
  readonly generations?: number;
  /** The previous live generation, which is still written for readers that have not learnt of the switch. */
  readonly retiring?: number;
  /** The generation that a rebuild is building. */
  readonly building?: number;
  /** Set by a rebuild to hold back the projector, so that it can take over between two batches. */
  readonly hold?: string;
  /** How far the log goes, as projectors of other versions know it. */
  readonly known?: LogPosition;
  /** Readers of this version register. Absent where only older programs have written, whose readers nobody can count. */
  readonly registersReaders?: true;
  /** A newer version has replaced these read models. What lies before the generation is dropped; a projector begins anew. */
  readonly isSetAside?: true;
}

/** What of the log a batch comes from. */
export type Extent = Pick<ViewBatch, 'position' | 'after'>;

const _id = 'projector';

const whenNew: UpdateFilter<Progress> = { $setOnInsert: { isFilling: true } };

/** Where there is no progress, the database was lost, or the first projector has not come yet. */
export const isReadable = (progress: Progress | undefined): boolean =>
  progress !== undefined && progress.isFilling === undefined && progress.isSetAside === undefined;

/** Undefined for what nobody may read, and where nothing has been written. */
export const extentOf = (progress: Progress | undefined): ViewExtent | undefined => {
  if (progress?.position === undefined || !isReadable(progress)) return undefined;
  const { generation = 0, filling = '', position } = progress;
  return { edition: `${generation}/${filling}`, position };
};

/**
 * The one document with the checkpoint of the read models. Projectors compete for it: the later one gets a higher term, and
 * from then on no write of the earlier one changes a document that the later one has written.
 */
export class ProgressDocument {
  private readonly collection: Collection<Progress>;

  constructor(collection: Collection<Progress>) {
    this.collection = collection;
  }

  async read(): Promise<Progress | undefined> {
    return (await this.collection.findOne({ _id }, readLimits())) ?? undefined;
  }

  /** For this batch; rejects with `StaleBatch` where the checkpoint is there already, or not where the batch continues from. */
  async newTerm({ position, after }: Extent): Promise<Progress> {
    const continued = after === undefined ? {} : { position: { $gte: after } };
    const filter: Filter<Progress> = {
      ...{ _id, isSetAside: { $exists: false } },
      $nor: [{ position: { $gte: position } }],
      ...continued,
    };
    const progress = await this.raiseTerm(filter, whenNew, after === undefined).catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
    });
    return progress ?? Promise.reject(await this.stale(position));
  }

  /** For what is written between two batches; rejects with `StaleBatch` where the checkpoint is no longer there. */
  async newTermAt(checkpoint: LogPosition): Promise<Progress> {
    const progress = await this.raiseTerm({ _id, position: checkpoint }, {}, false);
    return progress ?? Promise.reject(await this.stale(checkpoint));
  }

  /** A term that starts with the removal of all documents. */
  async newTermForClearing(): Promise<Progress> {
    const progress = await this.raiseTerm(
      { _id },
      {
        $set: { isClearing: true, isFilling: true },
        $unset: {
          ...{ position: true, origin: true, known: true, isSetAside: true },
          ...{ retiring: true, building: true, hold: true },
        },
      },
    );
    return progress as Progress;
  }

  /** Nothing happens where they have not come so far, because they were lost or cleared meanwhile. */
  async filled(upTo: LogPosition | undefined): Promise<void> {
    const reached: Filter<Progress> = upTo === undefined ? { _id } : { _id, position: { $gte: upTo } };
    await this.collection.updateOne(
      reached,
      { $set: { filling: randomUUID() }, $unset: { isFilling: true } },
      {
        upsert: upTo === undefined,
        ...durably,
      },
    );
  }

  async cleared(term: number): Promise<void> {
    await this.collection.updateOne({ _id, term }, { $unset: { isClearing: true } }, durably);
  }

  /**
   * Resolves undefined, or with the current progress where another generation has gone live in this term. Rejects with
   * `StaleBatch` where another projector has taken the lead.
   */
  async moveTo(
    { position, origin }: Pick<ViewBatch, 'position' | 'origin'>,
    { term, generation }: Progress,
  ): Promise<Progress | undefined> {
    const mine = { _id, term, generation: generation ?? 0 } as const;
    const moved = { position, ...(origin !== undefined && { origin }) };
    const { matchedCount } = await this.collection.updateOne(mine, { $set: moved }, durably);
    if (matchedCount > 0) return undefined;
    const found = await this.read();
    if (found?.term === term && found.generation !== mine.generation) return found;
    throw new StaleBatch(position, found?.position ?? 'of another projector');
  }

  /** Releases the hold of a rebuild that has failed. */
  async release(hold: string): Promise<void> {
    await this.collection.updateOne({ _id, hold }, { $unset: { hold: true } });
  }

  /** The previous live generation is not written from now on. */
  async retire(retiring: number): Promise<boolean> {
    const { matchedCount } = await this.collection.updateOne(
      { _id, retiring },
      { $unset: { retiring: true } },
      durably,
    );
    return matchedCount > 0;
  }

  /** The number of a new generation, undefined where there are no read models yet. Supersedes other rebuilds. */
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

  /** Undefined where the rebuild was superseded. */
  async hold(building: number, hold: string): Promise<Progress | undefined> {
    const held = await this.collection.findOneAndUpdate(
      { _id, building },
      { $set: { hold } },
      { returnDocument: 'after', ...durably },
    );
    return held ?? undefined;
  }

  /** Makes the generation live, unless the live one has been written meanwhile or has changed. */
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

  /** Tells readers how far the log goes, where their read models are made from it. */
  async tell({ log, head }: LogExtent): Promise<void> {
    await this.collection.updateOne({ _id, 'origin.log': log }, { $max: { known: head } }, durably);
  }

  /**
   * Begins a generation that nobody fills, so that those before it can be dropped whoever still writes them. False where a projector or a rebuild
   * has come in between.
   */
  async setAside({ term, position, generation = 0, generations }: Progress): Promise<boolean> {
    if (position === undefined) return false;
    const next = Math.max(generation, generations ?? 0) + 1;
    const { matchedCount } = await this.collection.updateOne(
      { _id, term, position, generation, generations: generations ?? { $exists: false } },
      {
        $set: { isSetAside: true, isFilling: true, generation: next, generations: next },
        $inc: { term: 1 },
        $unset: {
          ...{ position: true, origin: true, known: true, isClearing: true },
          ...{ retiring: true, building: true, hold: true },
        },
      },
      durably,
    );
    return matchedCount > 0;
  }

  private async stale(position: LogPosition): Promise<StaleBatch> {
    return new StaleBatch(position, (await this.read())?.position ?? 'of another projector');
  }

  /** Resolves null where nothing matches and nothing is to be inserted. */
  private async raiseTerm(
    filter: Filter<Progress>,
    and: UpdateFilter<Progress>,
    upsert = true,
  ): Promise<Progress | null> {
    const raise = (): Promise<Progress | null> =>
      this.collection.findOneAndUpdate(
        filter,
        {
          ...{ $inc: { term: 1 }, $max: { generation: 0 }, ...and },
          $set: { ...and.$set, registersReaders: true },
        },
        { upsert, returnDocument: 'after', ...durably },
      );
    // When two writers insert the document concurrently, one gets a duplicate key error.
    return raise().catch((error: unknown) => {
      if (isDuplicateKey(error)) return raise();
      throw error;
    });
  }
}
