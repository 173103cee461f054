/** Of one shard. */
export interface Lease {
  /** The id of a member; null where nobody owns it. */
  readonly owner: string | null;
  readonly term: number;
}

/** The leases of one work, which are changed together. */
export interface WorkLeases {
  /** Rises with each change; 0 for a work that has none yet. */
  readonly revision: number;
  /** By shard. */
  readonly leases: readonly Lease[];
}

/** A process, for as long as it has not failed to renew what it owns. */
export interface Member {
  readonly id: string;
  /** Rises with each renewal, which is one for all that the process owns. */
  readonly beat: number;
  readonly works: readonly string[];
}

export interface LeaseReading {
  readonly works: ReadonlyMap<string, WorkLeases>;
  /** Read after the works: whoever owns something there has been a member before. */
  readonly members: readonly Member[];
}

/** Where processes find each other's leases. Every method rejects with `EngineUnavailable` when it does not know the outcome. */
export interface LeaseTable {
  renew(member: Member): Promise<void>;
  read(works: readonly string[]): Promise<LeaseReading>;
  /** Replaces the leases of that revision; false if they have changed meanwhile. */
  swap(work: string, revision: number, leases: readonly Lease[]): Promise<boolean>;
  /** Members that have left or died, if they are as they were seen. */
  forget(members: readonly Pick<Member, 'id' | 'beat'>[]): Promise<void>;
  close(): Promise<void>;
}
