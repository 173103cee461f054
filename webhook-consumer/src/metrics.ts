import type { WebhookKind } from '@roomwire/shared/wire/bus/webhookCalls';
import type { OutcomeClass } from '@roomwire/shared/wire/bus/webhookOutcomes';
import type { CollectMetrics } from '@roomwire/shared/ports/metrics';

/** An endpoint that answers in time, or one that does not. A label of its own for each endpoint would have no end. */
export type EndpointClass = 'steady' | 'slow';

/** What the consumer has counted since it was created. */
export interface WebhookMetrics {
  /** Attempts by kind, outcome and class of endpoint: `trigger.2xx.steady`. */
  readonly attempts: Record<string, number>;
  retries: number;
  deadLetters: number;
  /** Hydrations that produced no frame. */
  hydrationsDropped: number;
  /** Calls that were put out of the way of others. */
  putOff: number;
  /** Outcomes that could not be sent. */
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

/** What a consumer shows of itself. */
export const webhookMetrics =
  (metrics: WebhookMetrics): CollectMetrics =>
  (sink) => {
    for (const [label, attempts] of Object.entries(metrics.attempts)) {
      const [kind = '', outcome = '', endpoint = ''] = label.split('.');
      sink.value('roomwire_webhook_attempts_total', attempts, { kind, outcome, endpoint });
    }
    sink.value('roomwire_webhook_retries_total', metrics.retries);
    sink.value('roomwire_webhook_dead_letters_total', metrics.deadLetters);
    sink.value('roomwire_webhook_hydrations_dropped_total', metrics.hydrationsDropped);
    sink.value('roomwire_webhook_put_off_total', metrics.putOff);
    sink.value('roomwire_webhook_outcomes_lost_total', metrics.outcomesLost);
    sink.value('roomwire_webhook_calls_in_flight', metrics.underWay);
  };
