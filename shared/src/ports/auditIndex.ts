import type { RecordedEvent } from '../domain/eventEnvelope.js';
import type { ViewName } from '../wire/views/views.js';
import type { LogPosition } from './eventLog.js';

export interface ChangedRecord {
  readonly view: ViewName;
  readonly id: string;
}

/** An event of the control plane, and what it is found by. */
export interface AuditEntry {
  readonly event: RecordedEvent;
  /** The records that it makes, changes or removes; not those that go with another one. */
  readonly changed: readonly ChangedRecord[];
  /** See `auditKeys`; each once. */
  readonly keys: readonly string[];
}

/** Where an entry stands: entries are in the order of their times, those of one millisecond in that of the log. */
export interface AuditPosition {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly position: LogPosition;
}

export interface AuditRange {
  readonly organizationId: string;
  /** One of the entries' keys; undefined for all of the organization. */
  readonly key?: string | undefined;
  /** Milliseconds since 1970, the first and the last that are asked for. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Exclusive, in the direction of the order. */
  readonly after?: AuditPosition | undefined;
  readonly order: 'newest first' | 'oldest first';
  readonly limit: number;
}

/**
 * The history of the control plane, by organization and key. Any number of writers may follow the log into it: what they
 * write is the same. Rejects with `EngineUnavailable` where the engine is out of reach.
 */
export interface AuditIndex {
  /** Keeps entries in the order of the log, up to a position. Repeating it changes nothing; a lower position neither. */
  record(entries: readonly AuditEntry[], position: LogPosition): Promise<void>;

  /**
   * Up to `limit` entries; fewer where they are large, but none only where there are no more. The work depends on the
   * limit and not on how long the history is.
   */
  find(range: AuditRange): Promise<readonly AuditEntry[]>;

  /** Up to where everything has been kept, undefined for nothing. */
  checkpoint(): Promise<LogPosition | undefined>;

  /** Resolves true once everything up to the position is found, false after `withinMs`. */
  reached(position: LogPosition, withinMs: number): Promise<boolean>;

  /** Forgets everything, for a log that is another one. */
  clear(): Promise<void>;

  close(): Promise<void>;
}

export const auditPositionOf = ({ metadata, position }: RecordedEvent): AuditPosition => ({
  time: Date.parse(metadata.occurredAt),
  position,
});
