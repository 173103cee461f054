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
  /** By project; projects without activity are absent. */
  readonly projects: ReadonlyMap<string, ActivityCounts>;
}

/** A process that counts, and how far it has reported. */
export interface ActivityWriter {
  /** A name that no other process ever has. */
  readonly writer: string;
  /** The minute in which it began. */
  readonly from: number;
  /** The last minute that it has reported, or that had nothing to report. */
  readonly upTo: number;
  /** Minutes in between that it could not report. */
  readonly missing: readonly number[];
  /** Whether it has ended, and reported everything. */
  readonly hasEnded: boolean;
}

export interface ActivityRange {
  readonly projectId: string;
  /** Minutes since 1970: the first one, and the one after the last. */
  readonly from: number;
  readonly to: number;
}

/** All that is kept of a range. */
export interface ActivityFound {
  readonly writers: readonly ActivityWriter[];
  readonly accounts: readonly { readonly minute: number; readonly counts: ActivityCounts }[];
}

/**
 * What happens in projects, minute by minute, for some hours. Any number of processes may write; nothing else depends on it. Rejects with
 * `EngineUnavailable` if the engine cannot be reached.
 */
export interface ActivityStore {
  /** Stores the accounts before it records that the writer has reported them. Repeating it changes nothing. */
  note(accounts: readonly MinuteAccount[], writer: ActivityWriter): Promise<void>;

  /** Includes all writers that may have counted in the range. */
  find(range: ActivityRange): Promise<ActivityFound>;

  /** Removes everything before the hour of that minute. */
  prune(before: number): Promise<void>;

  close(): Promise<void>;
}
