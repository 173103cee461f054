import { setTimeout as pause } from 'node:timers/promises';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { NewRollRecord, RollWrite, RoomEventStore } from '@roomwire/shared/ports/roomEventStore';

interface WriterDeps {
  readonly store: Pick<RoomEventStore, 'append'>;
  readonly logger: Logger;
}

interface Waiting {
  readonly record: NewRollRecord;
  /** Whether its owner still owns the roll. */
  readonly isWanted: () => boolean;
  readonly settle: (write: RollWrite) => void;
}

/** Records in one request. */
const together = 200;
const retryMs = 500;

/** Writes the records of all rolls, those that come meanwhile with the next request. */
export class RecordWriter {
  private readonly deps: WriterDeps;
  private waiting: Waiting[] = [];
  private isWriting = false;

  constructor(deps: WriterDeps) {
    this.deps = deps;
  }

  /** Tries until it is known, for as long as it is wanted. `overtaken` as well where it is not wanted any more. */
  append(record: NewRollRecord, isWanted: () => boolean): Promise<RollWrite> {
    const written = new Promise<RollWrite>((settle) => this.waiting.push({ record, isWanted, settle }));
    void this.write();
    return written;
  }

  private async write(): Promise<void> {
    if (this.isWriting) return;
    this.isWriting = true;
    while (this.waiting.length > 0) await this.writeNext();
    this.isWriting = false;
  }

  private async writeNext(): Promise<void> {
    const batch = this.waiting.splice(0, together);
    const wanted = batch.filter(({ isWanted }) => isWanted());
    for (const one of batch) if (!wanted.includes(one)) one.settle('overtaken');
    if (wanted.length === 0) return;
    try {
      const writes = await this.deps.store.append(wanted.map(({ record }) => record));
      for (const [index, { settle }] of wanted.entries()) settle(writes[index] ?? 'overtaken');
    } catch (error) {
      if (!(error instanceof EngineUnavailable))
        this.deps.logger.error('Room events could not be stored', { error });
      // Those that were stored nevertheless are the very same.
      this.waiting.unshift(...wanted);
      await pause(retryMs, undefined, { ref: false });
    }
  }
}
