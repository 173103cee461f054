import { count, described, number, object, oneOf, orNull, text, type TypeOf } from '../schema.js';
import type { Channel } from './channel.js';
import { versionedRecord } from './recordCodec.js';
import { webhookKind } from './webhookCalls.js';

export const outcomeClasses = ['2xx', '3xx', '4xx', '5xx', 'timeout', 'unreachable', 'forbidden'] as const;

/** The outcome of an attempt: the class of the answer's status, or the failure. `forbidden`: no request was made. */
export type OutcomeClass = (typeof outcomeClasses)[number];

export const outcomeSteps = ['done', 'retry', 'deadLetter', 'dropped'] as const;

/** The next step: none, another attempt, a dead letter, or, for a hydration, giving up. */
export type OutcomeStep = (typeof outcomeSteps)[number];

/**
 * One attempt of a webhook call, for monitoring: no header, no body, and of the URL nothing that could be a
 * secret. A later program may add fields.
 */
const outcome = object({
  at: described('When the attempt ended, milliseconds since 1970', count),
  organizationId: text,
  projectId: text,
  appId: text,
  kind: webhookKind,
  /** `webhook-id`, and the `dlqId` if the call fails for good. */
  webhookId: described('The same on every attempt of a call', text),
  urlOrigin: described('Scheme, host and port', text),
  attempt: described('Counted from 1; a redrive starts again at 1', count),
  outcome: oneOf(...outcomeClasses),
  next: oneOf(...outcomeSteps),
  status: described('Null when no answer came', orNull(count)),
  /** From the beginning of the attempt to the status of the answer, or to the failure; without the wait for its turn. */
  durationMs: number,
  /** 0 when there was none to send. */
  requestBytes: described('Of the body', count),
});
export type WebhookOutcome = TypeOf<typeof outcome>;

export const webhookOutcomeRecord = versionedRecord('a webhook outcome', 1, outcome);

/**
 * Every attempt, in order for a project. Sent once the attempt has ended, and not waited for: some may be missing where the
 * bus is unavailable or a process ends, and an attempt that was made twice is reported twice.
 */
export const webhookOutcomes: Channel<WebhookOutcome> = {
  name: 'webhook-outcomes',
  key: ({ projectId }) => projectId,
  codec: webhookOutcomeRecord.codec,
};
