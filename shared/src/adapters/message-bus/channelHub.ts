import {
  unknownOffset,
  type ChannelReader,
  type OnRecord,
  type ReadOptions,
} from '../../ports/messageBus.js';
import type { Channel } from '../../wire/bus/channel.js';

/** One resolved promise for every synchronous answer, so that the publish path allocates none. */
export const done: Promise<void> = Promise.resolve();
export const sent: Promise<number> = Promise.resolve(unknownOffset);

class HubReader<T> implements ChannelReader {
  readonly onRecord: OnRecord<T>;
  /** How often each key is subscribed; undefined for a reader of everything. */
  private readonly subscribed: Map<string, number> | undefined;
  readonly next: ChannelReader['next'];
  private readonly leave: (reader: HubReader<T>) => void;
  private isOpen = true;

  constructor(
    { interest }: ReadOptions,
    onRecord: OnRecord<T>,
    next: ChannelReader['next'],
    leave: (reader: HubReader<T>) => void,
  ) {
    this.subscribed = interest === 'subscribed' ? new Map() : undefined;
    this.next = next;
    this.onRecord = onRecord;
    this.leave = leave;
  }

  get asksForKeys(): boolean {
    return this.subscribed !== undefined;
  }

  wants(key: string): boolean {
    return this.isOpen && (this.subscribed === undefined || this.subscribed.has(key));
  }

  subscribe(key: string): Promise<void> {
    if (this.subscribed) this.subscribed.set(key, (this.subscribed.get(key) ?? 0) + 1);
    return done;
  }

  unsubscribe(key: string): void {
    const times = this.subscribed?.get(key) ?? 0;
    if (times > 1) this.subscribed?.set(key, times - 1);
    else this.subscribed?.delete(key);
  }

  close(): Promise<void> {
    this.isOpen = false;
    this.leave(this);
    return done;
  }
}

interface Delivery<T> {
  readonly record: T;
  readonly offset: number;
}

/** The readers of one channel in this process. Records are handed over within `send`, in one order for all readers. */
export class ChannelHub<T> {
  private readonly key: (record: T) => string;
  private readonly next: ChannelReader['next'];
  private readonly readerFailed: (error: unknown) => void;
  /** Replaced and never changed, so that readers may come and go while a record is delivered. */
  private readers: readonly HubReader<T>[] = [];
  private isDelivering = false;
  /** Records that readers sent during a delivery. They are delivered after it, to keep one order for all readers. */
  private readonly following: Delivery<T>[] = [];

  /** `next`: the offset of the next record with a key, where records have offsets. */
  constructor(
    channel: Channel<T>,
    readerFailed: (error: unknown) => void,
    next: ChannelReader['next'] = () => undefined,
  ) {
    this.key = channel.key;
    this.next = next;
    this.readerFailed = readerFailed;
  }

  read(options: ReadOptions, onRecord: OnRecord<T>): ChannelReader {
    const reader = new HubReader(options, onRecord, this.next, (leaving) => {
      this.readers = this.readers.filter((other) => other !== leaving);
    });
    this.readers = [...this.readers, reader];
    return reader;
  }

  send(record: T, offset = 0): void {
    if (this.isDelivering) {
      this.following.push({ record, offset });
      return;
    }
    this.isDelivering = true;
    this.deliver(record, offset);
    if (this.following.length > 0) this.deliverFollowing();
    this.isDelivering = false;
  }

  close(): void {
    for (const reader of this.readers) void reader.close();
  }

  private deliverFollowing(): void {
    // The list may grow during the iteration.
    for (const { record, offset } of this.following) this.deliver(record, offset);
    this.following.length = 0;
  }

  private deliver(record: T, offset: number): void {
    let key: string | undefined;
    for (const reader of this.readers) {
      if (reader.asksForKeys) key ??= this.key(record);
      if (reader.wants(key ?? '')) this.handOver(record, offset, reader);
    }
  }

  private handOver(record: T, offset: number, reader: HubReader<T>): void {
    try {
      reader.onRecord(record, offset);
    } catch (error) {
      this.readerFailed(error);
    }
  }
}
