import type { HappenedEvent } from '../eventEnvelope.js';

export const deadLetterStatuses = ['pending', 'failed', 'dead'] as const;
export type DeadLetterStatus = (typeof deadLetterStatuses)[number];

/** A trigger call that came to nothing. */
export interface DeadLetterFields {
  /** The id of the call, so that recording it twice is recording it once. */
  readonly dlqId: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly appId: string;
  readonly kind: 'trigger';
  readonly url: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** `{ roomName, topicName, actorId, data, scope }`, as it was sent. */
  readonly requestBody: unknown;
  /** Null when no answer came. */
  readonly responseStatus: number | null;
  readonly error: string;
  readonly retryCount: number;
  /** `pending`: could succeed later (5xx, no connection). `failed`: refused with a 4xx. */
  readonly status: Exclude<DeadLetterStatus, 'dead'>;
}

export interface DeadLetter extends Omit<DeadLetterFields, 'status'> {
  readonly status: DeadLetterStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type DeadLetterEvent =
  | { readonly type: 'DeadLetterRecorded'; readonly data: DeadLetterFields }
  | { readonly type: 'DeadLetterMarkedDead'; readonly data: { readonly dlqId: string } }
  | { readonly type: 'DeadLetterDeleted'; readonly data: { readonly dlqId: string } };

export const deadLetterStream = (dlqId: string): string => `deadLetter-${dlqId}`;

export const recordedDeadLetter = (fields: DeadLetterFields, at: string): DeadLetter => ({
  ...fields,
  createdAt: at,
  updatedAt: at,
});

export const evolveDeadLetter = (
  entry: DeadLetter | undefined,
  event: HappenedEvent<DeadLetterEvent>,
): DeadLetter | undefined => {
  switch (event.type) {
    case 'DeadLetterRecorded':
      return recordedDeadLetter(event.data, event.occurredAt);
    case 'DeadLetterMarkedDead':
      return entry && { ...entry, status: 'dead', updatedAt: event.occurredAt };
    case 'DeadLetterDeleted':
      return undefined;
  }
};
