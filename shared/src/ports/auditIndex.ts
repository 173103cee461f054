import type { RecordedEvent } from '../domain/eventEnvelope.js';
import type { ViewName } from '../wire/views/views.js';
import type { LogOrigin, LogPosition } from './eventLog.js';

export interface ChangedRecord {
  readonly view: ViewName;
  readonly id: string;
}

/** An event of the control plane, and the keys that it is found by. */
export interface AuditEntry {
  readonly event: RecordedEvent;
  /** The resources that it creates, changes or removes, without those removed along with another one. */
  readonly changed: readonly ChangedRecord[];
  /** See `auditKeys`; each once. */
  readonly keys: readonly string[];
  /** Whoever made the entry is older than the event: it lacks what the event changes, and the keys of that. */
  readonly isUnread?: true;
}

/** The position of an entry: entries are ordered by time, those of one millisecond by log position. */
export interface AuditPosition {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly position: LogPosition;
}

export interface AuditRange {
  readonly organizationId: string;
  /** One of the entries' keys; undefined for all of the organization. */
  readonly key?: string | undefined;
  /** Milliseconds since 1970, both inclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Exclusive, in the direction of the order. */
  readonly after?: AuditPosition | undefined;
  readonly order: 'newest first' | 'oldest first';
  readonly limit: number;
}

/**
 * The history of the control plane, by organization and key. Any number of writers may follow the log into it: what they
 * write is the same, but for events that some of them cannot read. Rejects with `EngineUnavailable` if the engine cannot be reached.
 */
export interface AuditIndex {
  /**
   * Writes entries in log order, up to a position, and of which log. Idempotent; a lower position changes no checkpoint. An unread
   * entry never takes the place of one that is there.
   */
  record(entries: readonly AuditEntry[], position: LogPosition, origin?: LogOrigin): Promise<void>;

  /**
   * Up to `limit` entries; fewer where they are large, but none only where there are no more. The work depends on the
   * limit and not on how long the history is.
   */
  find(range: AuditRange): Promise<readonly AuditEntry[]>;

  /** Up to `limit` unread entries of all organizations, in log order, behind a position; fewer as with `find`. */
  findUnread(after: LogPosition | undefined, limit: number): Promise<readonly AuditEntry[]>;

  /** Position up to which everything is indexed, undefined for an empty index. */
  checkpoint(): Promise<LogPosition | undefined>;

  /** The last that was recorded. Checkpoint and origin become undefined together, when the index is cleared. */
  origin(): Promise<LogOrigin | undefined>;

  /** Resolves true once everything up to the position can be found, false after `withinMs`. */
  reached(position: LogPosition, withinMs: number): Promise<boolean>;

  /** Removes everything, for another log. */
  clear(): Promise<void>;

  close(): Promise<void>;
}

export const auditPositionOf = ({ metadata, position }: RecordedEvent): AuditPosition => ({
  time: Date.parse(metadata.occurredAt),
  position,
});
