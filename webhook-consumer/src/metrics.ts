import type { WebhookKind } from '@roomwire/shared/contracts/bus/webhookCalls';
import type { OutcomeClass } from '@roomwire/shared/contracts/bus/webhookOutcomes';

/** An endpoint that answers in time, or one that does not. A label of its own for each endpoint would have no end. */
export type EndpointClass = 'steady' | 'slow';

/** What the consumer has counted since it was made; whoever exports metrics reads it. */
export interface WebhookMetrics {
  /** Attempts by kind, outcome and class of endpoint: `trigger.2xx.steady`. */
  readonly attempts: Record<string, number>;
  retries: number;
  deadLetters: number;
  /** Hydrations that no frame comes of. */
  hydrationsDropped: number;
  /** Calls that were put out of the way of others. */
  putOff: number;
  /** Outcomes that nobody could be told of. */
  outcomesLost: number;
  /** Calls under way now. */
  underWay: number;
}

export const createMetrics = (): WebhookMetrics => ({
  attempts: {},
  retries: 0,
  deadLetters: 0,
  hydrationsDropped: 0,
  putOff: 0,
  outcomesLost: 0,
  underWay: 0,
});

export const countAttempt = (
  { attempts }: WebhookMetrics,
  kind: WebhookKind,
  outcome: OutcomeClass,
  endpoint: EndpointClass,
): void => {
  const label = `${kind}.${outcome}.${endpoint}`;
  attempts[label] = (attempts[label] ?? 0) + 1;
};
