/** When something was last used, by its identifier. */
export interface LastUse {
  readonly id: string;
  /** ISO 8601, UTC, milliseconds. */
  readonly at: string;
}

/** One writer's total of a project's accepted publishes in a month. */
export interface MessageCount {
  readonly projectId: string;
  /** `YYYY-MM`, UTC. */
  readonly month: string;
  readonly messages: number;
}

/** Holds the merged totals; no writer has this name. */
export const formerWriters = 'former';

/** The live connections of one gateway at one time. */
export interface ConnectionCount {
  readonly gatewayId: string;
  /** ISO 8601, UTC, milliseconds. */
  readonly at: string;
  /** By organization, whose identifier has no dot or `$`. Organizations without connections may be absent. */
  readonly connections: Readonly<Record<string, number>>;
}

/** By project, then by writer. */
export type UsageByWriter = ReadonlyMap<string, ReadonlyMap<string, number>>;

export interface UsageReader {
  /** The last uses of these resources, by id; resources that were never used are absent. */
  lastUses(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;

  /** The sum over all writers, by project; projects without a count in that month are absent. */
  usage(projectIds: readonly string[], month: string): Promise<ReadonlyMap<string, number>>;

  /** Live connections of an organization, on the gateways that have noted theirs since that time (ISO 8601). */
  connections(organizationId: string, since: string): Promise<number>;
}

/**
 * What is counted beside the read models: last uses, accepted publishes and live connections. The event log does not hold
 * it, so neither clearing nor rebuilding the read models touches it. Any number of writers may write at the same time.
 */
export interface UsageStore extends UsageReader {
  /**
   * Stores when resources were last used. The latest time of an id wins, in whatever order the times arrive. A crash may
   * lose what was noted in the minute before it, and the last use of a removed resource may be dropped.
   */
  noteUses(uses: readonly LastUse[]): Promise<void>;

  /**
   * Stores the totals that a writer has counted so far. A writer's name has no dot or `$` and belongs to it alone. The
   * highest total wins, so that a write whose outcome is unknown may be repeated. Durable once resolved; where the disk
   * refuses, the embedded store retries after it has resolved.
   */
  noteUsage(writer: string, counts: readonly MessageCount[]): Promise<void>;

  /**
   * Adds the last totals of a writer, which never notes any of them again, to what former writers have counted, so that a
   * project does not keep a total for each process that there ever was. The sum stays as it is, and what does not equal the
   * stored total changes nothing: it may be repeated.
   */
  mergeUsage(writer: string, counts: readonly MessageCount[]): Promise<void>;

  /** What `usage` sums up: the totals by project, then by writer. Includes all that was noted before the call. */
  usageByWriter(projectIds: readonly string[], month: string): Promise<UsageByWriter>;

  /** Replaces the gateway's previous counts. Relevant for seconds only: it may be lost when the store is reopened. */
  noteConnections(count: ConnectionCount): Promise<void>;
}
