import { setTimeout as pause } from 'node:timers/promises';
import { webhookBacklog, webhookCalls, type WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { WorkQueue } from '@roomwire/shared/wire/bus/channel';
import type { Tracing, Span } from '@roomwire/shared/ports/tracing';
import { endingWithError } from '@roomwire/shared/runtime/endingWithError';
import type { Clock } from '@roomwire/shared/ports/clock';
import { TokenBucket } from '@roomwire/shared/runtime/tokenBucket';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { Post, Posted } from '../deliver/post.js';
import type { BacklogQuota } from '../isolation/backlogQuota.js';
import type { CallEnd } from '../isolation/endpoint.js';
import type { EndpointGate, Permit } from '../isolation/endpointGate.js';
import { countAttempt, type WebhookMetrics } from '../metrics.js';
import { classOf, outcomeOf, type PublishOutcome } from './outcomes.js';
import { type AttemptOutcome, type LaterWaits, nextStep, type Patience } from '../policy/nextStep.js';
import { retryAfterMs } from '../policy/retryAfter.js';
import type { Settlement } from './settlement.js';
import type { CallWaits, Waiting } from './waits.js';
import type { AttemptResult } from '../deliver/attempt.js';

export interface CallDeps {
  readonly bus: MessageBus;
  readonly gate: EndpointGate;
  readonly quota: BacklogQuota;
  readonly post: Post;
  readonly settlement: Settlement;
  readonly publishOutcome: PublishOutcome;
  readonly metrics: WebhookMetrics;
  readonly pacer: Pacer;
  /** Undefined where nothing is traced. */
  readonly tracing: Tracing | undefined;
  readonly waits: CallWaits;
  readonly laterWaits: LaterWaits;
  /** Whether this process is shutting down. */
  readonly isClosing: () => boolean;
}

/** Handles the jobs of the queues of calls. A job may be handled again after a failure at any point. */
export interface CallHandler {
  /** A call whose attempt is due. */
  readonly handleNew: (call: WebhookCall) => Promise<void>;
  /** A call that was put to wait, perhaps for a part of its wait. */
  readonly handleWaiting: (call: WebhookCall) => Promise<void>;
  /** A call of the backlog: it goes back to the end while its endpoint has no capacity. */
  readonly handleDeferred: (call: WebhookCall) => Promise<void>;
}

export const createCallHandler = (deps: CallDeps): CallHandler => {
  const { bus, gate, quota, metrics, pacer, waits } = deps;
  const wait = ({ queue, call }: Waiting): Promise<void> => put(queue, call);

  const put = (queue: WorkQueue<WebhookCall>, call: WebhookCall): Promise<void> =>
    retryWhileBusDown(() => bus.put(queue, call), deps.isClosing);

  const make = async (call: WebhookCall, permit: Permit): Promise<void> => {
    const posted = await attempt(call, permit);
    const made = attempted(call, posted);
    const progress = { attempt: made.attempts, patience: patienceOf(made, posted.endedAt) };
    const step = nextStep(outcomeWithWait(posted), progress, deps.laterWaits);
    deps.publishOutcome(outcomeOf(made, posted, step));
    if (step.to === 'retry') {
      metrics.retries += 1;
      return wait(step.isUsual ? waits.usual(made) : waits.for(made, step.afterMs));
    }
    const settle = () => deps.settlement.settle(made, posted.result, step);
    await retryWhileBusDown(settle, deps.isClosing);
    return goOn(call);
  };

  /** [HOOK-EVENT-6] With the events behind it, here, or where this process ends elsewhere. */
  const goOn = (ended: WebhookCall): Promise<void> | void => {
    const call = followingCall(ended);
    if (call === undefined) return undefined;
    return deps.isClosing() ? put(webhookCalls, call) : handleNew(call);
  };

  const attempt = async (call: WebhookCall, permit: Permit): Promise<Posted> => {
    let end: CallEnd = 'unanswered';
    const span = deps.tracing && beginAttempt(deps.tracing, call);
    metrics.inFlight = gate.inFlight;
    try {
      const posted = await deps.post(call).catch(endingWithError(span));
      endAttempt(span, posted.result);
      end = endOf(posted.result);
      countAttempt(metrics, call.kind, classOf(posted.result), permit.endpointClass);
      return posted;
    } finally {
      permit.done(end);
      metrics.inFlight = gate.inFlight;
    }
  };

  /** [HOOK-BACKLOG-1] A call for which its project's backlog has no room ends here. */
  const defer = async (call: WebhookCall): Promise<void> => {
    const limit = quota.limitFor(call);
    if (limit !== undefined) {
      await retryWhileBusDown(() => deps.settlement.turnAway(call, limit), deps.isClosing);
      return goOn(call);
    }
    metrics.deferred += 1;
    return put(webhookBacklog, quota.putOff(call));
  };

  const handleTaken = async (call: WebhookCall): Promise<void> => {
    const permit = await gate.enter(waitingCallOf(call, call.callId));
    if (permit) return make(call, permit);
    // Only what goes around is slowed; what is turned away makes room for what is behind it.
    if (quota.limitFor(call) === undefined) await pacer.pass(call.data.length);
    return defer(call);
  };

  const handleNew = async (call: WebhookCall): Promise<void> => {
    const permit = await gate.enter(waitingCallOf(call, call.room));
    return permit ? make(call, permit) : defer(call);
  };

  return {
    handleNew,
    handleWaiting: (call) =>
      call.waitsOnMs === undefined ? handleNew(call) : wait(waits.for(call, call.waitsOnMs)),
    async handleDeferred(call) {
      quota.taken(call);
      await handleTaken(call);
      quota.left(call);
    },
  };
};

const waitingCallOf = ({ projectId, url, data }: WebhookCall, room: string) => ({
  ...{ projectId, url, room },
  bytes: data.length,
});

/** Of a room event whose call has ended: the call of the next, which begins anew. */
const followingCall = ({ following, ...ended }: WebhookCall): WebhookCall | undefined => {
  const [next, ...rest] = following ?? [];
  if (next === undefined) return undefined;
  const isNew = { attempts: 0, firstAttemptAt: undefined, waitsOnMs: undefined, putOffBy: undefined };
  return { ...ended, ...next, ...isNew, ...(rest.length > 0 && { following: rest }) };
};
/** The call with one more attempt. When the first was begun counts only where it is tried on. */
const attempted = (call: WebhookCall, { endedAt, durationMs }: Posted): WebhookCall => ({
  ...call,
  attempts: call.attempts + 1,
  ...(call.retrySeconds !== undefined && {
    firstAttemptAt: call.firstAttemptAt ?? Math.round(endedAt - durationMs),
  }),
});

const patienceOf = ({ retrySeconds, firstAttemptAt }: WebhookCall, now: number): Patience | undefined =>
  retrySeconds === undefined || firstAttemptAt === undefined
    ? undefined
    : { usedMs: now - firstAttemptAt, allMs: retrySeconds * 1_000 };

const outcomeWithWait = ({ result, endedAt }: Posted): AttemptOutcome =>
  result.kind === 'answered' ? { ...result, retryAfterMs: retryAfterMs(result.retryAfter, endedAt) } : result;

const endOf = (result: AttemptResult): CallEnd => {
  if (result.kind !== 'answered') return 'unanswered';
  return result.status < 300 ? 'accepted' : 'answered';
};

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

/** A call of more bytes is read and written for as long as several small ones. */
const bytesOfTurn = 4 * 1024;

/** Admits a number of turns a second, evenly spaced; the others wait in order. A large call takes several turns. */
export class Pacer {
  private readonly turns: TokenBucket;
  private readonly clock: Clock;

  constructor(perSecond: number, clock: Clock) {
    this.turns = new TokenBucket({ perSecond, burst: 1 });
    this.clock = clock;
  }

  async pass(bytes: number): Promise<void> {
    const turns = 1 + Math.floor(bytes / bytesOfTurn);
    const waitMs = this.turns.reserve(this.clock.monotonic(), turns);
    if (waitMs > 0) await pause(waitMs);
  }
}

const pauseMs = 500;

/**
 * Retries while the bus is unavailable: giving up would repeat the call itself. Rejects once this process is shutting down, and
 * another process handles the job.
 */
export const retryWhileBusDown = async (
  put: () => Promise<void>,
  isClosing: () => boolean,
): Promise<void> => {
  for (;;) {
    try {
      return await put();
    } catch (error) {
      if (!(error instanceof EngineUnavailable) || isClosing()) throw error;
      await pause(pauseMs);
    }
  }
};
