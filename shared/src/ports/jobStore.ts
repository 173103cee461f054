import type { LogOrigin, LogPosition } from './eventLog.js';

/** How a group hands out its jobs. */
export interface JobGroupOptions {
  readonly prefetch: number;
  readonly ackSeconds: number;
  readonly maxDeliveries: number;
}

/** What a group is removed with. */
export interface JobGroupOwners {
  readonly projectId: string;
  readonly appId: string;
  readonly roomId: string;
  /** Null outside of every scope. */
  readonly accessScopeId: string | null;
}

/** A worker group with jobs. All times are Unix milliseconds. */
export interface JobGroupRecord {
  /** Never given to another one. */
  readonly groupId: string;
  /** Of its room; never changes, as little as the next three. */
  readonly shard: number;
  /** Internal, as those of a live message. */
  readonly room: string;
  readonly topic: string;
  /** The only one of its topic with this name. */
  readonly name: string;
  readonly owners: JobGroupOwners;
  readonly options: JobGroupOptions;
  /** Made over REST: it collects until it is deleted. */
  readonly isPermanent: boolean;
  readonly createdAt: number;
  /** Since when it has no member; null while it has one. */
  readonly emptiedAt: number | null;
}

/** A group as it is stored. */
export interface StoredJobGroup extends JobGroupRecord {
  readonly depth: number;
  /** Of the messages of its jobs. */
  readonly bytes: number;
  /** The highest number that a job of the group has ever had; 0 for none. */
  readonly lastSeq: number;
  /** That of the last commit that had one; -1 before. */
  readonly collected: number;
}

/** What an owner of a shard begins with. */
export interface StoredShard {
  readonly groups: readonly StoredJobGroup[];
  /** The last ones that were committed. */
  readonly positions: ReadonlyMap<number, number>;
}

export interface NewJob {
  /** Its number in the group, higher than all before; costs least where it is the next one. */
  readonly seq: number;
  readonly message: Uint8Array;
  readonly addedAt: number;
  /** Of its message, where that may be published once more, or of its redrive; see `recentIds`. */
  readonly id?: string;
}

/** What changes of a job that waits. */
export interface JobProgress {
  readonly seq: number;
  /** How often it was handed out, and how often of that counts towards `maxDeliveries`; at most 65,535 each. */
  readonly deliveries: number;
  readonly counted: number;
  /** Not handed out before; 0 for at once. */
  readonly dueAt: number;
}

export interface StoredJob extends Omit<NewJob, 'id'>, JobProgress {}

/** Of one group. All of it happens, or nothing. */
export interface JobChanges {
  readonly groupId: string;
  /** In the order of their numbers. Those whose numbers are not higher than `lastSeq` are there already, and are passed over. */
  readonly add?: readonly NewJob[];
  /** Here and in `settled`: jobs that are not there are passed over. */
  readonly changed?: readonly JobProgress[];
  /** Are gone for good; those of `add` as well. */
  readonly settled?: readonly number[];
  /** How far the owner has read what the group collects from. */
  readonly collected?: number;
}

/** Where the owner of a shard begins to read a partition of the bus, by its number. */
export type ReadingPositions = ReadonlyMap<number, number>;

export interface JobPageBounds {
  /** Behind this number. */
  readonly after: number;
  readonly jobs: number;
  /** Of messages; the page has a job although its first is larger. */
  readonly bytes: number;
}

/** Another process owns the shard: whatever this one keeps of it is out of date, and nothing was written. */
export class StaleTerm extends Error {
  override readonly name = 'StaleTerm';

  constructor(shard: number, term: number) {
    super(`The shard ${shard} has another owner than that of term ${term}`);
  }
}

/**
 * The worker groups with jobs and what they have to do. A shard has one owner at a time, and everything that this one writes carries the term of
 * its ownership. Durable once resolved. Everything rejects with `EngineUnavailable` where the engine is out of reach: whether it was written is
 * then unknown, and the same once more changes nothing that was.
 */
export interface JobStore {
  /**
   * Makes the caller the owner: whatever comes with an earlier term from then on is refused with `StaleTerm`, as this is where the shard
   * has a later one. Takes no longer for a group with a million jobs.
   */
  take(shard: number, term: number): Promise<StoredShard>;

  /** The caller owns the shard no more, in this term or an earlier one: nothing is kept in memory for it. */
  release(shard: number, term: number): Promise<void>;

  /** The group of this name, whoever owns it: here and below as of its last commit. */
  find(topic: string, name: string): Promise<StoredJobGroup | undefined>;

  group(groupId: string): Promise<StoredJobGroup | undefined>;

  /** Those of a project, an app, a room or a scope, by its id. */
  groupsOf(owner: string): Promise<readonly StoredJobGroup[]>;

  /** Adds the group, or replaces what is said of it; its jobs stay. */
  write(group: JobGroupRecord, term: number): Promise<void>;

  /** Replaces what is said of a group. One that is not there is passed over. */
  describe(group: JobGroupRecord, term: number): Promise<void>;

  /**
   * What has changed in groups of the shard, one call at a time by its owner. Each group has all of its changes or none; of a rejected call any of
   * them. Groups that are not there are passed over.
   */
  commit(
    shard: number,
    term: number,
    changes: readonly JobChanges[],
    positions?: ReadingPositions,
  ): Promise<void>;

  /** The next jobs in the order of their numbers, delayed ones among them; none of a group that is not there. For the owner alone. */
  page(groupId: string, bounds: JobPageBounds): Promise<readonly StoredJob[]>;

  /** Those that are there, in the order of their numbers. For the owner alone. */
  get(groupId: string, seqs: readonly number[]): Promise<readonly StoredJob[]>;

  /**
   * The ids that came with jobs which were added since then, whatever has become of them, and perhaps some earlier ones: of the newest 50,000 numbers
   * at least. For the owner alone.
   */
  recentIds(groupId: string, since: number): Promise<readonly string[]>;

  /** With its jobs; at once for everybody, whatever its size. */
  remove(groupId: string, term: number): Promise<void>;

  /** Removes all groups of projects, apps, rooms and scopes, by their ids, whoever owns them. Resolves with the ids of the groups. */
  removeOf(owners: readonly string[]): Promise<readonly string[]>;

  /** Of the event log, for whoever follows it to remove groups. */
  checkpoint(): Promise<LogPosition | undefined>;
  origin(): Promise<LogOrigin | undefined>;
  /** Undefined for the beginning. */
  moveCheckpoint(position: LogPosition | undefined, origin?: LogOrigin): Promise<void>;

  /** Waits for what was called before. Idempotent; everything else rejects with `EngineUnavailable` from then on. */
  close(): Promise<void>;
}
