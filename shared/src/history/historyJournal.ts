import { EngineUnavailable } from '../ports/errors.js';
import type { Clock } from '../ports/clock.js';
import type { HistoryIndex, IndexedPartition } from '../ports/historyIndex.js';
import { liveMessages, type LiveMessage } from '../wire/bus/liveMessage.js';
import { noTail, type HistoryPartitions, type PartitionEnd } from './historyPartitions.js';

/** The bus of one process is one partition. */
const partition = 0;
const batchMessages = 1_000;
const batchBytes = 4 * 1024 * 1024;
/** Limit of messages that wait for the disk; further ones are refused. */
const maxWaitingBytes = 64 * 1024 * 1024;

interface Waiting {
  readonly message: LiveMessage;
  readonly resolve: (offset: number) => void;
  readonly reject: (error: unknown) => void;
}

type JournalIndex = Pick<HistoryIndex, 'partition' | 'append'>;

/** Numbers the kept messages of a bus within one process, and stores them in the index, which is all the record there is. */
export class HistoryJournal implements HistoryPartitions {
  readonly channel = liveMessages.name;
  private readonly index: JournalIndex;
  private readonly epoch: number;
  /** What is stored, as far as is known. */
  private stored: number;
  /** No number is used twice, also where it is unknown whether the message was stored. */
  private upcoming: number;
  private waiting: Waiting[] = [];
  private waitingBytes = 0;
  private storing: Promise<void> | undefined;

  private constructor(index: JournalIndex, { epoch, next }: IndexedPartition) {
    this.index = index;
    this.epoch = epoch;
    this.stored = next;
    this.upcoming = next;
  }

  /** Goes on with the numbers of the index. */
  static async open(index: JournalIndex, clock: Pick<Clock, 'now'>): Promise<HistoryJournal> {
    const known = await index.partition(partition);
    const from = known ?? { epoch: clock.now(), next: 0 };
    if (known === undefined) await index.append(partition, [], from);
    return new HistoryJournal(index, from);
  }

  get next(): number {
    return this.upcoming;
  }

  isKept(record: unknown): boolean {
    return (record as LiveMessage).kept !== undefined;
  }

  append(record: unknown): Promise<number> {
    const message = record as LiveMessage;
    if (this.waitingBytes + message.body.length > maxWaitingBytes)
      return Promise.reject(new EngineUnavailable('message history'));
    this.waitingBytes += message.body.length;
    return new Promise((resolve, reject) => {
      this.waiting.push({ message, resolve, reject });
      this.storing ??= this.storeAll();
    });
  }

  endOf(): Promise<PartitionEnd> {
    return Promise.resolve({ epoch: this.epoch, next: this.stored, tail: noTail });
  }

  /** Nothing is acknowledged before. */
  indexed(): Promise<void> {
    return Promise.resolve();
  }

  epochOf(): number {
    return this.epoch;
  }

  private async storeAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, this.batchLength());
      await this.store(batch);
      for (const { message } of batch) this.waitingBytes -= message.body.length;
    }
    this.storing = undefined;
  }

  /** At least one. */
  private batchLength(): number {
    let bytes = 0;
    const full = this.waiting.findIndex(({ message }) => (bytes += message.body.length) > batchBytes);
    return full < 0 ? batchMessages : Math.min(Math.max(full, 1), batchMessages);
  }

  private async store(batch: readonly Waiting[]): Promise<void> {
    const first = this.upcoming;
    this.upcoming += batch.length;
    const records = batch.map(({ message }, n) => ({ offset: first + n, message }));
    try {
      await this.index
        .append(partition, records, { epoch: this.epoch, next: this.upcoming })
        .catch((error: unknown) => this.requireStored(error));
    } catch (error) {
      for (const { reject } of batch) reject(error);
      return;
    }
    this.stored = this.upcoming;
    batch.forEach(({ resolve }, n) => resolve(first + n));
  }

  /** After a failure it is unknown whether the batch was written, and readers must get what is in the record. */
  private async requireStored(error: unknown): Promise<void> {
    const reached = await this.index.partition(partition).catch(() => undefined);
    if (reached === undefined || reached.next < this.upcoming) throw error;
  }
}
