/** A connection that somebody had closed by hand. It may have ended by itself before that came to pass. */
export interface ClosedConnectionFields {
  readonly connectionId: string;
  readonly projectId: string;
  readonly actorTokenId: string;
}

/** For the audit: of connections themselves there are no events. */
export interface ConnectionCloseEvent {
  readonly type: 'ConnectionCloseRequested';
  readonly data: ClosedConnectionFields;
}

export const connectionStream = (connectionId: string): string => `connection-${connectionId}`;
