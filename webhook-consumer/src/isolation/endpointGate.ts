import type { Clock } from '@roomwire/shared/ports/clock';
import { JobRequeued } from '@roomwire/shared/ports/errors';
import type { EndpointClass } from '../metrics.js';
import type { WebhookConsumerOptions } from '../options.js';
import { type Ended, Endpoint } from './endpoint.js';

/** A call that waits for permission to be made. */
export interface WaitingCall {
  /** Project id and URL. */
  readonly endpoint: string;
  /** Calls of one room keep their order; a unique value means no ordering. */
  readonly room: string;
  /** Memory that it holds. */
  readonly bytes: number;
}

/** Permission to make one call. */
export interface Permit {
  readonly endpointClass: EndpointClass;
  /** The call has ended, with an answer of the endpoint or without. */
  done(isAnswered: boolean): void;
}

type GateOptions = Pick<
  WebhookConsumerOptions,
  | 'maxCallsPerEndpoint'
  | 'maxCalls'
  | 'maxCallsPerSlowEndpoint'
  | 'maxCallsPerSlowEndpointUnderLoad'
  | 'slowMs'
  | 'maxWaitMs'
  | 'maxBytes'
>;

const sweepMs = 100;
/**
 * Calls that may wait in memory for each call that may be in flight. More for an endpoint that answers in time, because a deferred
 * call is written to the backlog and comes back a second later.
 */
const waitingShare = { proven: 16, others: 4 };

/** The gate was closed: no more calls are made. */
export class GateClosed extends JobRequeued {
  override readonly name = 'GateClosed';
}

/**
 * [HOOK-ISOLATION-1] Decides when a call may be made. Each endpoint has a limit on its calls in flight, on its calls that wait in
 * memory, and on how long they wait; calls beyond that are deferred, so that a slow endpoint does not delay others.
 */
export class EndpointGate {
  private readonly options: GateOptions;
  private readonly clock: Clock;
  private readonly endpoints = new Map<string, Endpoint>();
  private callsInFlight = 0;
  private bytes = 0;
  private sweep: NodeJS.Timeout | undefined;
  private isOpen = true;

  constructor(options: GateOptions, clock: Clock) {
    this.options = options;
    this.clock = clock;
  }

  get inFlight(): number {
    return this.callsInFlight;
  }

  /** Undefined when the call must be deferred. Rejects with `GateClosed`. */
  async enter(waiting: WaitingCall): Promise<Permit | undefined> {
    if (!this.isOpen) throw new GateClosed();
    const endpoint = this.endpointOf(waiting.endpoint);
    if (!this.hasCapacity(endpoint, waiting)) {
      this.forgetIdle(waiting.endpoint, endpoint);
      return undefined;
    }
    this.bytes += waiting.bytes;
    const ended = await new Promise<Ended | undefined>((settle) => {
      endpoint.lanes.add({ ...waiting, since: this.clock.monotonic(), settle });
      this.advance(endpoint);
      this.sweep ??= setInterval(() => this.sweepAll(), sweepMs);
    });
    if (ended) return this.permitFor(waiting, endpoint, ended);
    this.bytes -= waiting.bytes;
    if (!this.isOpen) throw new GateClosed();
    return undefined;
  }

  /** Refuses the waiting calls; those in flight continue. */
  close(): void {
    this.isOpen = false;
    clearInterval(this.sweep);
    for (const { lanes } of this.endpoints.values())
      for (const call of lanes.takeOlderThan(Infinity)) call.settle(undefined);
  }

  private permitFor({ endpoint: name, bytes }: WaitingCall, endpoint: Endpoint, ended: Ended): Permit {
    const began = this.clock.monotonic();
    const { slowMs } = this.options;
    return {
      endpointClass: endpoint.isSlow(began, slowMs) ? 'slow' : 'steady',
      done: (isAnswered) => {
        this.callsInFlight -= 1;
        this.bytes -= bytes;
        ended(isAnswered && this.clock.monotonic() - began <= slowMs);
        this.advance(endpoint);
        this.forgetIdle(name, endpoint);
        if (this.callsInFlight === this.options.maxCalls - 1) this.advanceAll();
      },
    };
  }

  private endpointOf(name: string): Endpoint {
    const known = this.endpoints.get(name);
    if (known) return known;
    const endpoint = new Endpoint();
    this.endpoints.set(name, endpoint);
    return endpoint;
  }

  private forgetIdle(name: string, endpoint: Endpoint): void {
    if (endpoint.isIdle) this.endpoints.delete(name);
  }

  private hasCapacity(endpoint: Endpoint, { bytes }: WaitingCall): boolean {
    if (this.bytes > 0 && this.bytes + bytes > this.options.maxBytes) return false;
    const isProven = endpoint.isProven(this.clock.monotonic(), this.options.slowMs);
    const share = isProven ? waitingShare.proven : waitingShare.others;
    return endpoint.lanes.waiting < share * this.limitOf(endpoint);
  }

  /** How many calls of the endpoint may be in flight now. */
  private limitOf(endpoint: Endpoint): number {
    const { slowMs, maxCalls, ...most } = this.options;
    if (!endpoint.isSlow(this.clock.monotonic(), slowMs)) return most.maxCallsPerEndpoint;
    const ofSlow =
      this.callsInFlight < maxCalls / 2
        ? most.maxCallsPerSlowEndpoint
        : most.maxCallsPerSlowEndpointUnderLoad;
    return Math.min(ofSlow, most.maxCallsPerEndpoint);
  }

  private advance(endpoint: Endpoint): void {
    const now = this.clock.monotonic();
    while (this.callsInFlight < this.options.maxCalls && endpoint.inFlight < this.limitOf(endpoint)) {
      const call = endpoint.lanes.next(now);
      if (call === undefined) return;
      this.callsInFlight += 1;
      call.settle(endpoint.begin(call, now));
    }
  }

  private advanceAll(): void {
    for (const endpoint of this.endpoints.values()) this.advance(endpoint);
  }

  /** Starts calls that have waited long enough for earlier calls of their room, and defers calls that have waited too long. */
  private sweepAll(): void {
    const tooOld = this.clock.monotonic() - this.options.maxWaitMs;
    this.advanceAll();
    for (const [name, endpoint] of this.endpoints) {
      for (const call of endpoint.lanes.takeOlderThan(tooOld)) call.settle(undefined);
      this.forgetIdle(name, endpoint);
    }
    if (this.endpoints.size > 0) return;
    clearInterval(this.sweep);
    this.sweep = undefined;
  }
}
