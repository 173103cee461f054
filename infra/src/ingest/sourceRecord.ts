/** A record of a customer's own topic. */
export interface SourceRecord {
  readonly partition: number;
  readonly offset: number;
  readonly key: Uint8Array | undefined;
  /** Undefined for one that says that its key is deleted. */
  readonly value: Uint8Array | undefined;
  readonly header: (name: string) => Uint8Array | undefined;
}

/** The records of a topic, those of a partition in their order. */
export interface RecordSource {
  /** Ends when the signal aborts. */
  records(signal: AbortSignal): AsyncIterable<SourceRecord>;
  /**
   * These and all in front of them in their partitions are done with: whoever reads the partitions next begins behind them. Never
   * rejects: what could not be said is said with the next ones, or the records come again.
   */
  done(records: readonly SourceRecord[]): Promise<void>;
}
