import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { Clock } from '@roomwire/shared/ports/clock';

/** Whoever adds something has heard of a deletion by then, unless the engines were away. */
const hearingMs = 600_000;

/** Deletions of about the same time. */
interface Generation<T> {
  readonly deletions: T[];
  /** The end of the batch before the first of them; undefined where that was the first batch. */
  readonly after: RecordedEvent | undefined;
}

/**
 * Recent deletions, each of which is done once more, since somebody who had not heard of it may have added something. They are in memory: a
 * checkpoint that is not behind `settledUpTo` has the ones that a restart forgets read again.
 */
export class RepeatedDeletions<T> {
  private readonly clock: Pick<Clock, 'now'>;
  private readonly delete: (deletions: readonly T[]) => Promise<unknown>;
  private recent: Generation<T> | undefined;
  private settling: Generation<T> | undefined;
  private last: RecordedEvent | undefined;

  constructor(clock: Pick<Clock, 'now'>, deleteAll: (deletions: readonly T[]) => Promise<unknown>) {
    this.clock = clock;
    this.delete = deleteAll;
  }

  /** To be done once more. */
  add(deletion: T, { metadata }: RecordedEvent): void {
    if (Date.parse(metadata.occurredAt) <= this.clock.now() - hearingMs) return;
    this.recent ??= { deletions: [], after: this.last };
    this.recent.deletions.push(deletion);
  }

  /** For a follower: deletes what events delete, now and once more. */
  deletingBy(
    deletionsOf: (event: RecordedEvent) => readonly T[],
  ): (events: readonly RecordedEvent[]) => Promise<boolean> {
    return async (events) => {
      const deletions = events.flatMap((event) => {
        const found = deletionsOf(event);
        for (const deletion of found) this.add(deletion, event);
        return found;
      });
      if (deletions.length > 0) await this.delete(deletions);
      return deletions.length > 0;
    };
  }

  /** Those that were added before the last call. */
  async again(): Promise<void> {
    if (this.settling) await this.delete(this.settling.deletions);
    [this.settling, this.recent] = [this.recent, undefined];
  }

  /** Told of the end of each batch, the last event before which no deletion is still to be repeated; undefined for none that is known. */
  settledUpTo(last: RecordedEvent): RecordedEvent | undefined {
    this.last = last;
    const oldest = this.settling ?? this.recent;
    return oldest === undefined ? last : oldest.after;
  }
}
