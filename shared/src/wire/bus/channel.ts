/** The position of a span in its trace: the W3C Trace Context's `traceparent`. Holds nothing but ids. */
export type TraceParent = string;

/** The record versions of a channel or a queue, each of which counts its own. */
export interface RecordVersions {
  /** The newest that this release writes. It reads all of them, from the oldest that the previous release writes. */
  readonly newest: number;
  /** The newest that the previous release reads. */
  readonly previous: number;
}

/** How records of one kind look on the wire of an engine. Adapters within one process hand over the record itself. */
export interface RecordCodec<T> {
  /** Absent where there is only version 1. */
  readonly versions?: RecordVersions | undefined;
  /** In the newest version, or in an earlier one for readers that know no later one. */
  encode(record: T, version?: number): Uint8Array;
  /** Throws for bytes that this version does not know. */
  decode(bytes: Uint8Array): T;
}

/** A channel or a queue, as far as its record versions go. */
export interface Versioned {
  readonly name: string;
  readonly codec: Pick<RecordCodec<never>, 'versions'>;
}

const onlyOne: RecordVersions = { newest: 1, previous: 1 };

export const versionsOf = ({ codec }: Versioned): RecordVersions => codec.versions ?? onlyOne;

/** Carries a part of a record in a header, outside what its codec writes: readers that do not know it read the rest. */
export interface HeaderCarrier<T> {
  readonly header: string;
  /** Undefined for a record without it. */
  readonly of: (record: T) => string | undefined;
  readonly onto: (record: T, text: string) => T;
}

/** As OpenTelemetry and others have it, on Kafka as in HTTP. */
export const traceHeader = 'traceparent';

/** A broadcast stream: each reader gets every record that is sent while it reads. */
export interface Channel<T> {
  readonly name: string;
  /** Records of one key keep their order. */
  readonly key: (record: T) => string;
  readonly codec: RecordCodec<T>;
  /** Latin-1, for few of the records: a header costs the library a fifth of all it does for one. */
  readonly carried?: readonly HeaderCarrier<T>[];
}

/** A durable work queue: each job is done by one of the workers. */
export interface WorkQueue<T> {
  readonly name: string;
  /** Due jobs of one key are processed one at a time, in the order in which they were put. */
  readonly key: (job: T) => string;
  readonly codec: RecordCodec<T>;
  /** A job becomes due this long after it was put; 0 for immediately. */
  readonly delayMs: number;
  /**
   * The next job of a key is started, in the same order, before the one in front of it has ended; one that failed is
   * retried on its own. For handlers that keep the order themselves.
   */
  readonly overlaps?: boolean;
  /** A retired queue: takes no new jobs, but existing ones are processed. Engines do not create it if it is missing. */
  readonly isRetired?: boolean;
}
