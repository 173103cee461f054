/** What a snapshot was made from, and by which fold. */
export interface SnapshotHead {
  /** Of the records in it. */
  readonly version: number;
  /** Revision of the last event that is in it. */
  readonly revision: number;
  /** Id of that event: another log, or one that was put back to an earlier time, has another one there, or none. */
  readonly event: string;
}

export interface Snapshot extends SnapshotHead {
  /** As they were written. Rejects with `DamagedSnapshot` where any is missing or another one, at the latest after the last of them. */
  readonly parts: AsyncIterable<string>;
}

/** What is kept goes when it exceeds any of these, the one that was written longest ago first. */
export interface SnapshotLimits {
  readonly retentionMs: number;
  readonly snapshots: number;
  /** Of all of them together, in UTF-8. */
  readonly bytes: number;
}

/**
 * Folded states of long streams, one for each stream. A cache: whatever is lost is made again from the event log. Rejects with
 * `EngineUnavailable` where the engine is out of reach.
 */
export interface SnapshotStore {
  /** The snapshot of a stream that was written last; undefined where none is kept. */
  find(stream: string): Promise<Snapshot | undefined>;

  /**
   * Replaces the snapshot of a stream when all parts have been written; until then, and if it fails, the one before is kept. Of two that
   * are written at the same time the one that began later is kept. A part is text of at most a few megabytes.
   */
  write(stream: string, head: SnapshotHead, parts: AsyncIterable<string>): Promise<void>;

  /** Removes the snapshots of streams. */
  remove(streams: readonly string[]): Promise<void>;

  close(): Promise<void>;
}
