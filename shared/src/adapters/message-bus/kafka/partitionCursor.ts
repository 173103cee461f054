import type { RecordBatch, StoredRecord } from './kafkaClient.js';
import { RepeatedRecords } from './recordFormat.js';

/** The records of a batch for the reader; `behind` is the offset to seek back to. */
export interface Accepted {
  readonly messages: readonly StoredRecord[];
  readonly behind?: number;
  /** Records that were to be read are no longer there. */
  readonly isLoss?: boolean;
}

const nothing: Accepted = { messages: [] };

/**
 * The next offset to read of one partition. The library keeps one of its own, but forgets it with every rebalance
 * and seeks to the end after some errors, so its deliveries are checked against this cursor.
 */
export class PartitionCursor {
  private readonly repeated = new RepeatedRecords();
  private position: number | undefined;
  /** The offset that the library was already sent back to. */
  private soughtFor: number | undefined;

  /** Undefined while the partition is not being read. */
  get next(): number | undefined {
    return this.position;
  }

  begin(at: number): void {
    this.position = at;
    this.soughtFor = undefined;
    this.repeated.jump();
  }

  end(): void {
    this.position = undefined;
  }

  /** Moves behind the batch. */
  accept(batch: Pick<RecordBatch, 'messages' | 'highWatermark'>): Accepted {
    const first = batch.messages[0];
    const last = batch.messages.at(-1);
    if (this.position === undefined || !first || !last) return nothing;
    const start = Number(first.offset);
    // The partition was truncated, or created again: offsets behind its end will be used for other records.
    const isCut = Number(batch.highWatermark) < this.position;
    if (isCut) this.begin(start);
    const isLoss = isCut || start > this.position;
    if (start > this.position && this.soughtFor !== this.position) {
      this.soughtFor = this.position;
      return { messages: [], behind: this.position };
    }
    const from = this.position;
    this.position = Math.max(from, Number(last.offset) + 1);
    const messages = batch.messages.filter(({ offset, headers }) => {
      const at = Number(offset);
      return !this.repeated.isRepeated(at, headers) && at >= from;
    });
    return { messages, isLoss };
  }
}
