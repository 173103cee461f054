/** Proves that an event is what was appended, in its place: see `docs/AUDIT.md`. */
export interface EventProof {
  /** Of the audit key. */
  readonly keyId: string;
  /** HMAC-SHA-256 over the event, its place and the MAC of the event before it in its stream, in base64url. */
  readonly mac: string;
}

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
  /** Added when the event is appended. Absent from events that predate proofs. */
  readonly proof?: EventProof;
}

export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: unknown;
  readonly metadata: EventMetadata;
}

/** An event on its way into a log. */
export interface AppendedEvent extends NewEvent {
  /** The data as JSON, where it has been written out already: a large one takes its time. */
  readonly dataText?: string | undefined;
}

/** The data of an event as JSON; empty where there is none. */
export const dataTextOf = (data: unknown): string => JSON.stringify(data) ?? '';

/** An event as a log returns it, with its position. */
export interface RecordedEvent extends NewEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
}

/** An event as a fold sees it, with its time. */
export type HappenedEvent<Event> = Event & { readonly occurredAt: string };
