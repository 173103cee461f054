import type { Clock } from '@roomwire/shared/ports/clock';
import { JobRequeued } from '@roomwire/shared/ports/errors';
import type { EndpointClass } from '../metrics.js';
import type { WebhookConsumerOptions } from '../options.js';
import { type Ended, Endpoint } from './endpoint.js';

/** What asks to be let through. */
export interface Applicant {
  /** Whom it goes to. */
  readonly endpoint: string;
  /** Within which it keeps its place; one of its own keeps none. */
  readonly room: string;
  /** What it holds in memory. */
  readonly bytes: number;
}

/** The leave to call. */
export interface Pass {
  readonly endpointClass: EndpointClass;
  /** The call has ended, with an answer of the endpoint or without. */
  done(isAnswered: boolean): void;
}

type GateOptions = Pick<
  WebhookConsumerOptions,
  | 'mostCallsOfEndpoint'
  | 'mostCalls'
  | 'mostCallsOfSlowEndpoint'
  | 'fewestCallsOfEndpoint'
  | 'slowMs'
  | 'patienceMs'
  | 'mostBytes'
>;

const sweepMs = 100;
/**
 * Calls that wait in memory for each that may be under way: more of them where they will not wait for long, because what is put
 * off is written again and comes a second later.
 */
const waitingShare = { proven: 16, others: 4 };

/** The gate was closed: nothing more is called. */
export class GateClosed extends JobRequeued {
  override readonly name = 'GateClosed';
}

/**
 * [HOOK-ISOLATION-1] Who may call whom, and when. An endpoint that does not answer has a bound on the calls under way,
 * on those that wait in memory, and on how long they do; what exceeds it is put off, so that it does not hold up other endpoints.
 */
export class EndpointGate {
  private readonly options: GateOptions;
  private readonly clock: Clock;
  private readonly endpoints = new Map<string, Endpoint>();
  private callsUnderWay = 0;
  private bytes = 0;
  private sweep: NodeJS.Timeout | undefined;
  private isOpen = true;

  constructor(options: GateOptions, clock: Clock) {
    this.options = options;
    this.clock = clock;
  }

  get underWay(): number {
    return this.callsUnderWay;
  }

  /** Undefined: it has to be put off. Rejects with `GateClosed`. */
  async enter(applicant: Applicant): Promise<Pass | undefined> {
    if (!this.isOpen) throw new GateClosed();
    const endpoint = this.endpointOf(applicant.endpoint);
    if (!this.hasPlace(endpoint, applicant)) {
      this.forgetIdle(applicant.endpoint, endpoint);
      return undefined;
    }
    this.bytes += applicant.bytes;
    const ended = await new Promise<Ended | undefined>((settle) => {
      endpoint.lanes.add({ ...applicant, since: this.clock.monotonic(), settle });
      this.advance(endpoint);
      this.sweep ??= setInterval(() => this.lookAfterAll(), sweepMs);
    });
    if (ended) return this.pass(applicant, endpoint, ended);
    this.bytes -= applicant.bytes;
    if (!this.isOpen) throw new GateClosed();
    return undefined;
  }

  /** Those that wait are turned away; those under way go on. */
  close(): void {
    this.isOpen = false;
    clearInterval(this.sweep);
    for (const { lanes } of this.endpoints.values())
      for (const call of lanes.takeOlderThan(Infinity)) call.settle(undefined);
  }

  private pass({ endpoint: name, bytes }: Applicant, endpoint: Endpoint, ended: Ended): Pass {
    const began = this.clock.monotonic();
    const { slowMs } = this.options;
    return {
      endpointClass: endpoint.isSlow(began, slowMs) ? 'slow' : 'steady',
      done: (isAnswered) => {
        this.callsUnderWay -= 1;
        this.bytes -= bytes;
        ended(isAnswered && this.clock.monotonic() - began <= slowMs);
        this.advance(endpoint);
        this.forgetIdle(name, endpoint);
        if (this.callsUnderWay === this.options.mostCalls - 1) this.advanceAll();
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

  private hasPlace(endpoint: Endpoint, { bytes }: Applicant): boolean {
    if (this.bytes > 0 && this.bytes + bytes > this.options.mostBytes) return false;
    const isProven = endpoint.isProven(this.clock.monotonic(), this.options.slowMs);
    const share = isProven ? waitingShare.proven : waitingShare.others;
    return endpoint.lanes.waiting < share * this.mostOf(endpoint);
  }

  /** How many calls of the endpoint may be under way now. */
  private mostOf(endpoint: Endpoint): number {
    const { slowMs, mostCalls, ...most } = this.options;
    if (!endpoint.isSlow(this.clock.monotonic(), slowMs)) return most.mostCallsOfEndpoint;
    const ofSlow =
      this.callsUnderWay < mostCalls / 2 ? most.mostCallsOfSlowEndpoint : most.fewestCallsOfEndpoint;
    return Math.min(ofSlow, most.mostCallsOfEndpoint);
  }

  private advance(endpoint: Endpoint): void {
    const now = this.clock.monotonic();
    while (this.callsUnderWay < this.options.mostCalls && endpoint.underWay < this.mostOf(endpoint)) {
      const call = endpoint.lanes.next(now);
      if (call === undefined) return;
      this.callsUnderWay += 1;
      call.settle(endpoint.begin(call, now));
    }
  }

  private advanceAll(): void {
    for (const endpoint of this.endpoints.values()) this.advance(endpoint);
  }

  /** Lets start what has waited long enough for the calls of its room, and puts off what has waited too long. */
  private lookAfterAll(): void {
    const tooOld = this.clock.monotonic() - this.options.patienceMs;
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
