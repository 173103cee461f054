/** What every event carries besides what happened. */
export interface EventMetadata {
  /** ISO 8601, UTC, milliseconds. */
  readonly occurredAt: string;
  readonly organizationId: string;
  /** Null for what belongs to an organization alone. */
  readonly projectId: string | null;
  /** Who asked: `apiKey:<keyId>`, `session:<subject>` or `system`. Never a secret. */
  readonly principal: string;
  readonly requestId: string;
  /** Where the command stood in its trace (W3C Trace Context), where it was traced. */
  readonly traceparent?: string;
}

export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: unknown;
  readonly metadata: EventMetadata;
}

/** An event as a log returns it: as it was written, and where it stands. */
export interface RecordedEvent extends NewEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
}

/** An event as a fold sees it: what happened, and when. */
export type HappenedEvent<Event> = Event & { readonly occurredAt: string };
