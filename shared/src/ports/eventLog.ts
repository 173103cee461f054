import type { AppendedEvent, RecordedEvent } from '../domain/eventEnvelope.js';

/** A position in the whole log. Fixed width, so that `<` on two positions of one log is their order. */
export type LogPosition = string;

/** Revision of the last event that the writer has seen, or `none` for a stream that must not exist yet. */
export type ExpectedRevision = number | 'none';

export interface AppendResult {
  /** Revision of the last event written; the first event of a stream has revision 0 in every adapter. */
  readonly revision: number;
  /** Position of the last event written. */
  readonly position: LogPosition;
}

/**
 * The log that something was made from, and up to where. It matches a log that has this event at this position: a different log has a different
 * event there, and a log that was restored to an earlier time has none, or a different one.
 */
export interface LogOrigin {
  /** The identity of the log. */
  readonly log: string;
  readonly position: LogPosition;
  /** Id of the event at the position. */
  readonly event: string;
}

export interface LogSubscriber {
  /**
   * Events in log order, each exactly once, the next batch only after the returned promise has resolved.
   * A rejection ends the subscription: `done` rejects with it.
   */
  onEvents(events: readonly RecordedEvent[]): Promise<void>;
  /** Everything that was in the log when the subscription started (or resumed) has been delivered. May repeat. */
  onCaughtUp?(): void;
}

export interface LogSubscription {
  /** Resolves after `close`, rejects when the subscriber failed. While an engine is unavailable the adapter retries. */
  readonly done: Promise<void>;
  /** Resolves when the current batch has been handled; nothing is delivered afterwards. */
  close(): Promise<void>;
}

/**
 * The append-only history of the control plane, in one total order.
 *
 * Appends to one stream are linearizable: of two writers with the same expectation one wins and the other
 * gets `RevisionConflict`. Readers and subscribers never see a part of an append, nor one that is not on disk yet.
 * Event ids are UUIDs; data and metadata are returned as JSON preserves them.
 */
export interface EventLog {
  /**
   * All or nothing, and on disk when it resolves. A stale `expected` rejects with `RevisionConflict`, unless the
   * same events (by id) are already there: then the first result is returned and nothing is written,
   * so that an append whose answer was lost may be repeated. `EngineUnavailable` means that the outcome is unknown,
   * or that the log has been closed; `AppendTooLarge`, that the append exceeds the limit of the engine.
   */
  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly [AppendedEvent, ...AppendedEvent[]],
  ): Promise<AppendResult>;

  /** A stream's events in order, from a revision on (inclusive, 0 by default); nothing for an unknown stream. */
  readStream(stream: string, fromRevision?: number): AsyncIterable<readonly RecordedEvent[]>;

  /** The last event of a stream, undefined for an unknown stream. */
  readLast(stream: string): Promise<RecordedEvent | undefined>;

  /**
   * Every event in log order, after a position (exclusive), up to the end of the log at the time it is reached. Rejects with a
   * `RangeError` if there is no such position.
   */
  readAll(after?: LogPosition): AsyncIterable<readonly RecordedEvent[]>;

  /**
   * Catch-up, then live: every event after the position, without gaps or duplicates. `done` rejects with a `RangeError` if there
   * is no such position.
   */
  subscribeAll(after: LogPosition | undefined, subscriber: LogSubscriber): LogSubscription;

  /** Position of the last event, undefined when the log is empty. */
  head(): Promise<LogPosition | undefined>;

  /** Id of the first event, which is unique to the log and kept by its copies and backups; undefined when the log is empty. */
  identity(): Promise<string | undefined>;

  /** The event at a position; undefined if this log has none there, for any text. */
  readAt(position: LogPosition): Promise<RecordedEvent | undefined>;

  /** Ends the subscriptions and waits for appends in progress. The log must not be used afterwards. */
  close(): Promise<void>;
}
