import { webhookBacklog, webhookRetries, type WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { WorkQueue } from '@roomwire/shared/wire/bus/channel';
import type { Tracing } from '@roomwire/shared/ports/tracing';
import { endingWithError } from '@roomwire/shared/runtime/endingWithError';
import type { Post, Posted } from '../deliver/post.js';
import type { EndpointGate, Pass } from '../isolation/endpointGate.js';
import { countAttempt, type WebhookMetrics } from '../metrics.js';
import { classOf, outcomeOf } from '../outcomes/outcomeOf.js';
import type { Tell } from '../outcomes/outcomeStream.js';
import { nextStep } from '../policy/nextStep.js';
import type { Pacer } from './pacer.js';
import { safely } from './safely.js';
import { beginAttempt, endAttempt } from './traceAttempts.js';
import type { Settlement } from './settlement.js';

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
  readonly retryWaitsMs: readonly [number, number];
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
  const { bus, gate, metrics, pacer } = deps;
  const retries = retryQueues(deps.retryWaitsMs);
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

const retryQueues = (waitsMs: readonly [number, number]): readonly WorkQueue<WebhookCall>[] =>
  webhookRetries.map((queue, n) => ({ ...queue, delayMs: waitsMs[n] ?? queue.delayMs }));
