/** A worker group with jobs, as its backend has set it up. */
export interface ConfiguredJobGroup {
  readonly appId: string;
  readonly roomId: string;
  readonly groupId: string;
  /** Null outside of every scope. */
  readonly accessScopeId: string | null;
  /** Within the room. */
  readonly topic: string;
  readonly name: string;
  readonly options: {
    readonly prefetch: number;
    readonly ackSeconds: number;
    readonly maxDeliveries: number;
  };
}

export type DeletedJobGroup = Omit<ConfiguredJobGroup, 'options'>;

/** Stored in the stream of the app's rooms, as a record of who did it: the groups themselves are with the gateways. */
export type JobGroupEvent =
  | { readonly type: 'JobGroupConfigured'; readonly data: ConfiguredJobGroup }
  | { readonly type: 'JobGroupDeleted'; readonly data: DeletedJobGroup };
