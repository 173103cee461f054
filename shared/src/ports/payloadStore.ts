import type { LogOrigin, LogPosition } from './eventLog.js';

export interface PayloadLimits {
  /** A payload is kept this long. */
  readonly retentionMs: number;
  /** Of all payloads of a project together. */
  readonly quotaBytes: number;
}

export interface NewPayload {
  readonly id: string;
  readonly projectId: string;
  /** Ids of the records that it is removed with; it is also removed with its own id and its project's. */
  readonly owners: readonly string[];
  readonly content: Uint8Array;
}

export interface Pruned {
  readonly expired: number;
  /** Because a project was over its quota. */
  readonly evicted: number;
}

/**
 * What is too large, or too private, to be in the event log for ever: kept for a time, and by project up to a quota, at which the
 * oldest go first. Rejects with `EngineUnavailable` where the engine is out of reach.
 */
export interface PayloadStore {
  readonly limits: PayloadLimits;

  /**
   * Resolves when the payload survives the end of every process, with the number of payloads that went for its sake; one
   * that is larger than the quota is not kept and counts itself. Repeating it changes nothing: the first content and time stay.
   */
  put(payload: NewPayload): Promise<number>;

  /** Undefined for one that is not kept any more, which is exact to the millisecond for its retention. */
  get(id: string): Promise<Uint8Array | undefined>;

  /** Removes the payloads of any of these records, projects or payloads, and resolves with their number. */
  removeOf(owners: readonly string[]): Promise<number>;

  /** Removes what has expired and what is over a quota, in steps that leave others their turn. */
  prune(): Promise<Pruned>;

  /** Up to where the events that remove payloads have been followed; undefined for none. */
  checkpoint(): Promise<LogPosition | undefined>;
  moveCheckpoint(position: LogPosition | undefined, origin?: LogOrigin): Promise<void>;

  /** That of the last move which had one; undefined where there is no checkpoint. */
  origin(): Promise<LogOrigin | undefined>;

  close(): Promise<void>;
}
