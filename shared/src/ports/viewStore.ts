import type { Cascade, ViewName, Views } from '../wire/views/views.js';
import type { RecordedEvent } from '../domain/eventEnvelope.js';
import type { LogOrigin, LogPosition } from './eventLog.js';
import type { UsageStore } from './usageStore.js';

/**
 * A filter in MongoDB's query language, limited to operators that every adapter supports identically: equality on (dotted) fields,
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
  /** The position that the changes continue from, where there is one. */
  readonly after?: LogPosition | undefined;
  /** Of which log it is; absent in what only tests and tools write. */
  readonly origin?: LogOrigin | undefined;
}

/**
 * What documents are made of. From one extent to a later one of the same edition they have changed by the events between the two positions,
 * and by nothing else.
 */
export interface ViewExtent {
  readonly edition: string;
  readonly position: LogPosition;
}

/**
 * Reads of the read models: documents by view and id. A document is never changed after it was returned; do not modify it.
 * `get`, `find` and `count` reject with `EngineUnavailable` until the store admits readers: what a lost store lacks is not
 * known to be absent.
 */
export interface ViewReader {
  get<V extends ViewName>(view: V, id: string): Promise<Views[V] | undefined>;
  find<V extends ViewName>(view: V, query: ViewQuery): Promise<Views[V][]>;
  count(view: ViewName, filter: ViewFilter): Promise<number>;

  /** Position of the last batch applied, where the projector resumes; undefined for an empty store. */
  checkpoint(): Promise<LogPosition | undefined>;

  /**
   * Undefined while nobody may read them, and for an empty store. What is read afterwards holds all events up to this position, and perhaps
   * later ones. Another edition was filled or rebuilt since: any document may be another one.
   */
  extent(): Promise<ViewExtent | undefined>;

  /** That of the last batch that had one. Checkpoint and origin become undefined together, when the store is cleared. */
  origin(): Promise<LogOrigin | undefined>;

  /** Resolves true once reads through this store see everything up to the position, false after `withinMs`. */
  reached(position: LogPosition, withinMs: number): Promise<boolean>;

  /**
   * False for a new store, one whose contents were lost or cleared, and one that is being filled from the log; in a process that only
   * reads also while they are left behind.
   */
  admitsReaders(): Promise<boolean>;

  /**
   * Whether these read models have lacked for ten seconds what projectors of another version have told of, because nobody writes them. A
   * process that only reads is refused by them then, as above, and must not use what it remembers of them: a right may have been revoked.
   */
  readonly isLeftBehind: boolean;
}

/** The read models, written by one projector and read by many. */
export interface ViewStore extends ViewReader {
  /**
   * Applies the changes in order, then advances the checkpoint. After a crash at any point the checkpoint is never ahead
   * of the documents, so that resuming from it repeats work and never skips any.
   * Rejects with `StaleBatch` at or before the checkpoint, and where the checkpoint is not as far as `after`, because the
   * documents were cleared or lost since: a projector that has lost the lead must stop.
   */
  apply(batch: ViewBatch): Promise<void>;

  /**
   * Applies changes ahead of the batch that they belong to, also while another batch is applied, which must not change the same documents;
   * the next batch must not begin before this resolves. Moves no checkpoint: the changes come again with their batch. Resolves true once
   * readers see them; false where this store cannot tell that it leads, and that they will go on seeing them.
   */
  applyAhead(changes: readonly ViewChange[]): Promise<boolean>;

  /**
   * Removes the documents of a cascade, and then the cascade, beside the batches: none of them waits for more than a slice of it. From
   * time to time it notes in the cascade how many it has removed. Resolves early where the signal aborts; what was removed until
   * then, or until a crash, is not removed again by the next sweep. Rejects with `StaleBatch` where the checkpoint is before the deletion, and
   * once another projector has taken the lead.
   */
  sweep(cascade: Cascade, signal: AbortSignal): Promise<void>;

  /** The documents are whole up to this position, or the log is empty: they are read from now on, also by other processes. */
  admitReaders(upTo: LogPosition | undefined): Promise<void>;

  /** Removes every document and the checkpoint, for a rebuild from the log. Readers are no longer admitted. */
  clear(): Promise<void>;

  /** Starts building the documents again beside the live ones; a rebuild that was started before is superseded. */
  rebuild(): Promise<ViewRebuild>;
}

/**
 * Read models that are being built beside the live ones, to replace them. No reader sees them before `takeOver`, and a
 * rebuild that ends early leaves the live ones as they are. All methods reject with `RebuildSuperseded` once another rebuild
 * of the same read models has started, or they have been cleared.
 */
export interface ViewRebuild {
  /** Applies the changes in order, from the first event of the log on. A batch that failed may be repeated. */
  apply(batch: ViewBatch): Promise<void>;

  /**
   * Resolves true once they are live, with these changes on top; false where the live ones are at another position. The
   * projector may then be held back for a moment, so that catching up and trying again is worthwhile.
   * Reads never go back in time, no batch of the projector is lost, and the last uses and the usage stay.
   * Readers in other processes continue on the replaced documents, which are kept up to date, for seconds at most.
   */
  takeOver(changes: readonly ViewChange[]): Promise<boolean>;

  /** Removes the new generation, unless it has become live. */
  abandon(): Promise<void>;
}

/** Read models of some events alone, in memory, folded by the projectors that maintain the live ones. */
export interface ViewFold {
  /** Applies all of the event's changes or none. An event that cannot be read changes nothing, as in the live read models. */
  apply(event: RecordedEvent): void;
  get<V extends ViewName>(view: V, id: string): Views[V] | undefined;
  find<V extends ViewName>(view: V, filter: ViewFilter): Views[V][];
}

export type CreateViewFold = () => ViewFold;

/** A process that reads the read models for its clients, and keeps those of its version in being. */
export interface RegisteredReader {
  /** Its services, for operators. */
  readonly name: string;
  /** Whether a projector in the same process writes what it reads. */
  readonly isWriter: boolean;
}

/** How far the log goes that read models are made from. */
export interface LogExtent {
  /** The identity of the log. */
  readonly log: string;
  readonly head: LogPosition;
}

/** Read models of a version that processes read and nobody writes. */
export interface LeftBehind {
  readonly version: number;
  /** The names of those processes. */
  readonly readers: readonly string[];
}

/** The read models of other versions in the same database, each of which has projectors and readers of its own. */
export interface ViewVersions {
  /**
   * One look, which each process that projects takes every two seconds: the bounds here are counted in looks.
   * - Readers of other versions learn how far the log goes, and stop reading what lacks it for ten seconds: see `isLeftBehind`.
   * - Read models of older versions are dropped once the own ones admit readers and, for half a minute, nobody has read the older ones
   *   or written what they lack. A projector of that version makes them anew.
   *
   * What is made from another log stays as it is. Resolves with the versions whose readers are left behind.
   */
  tend(extent: LogExtent): Promise<readonly LeftBehind[]>;
}

/** The view store and the usage store, which share one database. */
export interface ViewStores {
  readonly views: ViewStore;
  readonly usage: UsageStore;
  readonly versions: ViewVersions;
  /** Writes pending changes. Afterwards every call rejects with `EngineUnavailable`. */
  close(): Promise<void>;
}
