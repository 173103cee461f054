/** The metadata of every event. */
export interface EventMetadata {
  /** ISO 8601, UTC, milliseconds. */
  readonly occurredAt: string;
  readonly organizationId: string;
  /** Null for resources that belong to an organization and no project. */
  readonly projectId: string | null;
  /** `apiKey:<keyId>`, `session:<subject>`, `oidc:<issuer>|<subject>` or `system`. Never a secret. */
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

/** An event as a log returns it, with its position. */
export interface RecordedEvent extends NewEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
}

/** An event as a fold sees it, with its time. */
export type HappenedEvent<Event> = Event & { readonly occurredAt: string };
