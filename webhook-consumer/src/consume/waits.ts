import { webhookRetries, webhookWaits, type WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import type { WorkQueue } from '@roomwire/shared/wire/bus/channel';
import type { WebhookConsumerOptions } from '../options.js';

type Queue = WorkQueue<WebhookCall>;

/** A call and the queue in which it waits. */
export interface Waiting {
  readonly queue: Queue;
  readonly call: WebhookCall;
}

/**
 * [HOOK-RETRY-5] The queues in which calls wait for their next attempt. Each has one delay; a longer wait is made of several, the longest
 * first, so that no handler sleeps, nothing holds a partition, and any process goes on with it.
 */
export class CallWaits {
  /** In the order of their delays. */
  private readonly steps: readonly Queue[];
  private readonly shortest: Queue;

  constructor({ retryWaitsMs, waitStepsMs }: Pick<WebhookConsumerOptions, 'retryWaitsMs' | 'waitStepsMs'>) {
    const [shortestMs, ...longerMs] = [...retryWaitsMs, ...waitStepsMs];
    const [shortest, ...longer] = [...webhookRetries, ...webhookWaits] as const;
    this.shortest = { ...shortest, delayMs: shortestMs };
    const steps = longer.map((queue, n) => ({ ...queue, delayMs: longerMs[n] ?? queue.delayMs }));
    this.steps = [this.shortest, ...steps];
  }

  get queues(): readonly Queue[] {
    return this.steps;
  }

  /** The wait before the second or the third attempt. */
  usual(call: WebhookCall): Waiting {
    return { queue: this.steps[call.attempts - 1] as Queue, call };
  }

  /** At least so long; at most as much longer as the shortest step. */
  for(call: WebhookCall, waitMs: number): Waiting {
    const queue = this.steps.findLast(({ delayMs }) => delayMs <= waitMs) ?? this.shortest;
    const waitsOnMs = Math.max(0, Math.ceil(waitMs - queue.delayMs));
    return { queue, call: { ...call, waitsOnMs: waitsOnMs || undefined } };
  }
}
