import {
  webhookBacklog,
  webhookRetries,
  type WebhookCall,
} from '@roomwire/shared/contracts/bus/webhookCalls';
import type { MessageBus, WorkQueue } from '@roomwire/shared/ports/messageBus';
import type { AttemptResult } from '../deliver/attempt.js';
import type { Post } from '../deliver/post.js';
import type { EndpointGate, Pass } from '../isolation/endpointGate.js';
import { countAttempt, type AttemptLabel, type WebhookMetrics } from '../metrics.js';
import { nextStep } from '../policy/nextStep.js';
import type { Pacer } from './pacer.js';
import { safely } from './safely.js';
import type { Settlement } from './settlement.js';

export interface CallDeps {
  readonly bus: MessageBus;
  readonly gate: EndpointGate;
  readonly post: Post;
  readonly settlement: Settlement;
  readonly metrics: WebhookMetrics;
  readonly pacer: Pacer;
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
    const result = await attempt(call, pass);
    const step = nextStep(result, call.attempts + 1);
    const made = { ...call, attempts: call.attempts + 1 };
    if (step.to === 'retry') {
      metrics.retries += 1;
      return put(retries[call.attempts] as WorkQueue<WebhookCall>, made);
    }
    const settle = () => deps.settlement.settle(made, result, step);
    return safely(settle, deps.isClosing);
  };

  const attempt = async (call: WebhookCall, pass: Pass): Promise<AttemptResult> => {
    let isAnswered = false;
    metrics.underWay = gate.underWay;
    try {
      const result = await deps.post(call);
      isAnswered = result.kind === 'answered';
      countAttempt(metrics, call.kind, labelOf(result), pass.endpointClass);
      return result;
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

const labelOf = (result: AttemptResult): AttemptLabel => {
  if (result.kind === 'forbidden') return 'forbidden';
  if (result.kind === 'unreachable') return result.isTimeout ? 'timeout' : 'unreachable';
  if (result.status < 300) return '2xx';
  if (result.status < 400) return '3xx';
  return result.status < 500 ? '4xx' : '5xx';
};
