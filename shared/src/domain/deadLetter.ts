import type { HappenedEvent } from './eventEnvelope.js';

export const deadLetterStatuses = ['pending', 'failed', 'dead'] as const;
export type DeadLetterStatus = (typeof deadLetterStatuses)[number];

/** A trigger's call, the call of a room event, a job of a worker group, a publish that was scheduled. */
export const deadLetterKinds = ['trigger', 'event', 'job', 'schedule'] as const;
export type DeadLetterKind = (typeof deadLetterKinds)[number];

/** What a call sent, kept apart from the log for a time. */
export interface PayloadReference {
  readonly id: string;
  /** Hex. */
  readonly sha256: string;
}

/** What a call sent; in the event itself, as earlier versions wrote it. */
export interface CallPayload {
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** `{ roomName, topicName, actorId, data, scope }`, as it was sent, or as a trigger would have it; the body of a room event. */
  readonly requestBody: unknown;
  /** Of other kinds than a trigger: the record of the bus with which it is done once more, in base64. */
  readonly record?: string;
}

/** A call, or other work, that failed for good. */
export interface DeadLetterFields {
  /** The id of the call, so that recording it twice is recording it once. */
  readonly dlqId: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly appId: string;
  readonly kind: DeadLetterKind;
  /** Null where nothing is called. */
  readonly url: string | null;
  /** Of a job: the name of its worker group. */
  readonly group?: string;
  /** Of a room event. */
  readonly sequence?: number;
  /** Of a scheduled publish. */
  readonly scheduledId?: string;
  readonly payload: PayloadReference | CallPayload;
  /** Null when no answer came. */
  readonly responseStatus: number | null;
  readonly error: string;
  readonly retryCount: number;
  /** `pending`: could succeed later (5xx, no connection). `failed`: refused with a 4xx. */
  readonly status: Exclude<DeadLetterStatus, 'dead'>;
}

export interface DeadLetter extends Omit<DeadLetterFields, 'status'> {
  readonly status: DeadLetterStatus;
  /** How often an operator has had it tried again. */
  readonly redriveCount: number;
  readonly lastRedriveAt: string | null;
  /** `session:<subject>`. */
  readonly lastRedriveBy: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The result of the attempts of a redrive. */
export type RedriveFailure = Pick<
  DeadLetterFields,
  'dlqId' | 'responseStatus' | 'error' | 'retryCount' | 'status'
> & { readonly redriveId: string };

/** A redrive that succeeded. */
export interface Delivery {
  readonly dlqId: string;
  /** Null in events of earlier versions. */
  readonly redriveId: string | null;
  /** Null where nothing was called, and in events of earlier versions. */
  readonly responseStatus: number | null;
}

export type DeadLetterEvent =
  | { readonly type: 'DeadLetterRecorded'; readonly data: DeadLetterFields }
  /** To be tried again, by three more attempts. */
  | {
      readonly type: 'DeadLetterRedriven';
      readonly data: {
        readonly dlqId: string;
        readonly redriveId: string;
        readonly redriveCount: number;
        readonly redrivenBy: string;
      };
    }
  | { readonly type: 'DeadLetterRedriveFailed'; readonly data: RedriveFailure }
  /** A redrive got its 2xx, or the work is where it was before it failed. */
  | { readonly type: 'DeadLetterDelivered'; readonly data: Delivery }
  | { readonly type: 'DeadLetterMarkedDead'; readonly data: { readonly dlqId: string } }
  | { readonly type: 'DeadLetterDeleted'; readonly data: { readonly dlqId: string } };

export const deadLetterStream = (dlqId: string): string => `deadLetter-${dlqId}`;

export const recordedDeadLetter = (fields: DeadLetterFields, at: string): DeadLetter => ({
  ...fields,
  redriveCount: 0,
  lastRedriveAt: null,
  lastRedriveBy: null,
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
    case 'DeadLetterRedriven':
      return entry && { ...entry, ...redriven(event.data, event.occurredAt) };
    case 'DeadLetterRedriveFailed':
      return entry && { ...entry, ...failedAgain(event.data), updatedAt: event.occurredAt };
    case 'DeadLetterDelivered':
      return undefined;
    case 'DeadLetterMarkedDead':
      return entry && { ...entry, status: 'dead', updatedAt: event.occurredAt };
    case 'DeadLetterDeleted':
      return undefined;
  }
};

type EventData<T extends DeadLetterEvent['type']> = Extract<DeadLetterEvent, { type: T }>['data'];

/** The fields that a redrive changes. */
export const redriven = (
  { redriveCount, redrivenBy }: EventData<'DeadLetterRedriven'>,
  at: string,
): Pick<DeadLetter, 'redriveCount' | 'lastRedriveAt' | 'lastRedriveBy' | 'updatedAt'> => ({
  ...{ redriveCount, lastRedriveAt: at, lastRedriveBy: redrivenBy, updatedAt: at },
});

/** The entry after a failed redrive. */
export const failedAgain = ({
  responseStatus,
  error,
  retryCount,
  status,
}: RedriveFailure): Omit<RedriveFailure, 'dlqId' | 'redriveId'> => ({
  ...{ responseStatus, error, retryCount, status },
});
