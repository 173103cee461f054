import type { Span, Tracing } from '@roomwire/shared/ports/tracing';
import type { WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import type { AttemptResult } from '../deliver/attempt.js';
import { classOf } from './outcomes.js';

/** A span for one attempt of a traced call, without its URL and its body, which belong to the customer. */
export const beginAttempt = (
  tracing: Tracing,
  { traceparent, callId, kind, projectId, appId, attempts }: WebhookCall,
): Span | undefined =>
  traceparent === undefined
    ? undefined
    : tracing.begin('call webhook', {
        kind: 'client',
        parent: traceparent,
        attributes: {
          'http.request.method': 'POST',
          'http.request.resend_count': attempts,
          'roomwire.webhook_id': callId,
          'roomwire.webhook_kind': kind,
          'roomwire.project_id': projectId,
          'roomwire.app_id': appId,
        },
      });

export const endAttempt = (span: Span | undefined, result: AttemptResult): void => {
  if (span === undefined) return;
  if (result.kind === 'answered') span.set({ 'http.response.status_code': result.status });
  const outcome = classOf(result);
  span.end(outcome === '2xx' ? undefined : new NotDelivered(outcome));
};

/** Its name is the class of the outcome. */
class NotDelivered extends Error {
  constructor(outcome: string) {
    super('The webhook call was not delivered');
    this.name = outcome;
  }
}
