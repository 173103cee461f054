import { Buffer } from 'node:buffer';
import type { EndsOfPartition, StoredRecord } from '../../../src/adapters/message-bus/kafka/kafkaClient.js';
import { carriedBy } from '../../../src/adapters/message-bus/kafka/recordFormat.js';
import { liveMessages, type LiveMessage } from '../../../src/wire/bus/liveMessage.js';

const fetchedAtOnce = 3;

/** One partition, of `messages` unless other records are stored, as brokers have it. */
export class PartitionLog {
  readonly count = 1;
  low = 0;
  /** How often it was asked. */
  asked = { bounds: 0, records: 0 };
  private readonly stored = new Map<number, StoredRecord>();
  private next = 0;

  get high(): number {
    return this.next;
  }

  publish(...messages: readonly LiveMessage[]): void {
    for (const message of messages)
      this.store({
        key: Buffer.from(message.room),
        value: Buffer.from(liveMessages.codec.encode(message)),
        headers: carriedBy(liveMessages.carried, message),
      });
  }

  store(record: Pick<StoredRecord, 'key' | 'value' | 'headers'>): void {
    this.stored.set(this.next, { offset: String(this.next), timestamp: '0', ...record });
    this.next += 1;
  }

  /** What is before it is gone. */
  expireTo(low: number): void {
    this.low = low;
  }

  /** Its topic is made anew. */
  recreate(): void {
    [this.low, this.next] = [0, 0];
    this.stored.clear();
  }

  partitionOf(): number {
    return 0;
  }

  async bounds(): Promise<EndsOfPartition> {
    this.asked.bounds += 1;
    await new Promise(setImmediate);
    return { partition: 0, low: this.low, high: this.next };
  }

  async records(_partition: number, offset: number): Promise<readonly StoredRecord[] | undefined> {
    this.asked.records += 1;
    await new Promise(setImmediate);
    return offset < this.low ? undefined : this.from(offset, offset + fetchedAtOnce);
  }

  from(offset: number, end = this.next): readonly StoredRecord[] {
    return [...this.stored.values()].filter((record) => {
      const at = Number(record.offset);
      return at >= Math.max(offset, this.low) && at < end;
    });
  }
}
