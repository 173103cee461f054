import {
  parkedWebhookCalls,
  webhookBacklog,
  type WebhookCall,
  webhookCalls,
} from '@roomwire/shared/wire/bus/webhookCalls';
import { webhookReports } from '@roomwire/shared/wire/bus/webhookReports';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { WorkQueue } from '@roomwire/shared/wire/bus/channel';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Tracing } from '@roomwire/shared/ports/tracing';
import { endingWithError } from '@roomwire/shared/runtime/endingWithError';
import type { Circuits } from '../circuits/circuits.js';
import { OwnerGone } from '../deliver/ownerGone.js';
import type { Post, Posted } from '../deliver/post.js';
import type { BacklogQuota } from '../isolation/backlogQuota.js';
import type { CallEnd } from '../isolation/endpoint.js';
import type { EndpointGate, Permit } from '../isolation/endpointGate.js';
import { countAttempt, type WebhookMetrics } from '../metrics.js';
import { type AttemptOutcome, type LaterWaits, nextStep, type Patience } from '../policy/nextStep.js';
import { retryAfterMs } from '../policy/retryAfter.js';
import { beginAttempt, endAttempt } from './attemptSpan.js';
import { classOf, outcomeOf, type PublishOutcome } from './outcomes.js';
import { type Pacer, retryWhileBusDown } from './pacing.js';
import type { Settlement } from './settlement.js';
import type { CallWaits, Waiting } from './waits.js';
import type { AttemptResult } from '../deliver/attempt.js';

export interface CallDeps {
  readonly bus: MessageBus;
  readonly clock: Pick<Clock, 'now'>;
  readonly gate: EndpointGate;
  readonly circuits: Pick<Circuits, 'isOpen' | 'mayTry' | 'notTried' | 'ended'>;
  /** Of the backlog. */
  readonly quota: BacklogQuota;
  /** Of the calls that wait for their endpoints. */
  readonly parkedQuota: BacklogQuota;
  readonly post: Post;
  readonly settlement: Settlement;
  readonly publishOutcome: PublishOutcome;
  readonly metrics: WebhookMetrics;
  readonly pacer: Pacer;
  readonly parkedPacer: Pacer;
  /** Undefined where nothing is traced. */
  readonly tracing: Tracing | undefined;
  readonly waits: CallWaits;
  readonly laterWaits: LaterWaits;
  /** How long a call waits for its endpoint. */
  readonly parkedMs: number;
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
  /** A call whose endpoint answers nobody: it goes back while that is so, but for one now and then. */
  readonly handleParked: (call: WebhookCall) => Promise<void>;
}

export const createCallHandler = (deps: CallDeps): CallHandler => {
  const { bus, clock, gate, circuits, quota, parkedQuota, metrics, waits, settlement } = deps;
  const surely = (step: () => Promise<void>): Promise<void> => retryWhileBusDown(step, deps.isClosing);
  const put = (queue: WorkQueue<WebhookCall>, call: WebhookCall): Promise<void> =>
    surely(() => bus.put(queue, call));
  const wait = ({ queue, call }: Waiting): Promise<void> => put(queue, call);

  const make = async (call: WebhookCall, permit: Permit): Promise<void> => {
    const posted = await attempt(call, permit).catch(unlessOwnerGone);
    if (posted === undefined) {
      circuits.notTried(call);
      return settlement.discard(call);
    }
    await reportEndpoint(call, posted);
    const parkedAt = circuits.isOpen(call) ? call.parkedAt : undefined;
    const made = { ...attempted(call, posted), parkedAt };
    const progress = { attempt: made.attempts, patience: patienceOf(made, posted.endedAt) };
    const step = nextStep(outcomeWithWait(posted), progress, deps.laterWaits);
    deps.publishOutcome(outcomeOf(made, posted, step));
    if (step.to !== 'retry') return end(made, () => settlement.settle(made, posted.result, step));
    metrics.retries += 1;
    return wait(step.isUsual ? waits.usual(made) : waits.for(made, step.afterMs));
  };

  /** [HOOK-EVENT-6] Settles the call, and goes on with the events behind it, here, or where this process ends elsewhere. */
  const end = async (call: WebhookCall, settle: () => Promise<void>): Promise<void> => {
    await surely(settle);
    await surely(() => settlement.ended(call));
    const next = followingCall(call);
    if (next === undefined) return undefined;
    return deps.isClosing() ? put(webhookCalls, next) : handleNew(next);
  };

  /** Before the call is done with, so that what follows from it is not lost with this process. */
  const reportEndpoint = async (call: WebhookCall, { result, requestBytes }: Posted): Promise<void> => {
    // It was not called: it must not be, or the call could not be signed.
    if (result.kind === 'forbidden' || requestBytes === 0) return;
    const report = circuits.ended(call, endOf(result));
    if (report !== undefined) await surely(() => bus.put(webhookReports, report));
  };

  const attempt = async (call: WebhookCall, permit: Permit): Promise<Posted> => {
    let ending: CallEnd = 'unanswered';
    const span = deps.tracing && beginAttempt(deps.tracing, call);
    metrics.inFlight = gate.inFlight;
    try {
      const posted = await deps.post(call).catch(endingWithError(span));
      endAttempt(span, posted.result);
      ending = endOf(posted.result);
      countAttempt(metrics, call.kind, classOf(posted.result), permit.endpointClass);
      return posted;
    } finally {
      permit.done(ending);
      metrics.inFlight = gate.inFlight;
    }
  };

  /** [HOOK-BACKLOG-1] A call for which its project's backlog has no room ends here. */
  const defer = (call: WebhookCall): Promise<void> => {
    const limit = quota.limitFor(call);
    if (limit !== undefined) return end(call, () => settlement.turnAway(call, limit, 'backlog_full'));
    metrics.deferred += 1;
    return put(webhookBacklog, quota.putOff(call));
  };

  const mayWait = (call: WebhookCall): boolean =>
    call.kind !== 'hydration' &&
    (call.parkedAt === undefined || clock.now() - call.parkedAt < deps.parkedMs) &&
    parkedQuota.limitFor(call) === undefined;

  /** [HOOK-CIRCUIT-2] Nobody waits for a hydration for so long. */
  const park = (call: WebhookCall): Promise<void> => {
    const limit = parkedQuota.limitFor(call);
    if (call.kind !== 'hydration' && limit !== undefined)
      return end(call, () => settlement.turnAway(call, limit, 'circuit_open'));
    if (!mayWait(call)) return end(call, () => settlement.giveUp(call, 'circuit_open'));
    metrics.parked += 1;
    return put(parkedWebhookCalls, parkedQuota.putOff({ ...call, parkedAt: call.parkedAt ?? clock.now() }));
  };

  /** What an operator redrives is tried whatever the endpoint has done. */
  const waitsForEndpoint = (call: WebhookCall): boolean =>
    call.origin.by !== 'redrive' && circuits.isOpen(call);

  const handleTaken = async (call: WebhookCall): Promise<void> => {
    const permit = await gate.enter(waitingCallOf(call, call.callId));
    if (permit) return make(call, permit);
    // Only what goes around is slowed; what is turned away makes room for what is behind it.
    if (quota.limitFor(call) === undefined) await deps.pacer.pass(call.data.length);
    return defer(call);
  };

  const handleWaitingForEndpoint = async (call: WebhookCall): Promise<void> => {
    if (circuits.mayTry(call)) {
      const permit = await gate.enter(waitingCallOf(call, call.callId));
      metrics.trials += permit ? 1 : 0;
      if (permit) return make(call, permit);
      circuits.notTried(call);
    }
    if (mayWait(call)) await deps.parkedPacer.pass(call.data.length);
    return park(call);
  };

  const handleNew = async (call: WebhookCall): Promise<void> => {
    if (waitsForEndpoint(call)) return park(call);
    const permit = await gate.enter(waitingCallOf(call, call.room));
    return permit ? make(call, permit) : defer(call);
  };

  return {
    handleNew,
    handleWaiting: (call) =>
      call.waitsOnMs === undefined ? handleNew(call) : wait(waits.for(call, call.waitsOnMs)),
    async handleDeferred(call) {
      quota.taken(call);
      await (waitsForEndpoint(call) ? park(call) : handleTaken(call));
      quota.left(call);
    },
    async handleParked(call) {
      parkedQuota.taken(call);
      await (waitsForEndpoint(call) ? handleWaitingForEndpoint(call) : handleNew(call));
      parkedQuota.left(call);
    },
  };
};

const unlessOwnerGone = (error: unknown): undefined => {
  if (!(error instanceof OwnerGone)) throw error;
};

const waitingCallOf = ({ projectId, url, data }: WebhookCall, room: string) => ({
  ...{ projectId, url, room },
  bytes: data.length,
});

/** Of a room event whose call has ended: the call of the next, which begins anew. It has waited as long for its endpoint. */
const followingCall = ({ following, ...ended }: WebhookCall): WebhookCall | undefined => {
  const [next, ...rest] = following ?? [];
  if (next === undefined) return undefined;
  const isNew = { attempts: 0, firstAttemptAt: undefined, waitsOnMs: undefined, putOffBy: undefined };
  return { ...ended, ...next, ...isNew, ...(rest.length > 0 && { following: rest }) };
};

/** The call with one more attempt, out of the backlog. When the first was begun counts only where it is tried on. */
const attempted = (call: WebhookCall, { endedAt, durationMs }: Posted): WebhookCall => ({
  ...call,
  attempts: call.attempts + 1,
  putOffBy: undefined,
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
