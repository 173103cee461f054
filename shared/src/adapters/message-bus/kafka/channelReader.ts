import type { ChannelReader, ReadOptions } from '../../../ports/messageBus.js';

/** Where a record stands. */
export interface Place {
  readonly partition: number;
  readonly offset: number;
}

/** What a reader needs of the source that it reads from. */
export interface Fetching {
  /** Resolves when everything that is sent with the key from now on will be fetched. */
  begin(key: string): Promise<void>;
  end(key: string): void;
  leave(): Promise<void>;
}

/** One of the readers of a channel in this process. */
export class KafkaChannelReader<T> implements ChannelReader {
  readonly onRecord: (record: T) => void;
  private readonly fetching: Fetching;
  /** How often each key is attended; undefined for a reader of everything. */
  private readonly attended: Map<string, number> | undefined;
  /** Others may have begun earlier, and may still be handed what was sent before this one began. */
  private readonly starts: readonly number[];
  private closed: Promise<void> | undefined;

  constructor(
    { interest }: ReadOptions,
    onRecord: (record: T) => void,
    starts: readonly number[],
    fetching: Fetching,
  ) {
    this.onRecord = onRecord;
    this.starts = starts;
    this.fetching = fetching;
    this.attended = interest === 'subscribed' ? new Map() : undefined;
  }

  wants(key: string, { partition, offset }: Place): boolean {
    if (this.closed) return false;
    return this.attended ? this.attended.has(key) : offset >= (this.starts[partition] ?? 0);
  }

  async subscribe(key: string): Promise<void> {
    if (this.closed || !this.attended) return;
    this.attended.set(key, (this.attended.get(key) ?? 0) + 1);
    try {
      await this.fetching.begin(key);
    } catch (error) {
      this.unsubscribe(key);
      throw error;
    }
  }

  unsubscribe(key: string): void {
    const times = this.attended?.get(key);
    if (times === undefined) return;
    if (times > 1) this.attended?.set(key, times - 1);
    else this.attended?.delete(key);
    this.fetching.end(key);
  }

  close(): Promise<void> {
    return (this.closed ??= this.leave());
  }

  private leave(): Promise<void> {
    for (const [key, times] of this.attended ?? []) for (let n = 0; n < times; n += 1) this.fetching.end(key);
    this.attended?.clear();
    return this.fetching.leave();
  }
}
