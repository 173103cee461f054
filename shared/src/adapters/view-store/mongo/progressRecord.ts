import type { Collection, Filter, UpdateFilter } from 'mongodb';
import { StaleBatch } from '../../../ports/errors.js';
import type { LogPosition } from '../../../ports/eventLog.js';
import { readLimits } from './clientSettings.js';
import { isDuplicateKey } from './engineErrors.js';

/** How far the documents are, and who writes them. */
export interface Progress {
  readonly _id: 'projector';
  /** Counts up whenever a projector takes the lead, or takes it again after a failure. */
  readonly term: number;
  readonly position?: LogPosition;
  /** The documents are being removed; whoever finds it like this sees it through. */
  readonly isClearing?: true;
}

const _id = 'projector';
// Lost with a failing primary, it would stand behind documents that later ones build on.
const durably = { writeConcern: { w: 'majority', journal: true } } as const;

/**
 * The one document that says how far the read models are. It is what two projectors contend for: the later one gets a
 * higher term, and from then on nothing that the earlier one has under way changes a document the later one has written.
 */
export class ProgressRecord {
  readonly #collection: Collection<Progress>;

  constructor(collection: Collection<Progress>) {
    this.#collection = collection;
  }

  async read(): Promise<Progress | undefined> {
    return (await this.#collection.findOne({ _id }, readLimits())) ?? undefined;
  }

  /** For a batch at this position; refused with `StaleBatch` when the documents are that far already. */
  async newTerm(position: LogPosition): Promise<Progress> {
    return this.#raiseTerm({ _id, $nor: [{ position: { $gte: position } }] }, {}).catch(
      async (error: unknown) => {
        throw isDuplicateKey(error) ? await this.#stale(position) : error;
      },
    );
  }

  /** A term that begins with the removal of all documents. */
  async newTermForClearing(): Promise<Progress> {
    return this.#raiseTerm({ _id }, { $set: { isClearing: true }, $unset: { position: true } });
  }

  async cleared(term: number): Promise<void> {
    await this.#collection.updateOne({ _id, term }, { $unset: { isClearing: true } }, durably);
  }

  /** Refused with `StaleBatch` when another projector has taken the lead. */
  async moveTo(position: LogPosition, term: number): Promise<void> {
    const { matchedCount } = await this.#collection.updateOne({ _id, term }, { $set: { position } }, durably);
    if (matchedCount === 0) throw await this.#stale(position);
  }

  async #stale(position: LogPosition): Promise<StaleBatch> {
    return new StaleBatch(position, (await this.read())?.position ?? 'of another projector');
  }

  async #raiseTerm(filter: Filter<Progress>, and: UpdateFilter<Progress>): Promise<Progress> {
    const raise = (): Promise<Progress | null> =>
      this.#collection.findOneAndUpdate(
        filter,
        { $inc: { term: 1 }, ...and },
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
