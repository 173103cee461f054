import type { EventEnd } from '@roomwire/shared/wire/bus/eventEnds';
import { webhookAnswers, type WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import { webhookReports } from '@roomwire/shared/wire/bus/webhookReports';
import { hydrationBody } from '@roomwire/shared/wire/protocol/encodeFrames';
import { isSoundJson } from '@roomwire/shared/wire/protocol/jsonScan';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { BacklogLimit } from '../isolation/backlogQuota.js';
import type { AttemptResult } from '../deliver/attempt.js';
import type { WebhookMetrics } from '../metrics.js';
import type { NextStep } from '../policy/nextStep.js';

/** What an entry says of a call that waited for nothing. */
export type TurnedAway = 'backlog_full' | 'circuit_open';

type LastStep = Exclude<NextStep, { to: 'retry' }>;

/** Stores the result of a call after its last attempt: a report, or the answer for the gateway. Retries are put back by the call handler. */
export interface Settlement {
  settle(call: WebhookCall, result: AttemptResult, step: LastStep): Promise<void>;
  /** [HOOK-DLQ-1] [HOOK-EVENT-5] For a call of a deleted project, or an event of a deleted app or scope: nobody waits for its end, nor for the events that are to follow. */
  discard(call: WebhookCall): void;
  /** [HOOK-BACKLOG-1] Ends a call that may not wait any longer: there are too many of its project. */
  turnAway(call: WebhookCall, limit: BacklogLimit, error: TurnedAway): Promise<void>;
  /** Ends a call that nobody waits for, or that has waited for too long. */
  giveUp(call: WebhookCall, error: TurnedAway): Promise<void>;
  /**
   * [HOOK-EVENT-6] After one of these: whoever has put the events of a room waits until the last of them has ended. A step of its own, so that
   * a failure here does not report the call again.
   */
  ended(call: WebhookCall): Promise<void>;
}

interface SettlementDeps {
  readonly bus: MessageBus;
  readonly metrics: WebhookMetrics;
  readonly logger: Logger;
  readonly limits?: LimitReports | undefined;
  /** Tells, and keeps, how far the webhook of a room has its events. */
  readonly settleEvents: (end: EventEnd) => Promise<void>;
}

export const createSettlement = ({
  bus,
  metrics,
  logger,
  limits,
  settleEvents,
}: SettlementDeps): Settlement => {
  const settleTrigger = async (made: WebhookCall, result: AttemptResult, step: LastStep): Promise<void> => {
    const call = alone(made);
    if (step.to === 'done') {
      const responseStatus = statusOf(result);
      if (call.origin.by === 'redrive')
        await bus.put(webhookReports, {
          outcome: 'delivered',
          call,
          ...(responseStatus && { responseStatus }),
        });
      return;
    }
    const responseStatus = statusOf(result);
    const error = errorOf(result);
    await bus.put(webhookReports, { outcome: 'failed', call, responseStatus, error, status: step.status });
    metrics.deadLetters += 1;
    logger.warn('A webhook call failed', { ...idsOf(call), responseStatus, reason: error });
  };

  const ended = async ({ origin, roomId, scope, sequence, following }: WebhookCall): Promise<void> => {
    if (origin.by !== 'roomEvent' || roomId === undefined || sequence === undefined || following) return;
    await settleEvents({ roomId, accessScopeId: scope?.accessScopeId ?? null, sequence });
  };

  /** [HOOK-HYDRATE-4] Nothing is kept of a hydration that failed. */
  const settleHydration = async (call: WebhookCall, result: AttemptResult): Promise<void> => {
    const reason = await answerGateway(call, result);
    if (reason === undefined) return;
    metrics.hydrationsDropped += 1;
    logger.warn('A hydration call failed', { ...idsOf(call), reason });
  };

  const answerGateway = async (call: WebhookCall, result: AttemptResult): Promise<string | undefined> => {
    const { origin, topicName } = call;
    if (result.kind !== 'answered' || result.status >= 300) return errorOf(result);
    if (result.body === undefined) return 'The answer is too large';
    const data = parsed(result.body);
    if (data === undefined) return 'The answer is not JSON';
    const body = isSoundJson(result.body) ? hydrationBody(topicName, data.value) : undefined;
    if (body === undefined) return 'The answer does not fit into a frame';
    if (origin.by !== 'subscribe') return 'No client waits for the answer';
    const { gatewayId, subscription } = origin;
    await bus.send(webhookAnswers, { gatewayId, subscription, body }, 'stored');
    return undefined;
  };

  const giveUp = async (call: WebhookCall, error: TurnedAway): Promise<void> => {
    if (call.kind === 'hydration') {
      metrics.hydrationsDropped += 1;
      return;
    }
    const failure = { responseStatus: null, error, status: 'pending' } as const;
    await bus.put(webhookReports, { outcome: 'failed', call: alone(call), ...failure });
    metrics.deadLetters += 1;
  };

  return {
    settle: (call, result, step) =>
      call.kind === 'hydration' ? settleHydration(call, result) : settleTrigger(call, result, step),
    discard: (call) => logger.debug('A webhook call is not made: what it was for was deleted', idsOf(call)),
    async turnAway(call, limit, error) {
      await giveUp(call, error);
      // Afterwards: what cannot be stored is given up again.
      const { organizationId, projectId } = call;
      limits?.reached(limit, { organizationId, projectId });
    },
    giveUp,
    ended,
  };
};

/** Without the events that are to follow. */
const alone = (call: WebhookCall): WebhookCall =>
  call.following === undefined ? call : { ...call, following: undefined };

/** For the log: no headers, body or URL, which may hold secrets. */
const idsOf = ({ callId, projectId, appId, topicName, attempts }: WebhookCall) => ({
  ...{ callId, projectId, appId, topicName, attempts },
});

const statusOf = (result: AttemptResult): number | null =>
  result.kind === 'answered' ? result.status : null;

const errorOf = (result: AttemptResult): string =>
  result.kind === 'answered' ? `The endpoint answered ${result.status}` : result.reason;

const utf8 = new TextDecoder('utf-8', { fatal: true });

const parsed = (body: Uint8Array): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(utf8.decode(body)) as unknown };
  } catch {
    return undefined; // Not JSON, or not UTF-8: it is dropped and logged.
  }
};
