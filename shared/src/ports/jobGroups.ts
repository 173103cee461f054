/** How the jobs of a group are handed out. */
export interface JobOptions {
  /** Jobs that one member has not acknowledged, at most. */
  readonly prefetch: number;
  /** What is not acknowledged within these seconds is handed out again. */
  readonly ackSeconds: number;
  /** A job that was handed out as often, and not acknowledged, is a dead letter. */
  readonly maxDeliveries: number;
}

/** A room in a scope, with what its internal address is made of. */
export interface JobRoom {
  readonly projectId: string;
  readonly appId: string;
  readonly roomId: string;
  /** Null outside of every scope. */
  readonly accessScopeId: string | null;
  /** Internal. */
  readonly room: string;
}

export interface NewJobGroup extends JobRoom {
  /** Within the room. */
  readonly topic: string;
  readonly name: string;
  readonly options: JobOptions;
}

/** A worker group with jobs. Times are Unix milliseconds. */
export interface JobGroup {
  readonly groupId: string;
  /** Within the room. */
  readonly topic: string;
  readonly name: string;
  readonly accessScopeId: string | null;
  readonly options: JobOptions;
  /** Jobs that are not settled, those in flight among them. */
  readonly depth: number;
  /** Jobs that members have and did not acknowledge yet. */
  readonly inFlight: number;
  /** When the oldest of its jobs was published; null without any. */
  readonly oldestAt: number | null;
  /** Connections, on all gateways. */
  readonly members: number;
  readonly createdAt: number;
}

export type CreatedJobGroup =
  | { readonly group: JobGroup; readonly isNew: boolean }
  /** The group has members without jobs. */
  | 'withoutJobs';

/** A job that waits, or is in flight. */
export interface PeekedJob {
  readonly msgId: string;
  /** `actorTokenId` of the publisher, null for a backend. */
  readonly from: string | null;
  /** Unix milliseconds. */
  readonly at: number;
  /** How often it was handed out. */
  readonly deliveries: number;
  readonly filters: readonly string[];
  /** The complete `message`, MessagePack. */
  readonly body: Uint8Array;
}

/** The worker groups with jobs, wherever they are. Everything rejects with `EngineUnavailable` where their owner does not answer. */
export interface JobGroups {
  /** A group that collects until it is deleted. One that is there gets the options, and is such a group from then on. */
  create(group: NewJobGroup): Promise<CreatedJobGroup>;

  /** All of a room, in all its scopes or in one; in the order of their ids. */
  list(projectId: string, roomId: string): Promise<readonly JobGroup[]>;

  /** Undefined for a group that is not one of the room. */
  get(projectId: string, roomId: string, groupId: string): Promise<JobGroup | undefined>;

  /** The oldest of its jobs, without taking them; undefined for a group that is not one of the room. */
  peek(
    projectId: string,
    roomId: string,
    groupId: string,
    limit: number,
  ): Promise<readonly PeekedJob[] | undefined>;

  /** With its jobs; its members' subscriptions end. False for a group that is not one of the room. */
  delete(projectId: string, roomId: string, groupId: string): Promise<boolean>;
}
