import { parkedWebhookCalls, retryWaitsMs, webhookWaits } from '@roomwire/shared/wire/bus/webhookCalls';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { type CircuitOptions, usualCircuits } from './circuits/circuits.js';
import type { ReachOptions } from './deliver/addresses.js';
import { type LaterWaits, usualLaterWaits } from './policy/nextStep.js';

export interface WebhookConsumerOptions extends ReachOptions {
  /** The URL of an HTTP proxy for all calls, optionally with a user name and a password. */
  readonly proxy?: string | undefined;
  /** Time limit of a whole attempt. */
  readonly attemptMs: number;
  /** Before the second and the third attempt. */
  readonly retryWaitsMs: readonly [number, number];
  /** Before those of a call that is tried on for longer. */
  readonly laterWaits: LaterWaits;
  /** What longer waits are made of. */
  readonly waitStepsMs: readonly number[];
  /** Calls in flight, to one endpoint and in all. */
  readonly maxCallsPerEndpoint: number;
  readonly maxCalls: number;
  /** Calls in flight of one project, so that it cannot take all of them. */
  readonly maxCallsPerProject: number;
  /** Calls in flight to an endpoint that has not answered 2xx yet. */
  readonly maxCallsPerNewEndpoint: number;
  /** Calls in flight to a slow endpoint; fewer while half of `maxCalls` are in flight. */
  readonly maxCallsPerSlowEndpoint: number;
  readonly maxCallsPerSlowEndpointUnderLoad: number;
  /** An endpoint that takes longer than this to answer is slow. */
  readonly slowMs: number;
  /** How long a call waits in memory before it goes to the backlog. */
  readonly maxWaitMs: number;
  /** Memory of all calls that wait or are in flight. */
  readonly maxBytes: number;
  /** Calls of one project that wait or are in flight, and their memory. */
  readonly maxQueuedCallsPerProject: number;
  readonly maxBytesPerProject: number;
  /** Calls of one project in the backlog, and their bytes. */
  readonly maxBacklogCalls: number;
  readonly maxBacklogBytes: number;
  /** [HOOK-CIRCUIT-1] When an endpoint answers nobody, and what is done then. */
  readonly circuits: CircuitOptions;
  /** Before a call to an endpoint whose circuit is open is looked at again, and how long it waits in all. */
  readonly parkedLookMs: number;
  readonly parkedMs: number;
  /** Calls of the backlog that are deferred again, a second, and as many that wait for their endpoints; of large ones fewer. */
  readonly backlogTurnsPerSecond: number;
  /** Calls in flight get this long to end when the consumer closes. */
  readonly graceMs: number;
}

export const defaultOptions: WebhookConsumerOptions = {
  allowPrivate: false,
  attemptMs: limitTable.webhookAttemptMs.value,
  retryWaitsMs,
  laterWaits: usualLaterWaits,
  waitStepsMs: webhookWaits.map(({ delayMs }) => delayMs),
  maxCallsPerEndpoint: limitTable.webhookCallsPerEndpoint.value,
  maxCalls: limitTable.webhookCalls.value,
  maxCallsPerProject: limitTable.webhookCallsPerProject.value,
  maxCallsPerNewEndpoint: limitTable.webhookCallsPerNewEndpoint.value,
  maxCallsPerSlowEndpoint: limitTable.webhookCallsPerSlowEndpoint.value,
  maxCallsPerSlowEndpointUnderLoad: limitTable.webhookCallsPerSlowEndpointUnderLoad.value,
  slowMs: 1_000,
  maxWaitMs: 1_500,
  maxBytes: limitTable.webhookMemory.value,
  maxQueuedCallsPerProject: limitTable.webhookQueuedCallsPerProject.value,
  maxBytesPerProject: limitTable.webhookMemoryPerProject.value,
  maxBacklogCalls: limitTable.webhookBacklogCalls.value,
  maxBacklogBytes: limitTable.webhookBacklogBytes.value,
  circuits: usualCircuits,
  parkedLookMs: parkedWebhookCalls.delayMs,
  parkedMs: limitTable.parkedMs.value,
  backlogTurnsPerSecond: 200,
  graceMs: 3_000,
};
