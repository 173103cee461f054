import type { ChannelReader, OnRecord } from '../../ports/messageBus.js';
import { once } from '../../runtime/service.js';
import type { Channel } from '../../wire/bus/channel.js';
import { decodeRecord, unknownNext, type EncodedRecord } from './encodedRecords.js';

/** The reader of a channel in the thread that has the bus. */
export interface FarReader {
  /** Resolves with its `next`. */
  subscribe(key: string): Promise<number | undefined>;
  unsubscribe(key: string): void;
  close(): Promise<void>;
}

interface Subscribed {
  times: number;
  next: number | undefined;
}

/** Reads a channel of another thread. */
export class ThreadReader<T> implements ChannelReader {
  readonly close = once(() => this.end());
  private readonly channel: Channel<T>;
  private readonly onRecord: OnRecord<T>;
  private readonly far: FarReader;
  private readonly subscribed = new Map<string, Subscribed>();
  private isOpen = true;

  constructor(channel: Channel<T>, onRecord: OnRecord<T>, far: FarReader) {
    this.channel = channel;
    this.onRecord = onRecord;
    this.far = far;
  }

  async subscribe(key: string): Promise<void> {
    const known = this.subscribed.get(key) ?? { times: 0, next: undefined };
    this.subscribed.set(key, known);
    known.times += 1;
    advance(known, await this.far.subscribe(key));
  }

  unsubscribe(key: string): void {
    const known = this.subscribed.get(key);
    if (known === undefined) return;
    known.times -= 1;
    if (known.times === 0) this.subscribed.delete(key);
    this.far.unsubscribe(key);
  }

  next(key: string): number | undefined {
    return this.subscribed.get(key)?.next;
  }

  takeEncoded(encoded: EncodedRecord, offset: number, next: number): void {
    if (this.isOpen) this.take(decodeRecord(this.channel, encoded), offset, next);
  }

  /** `next`: that of the record's key, as of when it was handed over there. */
  take(record: T, offset: number, next: number): void {
    if (!this.isOpen) return;
    const known = next === unknownNext ? undefined : this.subscribed.get(this.channel.key(record));
    if (known !== undefined) advance(known, next);
    this.onRecord(record, offset);
  }

  private async end(): Promise<void> {
    this.isOpen = false;
    await this.far.close();
  }
}

/** A record may overtake the answer to the subscription: what is known of it is later, and stays. */
const advance = (known: Subscribed, next: number | undefined): void => {
  if (next !== undefined && next > (known.next ?? -1)) known.next = next;
};
