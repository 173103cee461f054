import { setTimeout as pause } from 'node:timers/promises';
import { webhookBacklog, type WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { WorkQueue } from '@roomwire/shared/wire/bus/channel';
import type { Tracing, Span } from '@roomwire/shared/ports/tracing';
import { endingWithError } from '@roomwire/shared/runtime/endingWithError';
import type { Clock } from '@roomwire/shared/ports/clock';
import { TokenBucket } from '@roomwire/shared/runtime/tokenBucket';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { Post, Posted } from '../deliver/post.js';
import type { EndpointGate, Pass } from '../isolation/endpointGate.js';
import { countAttempt, type WebhookMetrics } from '../metrics.js';
import { classOf, outcomeOf, type Tell } from './outcomes.js';
import { nextStep } from '../policy/nextStep.js';
import type { Settlement } from './settlement.js';
import type { AttemptResult } from '../deliver/attempt.js';

export interface CallDeps {
  readonly bus: MessageBus;
  readonly gate: EndpointGate;
  readonly post: Post;
  readonly settlement: Settlement;
  readonly tell: Tell;
  readonly metrics: WebhookMetrics;
  readonly pacer: Pacer;
  /** Undefined where nothing is traced. */
  readonly tracing: Tracing | undefined;
  /** For the second and the third attempt. */
  readonly retries: readonly WorkQueue<WebhookCall>[];
  /** Whether this process ends. */
  readonly isClosing: () => boolean;
}

/** What a job of one of the queues of calls comes to; it may be done again at any point. */
export interface CallHandler {
  /** Of a call whose turn has come. */
  readonly take: (call: WebhookCall) => Promise<void>;
  /** Of a call that was put off: back to the end of the backlog while there is no place for it. */
  readonly takeUp: (call: WebhookCall) => Promise<void>;
}

export const createCallHandler = (deps: CallDeps): CallHandler => {
  const { bus, gate, metrics, pacer, retries } = deps;
  const put = (queue: WorkQueue<WebhookCall>, call: WebhookCall): Promise<void> =>
    safely(() => bus.put(queue, call), deps.isClosing);

  const make = async (call: WebhookCall, pass: Pass): Promise<void> => {
    const posted = await attempt(call, pass);
    const step = nextStep(posted.result, call.attempts + 1);
    const made = { ...call, attempts: call.attempts + 1 };
    deps.tell(outcomeOf(made, posted, step));
    if (step.to === 'retry') {
      metrics.retries += 1;
      return put(retries[call.attempts] as WorkQueue<WebhookCall>, made);
    }
    const settle = () => deps.settlement.settle(made, posted.result, step);
    return safely(settle, deps.isClosing);
  };

  const attempt = async (call: WebhookCall, pass: Pass): Promise<Posted> => {
    let isAnswered = false;
    const span = deps.tracing && beginAttempt(deps.tracing, call);
    metrics.underWay = gate.underWay;
    try {
      const posted = await deps.post(call).catch(endingWithError(span));
      endAttempt(span, posted.result);
      isAnswered = posted.result.kind === 'answered';
      countAttempt(metrics, call.kind, classOf(posted.result), pass.endpointClass);
      return posted;
    } finally {
      pass.done(isAnswered);
      metrics.underWay = gate.underWay;
    }
  };

  const putOff = (call: WebhookCall): Promise<void> => {
    metrics.putOff += 1;
    return put(webhookBacklog, call);
  };

  return {
    async take(call) {
      const pass = await gate.enter(applicantOf(call, call.room));
      return pass ? make(call, pass) : putOff(call);
    },
    async takeUp(call) {
      const pass = await gate.enter(applicantOf(call, call.callId));
      if (pass) return make(call, pass);
      await pacer.pass();
      return putOff(call);
    },
  };
};

const applicantOf = ({ projectId, url, data }: WebhookCall, room: string) => ({
  endpoint: `${projectId} ${url}`,
  room,
  bytes: data.length,
});

/** One attempt of a call whose cause is traced. Where it goes, and what is in it, is the customer's. */
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

/** Named as the outcomes of attempts are. */
class NotDelivered extends Error {
  constructor(outcome: string) {
    super('The webhook did not take the call');
    this.name = outcome;
  }
}

/** Lets so many pass a second, evenly; the others wait, first come, first served. */
export class Pacer {
  private readonly turns: TokenBucket;
  private readonly clock: Clock;

  constructor(perSecond: number, clock: Clock) {
    this.turns = new TokenBucket({ perSecond, burst: 1 });
    this.clock = clock;
  }

  async pass(): Promise<void> {
    const waitMs = this.turns.reserve(this.clock.monotonic());
    if (waitMs > 0) await pause(waitMs);
  }
}

const pauseMs = 500;

/**
 * Puts on the bus what follows a call, again and again while the bus is out of reach: to give up would be to make the
 * call once more. Rejects when `isOver` says that this process ends, and another one will.
 */
export const safely = async (put: () => Promise<void>, isOver: () => boolean): Promise<void> => {
  for (;;) {
    try {
      return await put();
    } catch (error) {
      if (!(error instanceof EngineUnavailable) || isOver()) throw error;
      await pause(pauseMs);
    }
  }
};
