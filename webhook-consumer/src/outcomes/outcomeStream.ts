import { webhookOutcomes, type WebhookOutcome } from '@roomwire/shared/wire/bus/webhookOutcomes';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { WebhookMetrics } from '../metrics.js';

/** Tells whoever watches; never fails, and never holds up what comes next. */
export type Tell = (outcome: WebhookOutcome) => void;

interface StreamDeps {
  readonly bus: MessageBus;
  readonly metrics: WebhookMetrics;
}

/** [HOOK-WATCH-2] The bus gathers what is told into batches, and refuses rather than fill the memory while it is out of reach. */
export const createOutcomeStream =
  ({ bus, metrics }: StreamDeps): Tell =>
  (outcome) => {
    bus.send(webhookOutcomes, outcome, 'none').catch(() => {
      metrics.outcomesLost += 1;
    });
  };
