import type { Channel } from './channel.js';
import { isCount, isMap, isText, versionedCodec } from './recordCodec.js';
import type { WebhookKind } from './webhookCalls.js';

export const outcomeClasses = ['2xx', '3xx', '4xx', '5xx', 'timeout', 'unreachable', 'forbidden'] as const;

/** What an attempt came to: the class of the answer's status, or why there was none. `forbidden`: it was not made. */
export type OutcomeClass = (typeof outcomeClasses)[number];

export const outcomeSteps = ['done', 'retry', 'deadLetter', 'dropped'] as const;

/** What follows: nothing, another attempt, a dead letter, or, of a hydration, nothing any more. */
export type OutcomeStep = (typeof outcomeSteps)[number];

/**
 * One attempt of a webhook call, for monitoring: no header, no body, and of the URL nothing that could be a
 * secret. A later program may add fields.
 */
export interface WebhookOutcome {
  /** When it ended, milliseconds since 1970. */
  readonly at: number;
  readonly organizationId: string;
  readonly projectId: string;
  readonly appId: string;
  readonly kind: WebhookKind;
  /** The same on every attempt of a call; `webhook-id`, and the `dlqId` if it comes to nothing. */
  readonly webhookId: string;
  /** Scheme, host and port of the URL. */
  readonly urlOrigin: string;
  /** Counted from 1; a redrive starts again at 1. */
  readonly attempt: number;
  readonly outcome: OutcomeClass;
  readonly next: OutcomeStep;
  /** Null when no answer came. */
  readonly status: number | null;
  /** From the beginning of the attempt to the status of the answer, or to the failure; without the wait for its turn. */
  readonly durationMs: number;
  /** Of the body; 0 when there was none to send. */
  readonly requestBytes: number;
}

const isOneOf = (values: readonly string[], value: unknown): boolean => values.includes(value as string);

const isOutcome = (value: unknown): value is WebhookOutcome =>
  isMap(value) &&
  ['organizationId', 'projectId', 'appId', 'webhookId', 'urlOrigin'].every((name) => isText(value[name])) &&
  ['at', 'attempt', 'requestBytes'].every((name) => isCount(value[name])) &&
  isOneOf(['trigger', 'hydration'], value['kind']) &&
  isOneOf(outcomeClasses, value['outcome']) &&
  isOneOf(outcomeSteps, value['next']) &&
  (value['status'] === null || isCount(value['status'])) &&
  typeof value['durationMs'] === 'number';

/**
 * Every attempt, in order for a project. Told once the attempt has ended, and not waited for: some may be missing where the
 * bus is unavailable or a process ends, and an attempt that was made twice is reported twice.
 */
export const webhookOutcomes: Channel<WebhookOutcome> = {
  name: 'webhook-outcomes',
  key: ({ projectId }) => projectId,
  codec: versionedCodec(1, isOutcome, 'a webhook outcome'),
};
