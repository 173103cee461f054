import type { Channel, Versioned, WorkQueue } from '../wire/bus/channel.js';

/**
 * `none` resolves without waiting for the engine and may lose the record; `stored` resolves when the engine has it
 * as safely as it can (all replicas, or handed to every reader where the bus is in process).
 */
export type Acknowledgement = 'none' | 'stored';

export const unknownOffset = -1;

/**
 * `offset`: of the record in its partition, in which all records of a key are, the later ones behind. Within one process only kept
 * records have one, and others 0.
 */
export type OnRecord<T> = (record: T, offset: number) => void;

export interface ChannelReader {
  /** From the moment this resolves every record sent with the key is delivered. Counted: subscribe twice, unsubscribe twice. */
  subscribe(key: string): Promise<void>;
  unsubscribe(key: string): void;
  /**
   * Of a subscribed key: every record with it that has a lower offset, and has one, was handed over or was sent before the subscription; those that come
   * have this one or a higher one. Undefined where that is not known.
   */
  next(key: string): number | undefined;
  close(): Promise<void>;
}

export interface ReadOptions {
  /** `all`: every record. `subscribed`: at least the records of the subscribed keys, perhaps others too. */
  readonly interest: 'all' | 'subscribed';
}

export interface QueueWorker {
  /** Takes no more jobs; resolves when the running ones have ended. */
  close(): Promise<void>;
}

export interface WorkOptions {
  /** Maximum number of concurrent jobs; of different keys, unless the queue lets them overlap. */
  readonly concurrency: number;
}

/** Rejects with `EngineUnavailable` while the engine is unavailable. */
export interface MessageBus {
  /**
   * Keeps the order of sends with one key. Nothing reaches readers after a rejection unless the outcome is unknown. Resolves with the
   * offset of the record, or with `unknownOffset` where it is not waited for or has none.
   */
  send<T>(channel: Channel<T>, record: T, acknowledgement: Acknowledgement): Promise<number>;

  /** Resolves when reading has started. `onRecord` must not block and must not throw; order is kept by key. */
  read<T>(channel: Channel<T>, options: ReadOptions, onRecord: OnRecord<T>): Promise<ChannelReader>;

  /** Resolves when the job is safe: it survives the end of every process. */
  put<T>(queue: WorkQueue<T>, job: T): Promise<void>;

  /**
   * At least once: a job is complete when the handler has resolved. One that was rejected is retried after a pause, one whose
   * process ended by another one; the jobs of its key behind it wait, unless the queue lets them overlap. A rejection is
   * logged, unless it is `JobRequeued`.
   */
  work<T>(
    queue: WorkQueue<T>,
    options: WorkOptions,
    handler: (job: T) => Promise<void>,
  ): Promise<QueueWorker>;

  /**
   * The version in which records of the channel or queue are written: the newest that every live reader is known to read. Where
   * none is known, the newest that the previous release reads; within one process, the newest there is.
   */
  versionOf(topic: Versioned): number;

  /** Whether the engine answered when it was last needed. */
  readonly reachable: boolean;

  /** Ends readers and workers, waits for accepted records. */
  close(): Promise<void>;
}

/** Statistics of one channel in this process. */
export interface ReadStatistics {
  readonly records: number;
  /** On its connections, with everything that the protocol adds. */
  readonly bytes: number;
}

/** A bus that knows the lag of its readers and workers in this process. */
export interface MeasuredBus extends MessageBus {
  /**
   * By the name of each channel and queue that this process reads or works on: the records that are not read yet, or the
   * jobs that are not done. Channels within one process have no lag and are left out. Rejects while the engine is
   * unavailable.
   */
  lag(): Promise<ReadonlyMap<string, number>>;

  /** By the name of each channel that is read here. Empty where records do not leave the process. */
  readonly statistics: Readonly<Record<string, ReadStatistics>>;
}
