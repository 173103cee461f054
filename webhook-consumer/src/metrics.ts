import type { WebhookKind } from '@roomwire/shared/wire/bus/webhookCalls';
import type { OutcomeClass } from '@roomwire/shared/wire/bus/webhookOutcomes';
import type { CollectMetrics } from '@roomwire/shared/ports/metrics';

/** Whether an endpoint answers in time. A label per endpoint would be unbounded. */
export type EndpointClass = 'steady' | 'slow';

/** What the consumer has counted since it was created. */
export interface WebhookMetrics {
  /** Attempts by kind, outcome and class of endpoint: `trigger.2xx.steady`. */
  readonly attempts: Record<string, number>;
  retries: number;
  deadLetters: number;
  /** Hydrations that produced no frame. */
  hydrationsDropped: number;
  /** Calls that were deferred to the backlog. */
  deferred: number;
  /** Calls that were put to wait for an endpoint whose circuit is open, each round of them. */
  parked: number;
  /** Calls by which such an endpoint was tried. */
  trials: number;
  /** Circuits that are open, as far as this process knows. */
  openCircuits: number;
  /** Outcomes that could not be sent. */
  outcomesLost: number;
  /** Calls in flight. */
  inFlight: number;
}

export const createMetrics = (): WebhookMetrics => ({
  attempts: {},
  retries: 0,
  deadLetters: 0,
  hydrationsDropped: 0,
  deferred: 0,
  parked: 0,
  trials: 0,
  openCircuits: 0,
  outcomesLost: 0,
  inFlight: 0,
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

/** The consumer's metrics for Prometheus. */
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
    sink.value('roomwire_webhook_put_off_total', metrics.deferred);
    sink.value('roomwire_webhook_parked_total', metrics.parked);
    sink.value('roomwire_webhook_trials_total', metrics.trials);
    sink.value('roomwire_webhook_circuits_open', metrics.openCircuits);
    sink.value('roomwire_webhook_outcomes_lost_total', metrics.outcomesLost);
    sink.value('roomwire_webhook_calls_in_flight', metrics.inFlight);
  };
