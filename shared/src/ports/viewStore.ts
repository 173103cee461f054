import type { ViewName, Views } from '../wire/views/views.js';
import type { LogPosition } from './eventLog.js';
import type { ViewRebuild } from './viewRebuild.js';

/**
 * A filter in MongoDB's query language, limited to what every adapter answers alike: equality on (dotted) fields,
 * `$eq $ne $gt $gte $lt $lte $in $nin $exists $regex/$options $elemMatch`, and `$and $or $nor $not`.
 */
export type ViewFilter = Readonly<Record<string, unknown>>;

export interface ViewQuery {
  readonly filter?: ViewFilter;
  /** Field and direction, most significant first. Without it the order is not defined. */
  readonly sort?: readonly (readonly [field: string, direction: 1 | -1])[];
  readonly skip?: number;
  readonly limit?: number;
}

/** A change of the read models. Each is idempotent: repeating a whole batch in order changes nothing. */
export type ViewChange = {
  [V in ViewName]:
    | { readonly put: V; readonly id: string; readonly doc: Views[V] }
    /** Sets top-level fields of one document; nothing happens when it does not exist. */
    | { readonly patch: V; readonly id: string; readonly set: Partial<Views[V]> }
    | { readonly patchWhere: V; readonly filter: ViewFilter; readonly set: Partial<Views[V]> }
    | { readonly remove: V; readonly id: string }
    | { readonly removeWhere: V; readonly filter: ViewFilter };
}[ViewName];

export interface ViewBatch {
  readonly changes: readonly ViewChange[];
  /** Position of the last event that the changes come from. */
  readonly position: LogPosition;
}

/** When something was last used, by the identifier of its record. */
export interface LastUse {
  readonly id: string;
  /** ISO 8601, UTC, milliseconds. */
  readonly at: string;
}

/** What one writer has counted of a project's accepted publishes in a month, all in all. */
export interface MessageCount {
  readonly projectId: string;
  /** `YYYY-MM`, UTC. */
  readonly month: string;
  readonly messages: number;
}

/** The live connections of a gateway at a time. */
export interface ConnectionCount {
  readonly gatewayId: string;
  /** ISO 8601, UTC, milliseconds. */
  readonly at: string;
  /** By organization, in whose identifier there is no dot or `$`. Those that have none may be absent. */
  readonly connections: Readonly<Record<string, number>>;
}

/**
 * The read models: documents by view and id, written by one projector, read by many.
 *
 * A document that was handed out is never changed afterwards, and must not be changed by the reader.
 */
export interface ViewStore {
  get<V extends ViewName>(view: V, id: string): Promise<Views[V] | undefined>;
  find<V extends ViewName>(view: V, query: ViewQuery): Promise<Views[V][]>;
  count(view: ViewName, filter: ViewFilter): Promise<number>;

  /**
   * Applies the changes in order and moves the checkpoint with them. After a crash at any point the checkpoint is
   * never ahead of the documents, so that going on from it repeats work and never skips any.
   * A position at or before the checkpoint is refused with `StaleBatch`: a projector that lost its lead must stop.
   */
  apply(batch: ViewBatch): Promise<void>;

  /** Where the projector goes on: position of the last batch that has been kept, undefined for an empty store. */
  checkpoint(): Promise<LogPosition | undefined>;

  /** Resolves true once reads through this store see everything up to the position, false after `withinMs`. */
  reached(position: LogPosition, withinMs: number): Promise<boolean>;

  /** Removes every document and the checkpoint, for a rebuild from the log. */
  clear(): Promise<void>;

  /** Begins to build the documents anew beside those that are read; one that was begun before is over. */
  rebuild(): Promise<ViewRebuild>;

  /**
   * Keeps when records were last used. No event tells, so it is kept beside the read models: `clear` leaves it, and so
   * does a rebuild. The latest time of an id wins, in whatever order they come and whoever notes them.
   * A crash may cost what was noted in the minute before it. What is known of a removed record may be forgotten.
   */
  noteUses(uses: readonly LastUse[]): Promise<void>;

  /** The last uses of these records, by id; without those of which none was noted. */
  lastUses(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;

  /**
   * Keeps what a writer has counted so far; nobody else may write under its name, which has no dot or `$`. The highest
   * count wins: whoever does not know whether a write arrived repeats it. Kept as the last uses are, and durable when
   * it resolves; where the disk refuses, the embedded store tries again after it has resolved.
   */
  noteUsage(writer: string, counts: readonly MessageCount[]): Promise<void>;

  /** The sum over all writers, by project; without those of which nothing was noted in that month. */
  usage(projectIds: readonly string[], month: string): Promise<ReadonlyMap<string, number>>;

  /** Takes the place of what the gateway noted before. Of use for seconds: a store opened again may have forgotten it. */
  noteConnections(count: ConnectionCount): Promise<void>;

  /** Live connections of an organization, on the gateways that have noted theirs at this time (ISO 8601) or later. */
  connections(organizationId: string, since: string): Promise<number>;

  /** Keeps what has been applied and noted. The store must not be used afterwards. */
  close(): Promise<void>;
}
