import { retryWaitsMs } from '@roomwire/shared/wire/bus/webhookCalls';
import type { ReachOptions } from './deliver/addresses.js';

export interface WebhookConsumerOptions extends ReachOptions {
  /** An HTTP proxy that all calls go through, perhaps with a user name and a password. */
  readonly proxy?: string | undefined;
  /** All phases of an attempt together. */
  readonly attemptMs: number;
  /** Before the second and the third attempt. */
  readonly retryWaitsMs: readonly [number, number];
  /** Calls under way, of one endpoint and of all. */
  readonly mostCallsOfEndpoint: number;
  readonly mostCalls: number;
  /** Calls under way of an endpoint that is slow, and of one that is slow while half of all may be under way. */
  readonly mostCallsOfSlowEndpoint: number;
  readonly fewestCallsOfEndpoint: number;
  /** An endpoint that takes longer than this to answer is slow. */
  readonly slowMs: number;
  /** How long a call waits in memory for its turn before it goes to the backlog. */
  readonly patienceMs: number;
  /** Of all calls in memory. */
  readonly mostBytes: number;
  /** Calls of the backlog a second that find no place and go back to its end. */
  readonly backlogTurnsPerSecond: number;
  /** What is under way when the consumer is closed gets this long. */
  readonly graceMs: number;
}

export const defaultOptions: WebhookConsumerOptions = {
  allowPrivate: false,
  attemptMs: 30_000,
  retryWaitsMs,
  mostCallsOfEndpoint: 64,
  mostCalls: 2_000,
  mostCallsOfSlowEndpoint: 16,
  fewestCallsOfEndpoint: 4,
  slowMs: 1_000,
  patienceMs: 1_500,
  mostBytes: 128 * 1024 * 1024,
  backlogTurnsPerSecond: 200,
  graceMs: 3_000,
};
