import type { ActivitySink } from '@roomwire/shared/activity/activity';
import type { WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import {
  type OutcomeClass,
  type OutcomeStep,
  type WebhookOutcome,
  webhookOutcomes,
} from '@roomwire/shared/wire/bus/webhookOutcomes';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { AttemptResult } from '../deliver/attempt.js';
import type { Posted } from '../deliver/post.js';
import type { NextStep } from '../policy/nextStep.js';
import type { WebhookMetrics } from '../metrics.js';

export const classOf = (result: AttemptResult): OutcomeClass => {
  if (result.kind === 'forbidden') return 'forbidden';
  if (result.kind === 'unreachable') return result.isTimeout ? 'timeout' : 'unreachable';
  if (result.status < 300) return '2xx';
  if (result.status < 400) return '3xx';
  return result.status < 500 ? '4xx' : '5xx';
};

/** [HOOK-WATCH-1] The public outcome of an attempt; `call.attempts` includes it. */
export const outcomeOf = (
  { callId, organizationId, projectId, appId, kind, url, attempts }: WebhookCall,
  { result, endedAt, durationMs, requestBytes }: Posted,
  step: NextStep,
): WebhookOutcome => ({
  ...{ at: endedAt, organizationId, projectId, appId, kind },
  ...{ webhookId: callId, urlOrigin: new URL(url).origin, attempt: attempts },
  outcome: classOf(result),
  next: stepOf(kind, step),
  status: result.kind === 'answered' ? result.status : null,
  ...{ durationMs, requestBytes },
});

const stepOf = (kind: WebhookCall['kind'], { to }: NextStep): OutcomeStep =>
  to === 'deadLetter' && kind === 'hydration' ? 'dropped' : to;

/** Publishes the outcome of an attempt; never fails and never waits. */
export type PublishOutcome = (outcome: WebhookOutcome) => void;

interface StreamDeps {
  readonly bus: MessageBus;
  readonly metrics: WebhookMetrics;
  readonly activity?: Pick<ActivitySink, 'add'> | undefined;
}

/** [HOOK-WATCH-2] The bus batches outcomes, and rejects them while it is unreachable rather than fill the memory. */
export const createOutcomeStream =
  ({ bus, metrics, activity }: StreamDeps): PublishOutcome =>
  (outcome) => {
    const { next, projectId } = outcome;
    if (next !== 'retry')
      activity?.add(projectId, next === 'done' ? 'webhookCallsDelivered' : 'webhookCallsFailed');
    bus.send(webhookOutcomes, outcome, 'none').catch(() => {
      metrics.outcomesLost += 1;
    });
  };
