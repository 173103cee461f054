/** A refused call of a known caller. Contains no secret. */
export interface Refusal {
  readonly organizationId: string;
  readonly projectId: string | null;
  readonly principal: string;
  /** Of the client. */
  readonly address: string;
  /** Of HTTP; `WS` for the socket. */
  readonly method: string;
  /** As in the API's description, with `{name}` for a path parameter. Of the socket `auth`, `reauth` or `connection`. */
  readonly route: string;
  /** Of HTTP, or the code of a close. */
  readonly status: number;
  /** A word or two: `permission_missing`. */
  readonly reason: string;
}

/** Refusals of one minute that are alike, shown as the first of them. */
export interface AccessEntry extends Refusal {
  /** When the first one was, in milliseconds since 1970. */
  readonly at: number;
  readonly count: number;
  /** Place among the entries of its organization: later ones are greater. Those of one minute with the same place are one entry. */
  readonly place: string;
}

export interface AccessRange {
  readonly organizationId: string;
  /** Places, both exclusive; undefined for no bound. */
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

export interface AccessLogLimits {
  readonly retentionMs: number;
  /** Beyond it the oldest entries of an organization are removed. */
  readonly entriesPerOrganization: number;
}

/**
 * Refused calls by organization, kept for a limited time. It may lose the last seconds before a crash; what happened to resources is in
 * the event log instead. Rejects with `EngineUnavailable` if the engine cannot be reached.
 */
export interface AccessLog {
  readonly limits: AccessLogLimits;

  /**
   * Adds to entries of the same organization and place, which any number of processes may write, and resolves with the number of
   * older ones that were removed to make room. Repeating it counts twice.
   */
  record(entries: readonly AccessEntry[]): Promise<number>;

  /** Up to `limit` entries, the newest minute first. */
  find(range: AccessRange): Promise<readonly AccessEntry[]>;

  /** Removes entries older than the retention, in steps, and resolves with their number. */
  prune(): Promise<number>;

  close(): Promise<void>;
}
