import type { LogOrigin, LogPosition } from './eventLog.js';

/** A room in a scope. */
export interface RollId {
  readonly roomId: string;
  readonly accessScopeId: string | null;
}

/** Who was reported present in a room and a scope, and the events that its webhook has not had yet. */
export interface Roll extends RollId {
  readonly shard: number;
  readonly projectId: string;
  readonly appId: string;
}

/** A step of a roll, in a form that its owner alone reads. */
export interface RollRecord {
  /** The first is 1, each next one more. */
  readonly revision: number;
  /** Of the shard, when its owner wrote it. */
  readonly term: number;
  readonly content: Uint8Array;
}

export interface NewRollRecord extends RollRecord {
  readonly roll: Roll;
  /** Nobody is present and nothing waits: the roll need not be opened before somebody comes. */
  readonly isIdle: boolean;
  /** From this revision on the records say everything, and those before it are removed. */
  readonly from?: number | undefined;
}

export interface StoredRoll {
  readonly roll: Roll;
  /** Oldest first, the last revision at the end. */
  readonly records: readonly RollRecord[];
  /** The sequence up to which the events of the roll were delivered, or became dead letters. */
  readonly settled: number;
}

/** `overtaken`: a record of this revision, a later one, or one of a later term is there, by another owner. */
export type RollWrite = 'stored' | 'overtaken';

/** A roll is a log of records with one writer at a time; what others learn of it, they settle. Rejects with `EngineUnavailable`. */
export interface RoomEventStore {
  /** The rolls of a shard that are not idle: which, because they may be too large to have all of them at once. */
  openIn(shard: number): Promise<readonly RollId[]>;

  /** Also an idle one, and however large it is. */
  read(id: RollId): Promise<StoredRoll | undefined>;

  /**
   * Of different rolls. Resolves when each is durable or refused. After a rejection any of them may have been stored: the very same record
   * once more is `stored`.
   */
  append(records: readonly NewRollRecord[]): Promise<readonly RollWrite[]>;

  /** By anybody, in any order: what is settled stays so. Durable once resolved; nothing happens to a roll that is not there. */
  settle(id: RollId, upTo: number): Promise<void>;

  /** Of rolls that are there, in any order. */
  settledOf(ids: readonly RollId[]): Promise<readonly (RollId & { readonly settled: number })[]>;

  remove(id: RollId): Promise<void>;

  /** All rolls of projects, apps or scopes; of rooms only the idle ones, because the owners of the others have to tell that they have ended. */
  removeOf(owners: readonly string[]): Promise<void>;

  /** Up to where the events that remove rolls have been followed; undefined for none. */
  checkpoint(): Promise<LogPosition | undefined>;
  moveCheckpoint(position: LogPosition | undefined, origin?: LogOrigin): Promise<void>;

  /** That of the last move which had one; undefined where there is no checkpoint. */
  origin(): Promise<LogOrigin | undefined>;

  close(): Promise<void>;
}

/** The key of a roll, for maps and for its shard. */
export const rollKey = ({ roomId, accessScopeId }: RollId): string => `${roomId}/${accessScopeId ?? '_'}`;

export const rollOfKey = (key: string): RollId => {
  const [roomId = '', scope] = key.split('/');
  return { roomId, accessScopeId: scope === '_' ? null : (scope ?? null) };
};
