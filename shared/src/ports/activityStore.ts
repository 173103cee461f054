/** What is counted by project and minute; the connections are those at the end of the minute. */
export const activityFields = [
  ...(['connections', 'messagesIn', 'messagesOut'] as const),
  ...(['webhookCallsDelivered', 'webhookCallsFailed', 'refusals'] as const),
] as const;

export type ActivityField = (typeof activityFields)[number];

/** In the order of `activityFields`. */
export type ActivityCounts = readonly number[];

/** What one process has counted in one minute. */
export interface MinuteAccount {
  /** Minutes since 1970. */
  readonly minute: number;
  /** By project; those of which there is nothing to tell are absent. */
  readonly projects: ReadonlyMap<string, ActivityCounts>;
}

/** A process that counts, and how far it has told. */
export interface ActivityWriter {
  /** Names it; no other process ever has the name. */
  readonly writer: string;
  /** The minute in which it began. */
  readonly from: number;
  /** The last minute of which it has told, or would have. */
  readonly upTo: number;
  /** Minutes in between of which it cannot tell. */
  readonly missing: readonly number[];
  /** Whether it has ended, and told everything. */
  readonly hasEnded: boolean;
}

export interface ActivityRange {
  readonly projectId: string;
  /** Minutes since 1970: the first one, and the one behind the last. */
  readonly from: number;
  readonly to: number;
}

/** All that is kept of a range. */
export interface ActivityFound {
  readonly writers: readonly ActivityWriter[];
  readonly accounts: readonly { readonly minute: number; readonly counts: ActivityCounts }[];
}

/**
 * What happens in projects, minute by minute, for some hours. Any number of processes write; losing it is no loss of anything else. Rejects with
 * `EngineUnavailable` where the engine is out of reach.
 */
export interface ActivityStore {
  /** The accounts are there before the writer is said to have told them. Repeating it changes nothing. */
  note(accounts: readonly MinuteAccount[], writer: ActivityWriter): Promise<void>;

  /** Includes all writers that may have counted in the range. */
  find(range: ActivityRange): Promise<ActivityFound>;

  /** Removes what is of before the hour of that minute. */
  prune(before: number): Promise<void>;

  close(): Promise<void>;
}
