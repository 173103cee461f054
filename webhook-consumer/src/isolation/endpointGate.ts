import type { Clock } from '@roomwire/shared/ports/clock';
import { JobRequeued } from '@roomwire/shared/ports/errors';
import type { EndpointClass } from '../metrics.js';
import type { WebhookConsumerOptions } from '../options.js';
import { AcceptingEndpoints } from './acceptingEndpoints.js';
import { type CallEnd, type Ended, Endpoint, ProjectCalls } from './endpoint.js';

/** A call that waits for permission to be made. */
export interface WaitingCall {
  readonly projectId: string;
  readonly url: string;
  /** Calls of one room keep their order; a unique value means no ordering. */
  readonly room: string;
  /** Memory that it holds. */
  readonly bytes: number;
}

/** Permission to make one call. */
export interface Permit {
  readonly endpointClass: EndpointClass;
  done(end: CallEnd): void;
}

type GateOptions = Pick<
  WebhookConsumerOptions,
  | 'maxCallsPerEndpoint'
  | 'maxCalls'
  | 'maxCallsPerProject'
  | 'maxCallsPerNewEndpoint'
  | 'maxCallsPerSlowEndpoint'
  | 'maxCallsPerSlowEndpointUnderLoad'
  | 'slowMs'
  | 'maxWaitMs'
  | 'maxBytes'
  | 'maxQueuedCallsPerProject'
  | 'maxBytesPerProject'
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
 * memory, and on how long they wait; each project on all of its calls. Calls beyond that are deferred, so that neither a slow
 * endpoint nor a project with many of them delays others.
 */
export class EndpointGate {
  private readonly options: GateOptions;
  private readonly clock: Clock;
  private readonly projects = new Map<string, ProjectCalls>();
  private readonly accepting = new AcceptingEndpoints();
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
    const project = this.projectOf(waiting.projectId);
    const endpoint = this.endpointOf(project, waiting.url);
    if (!this.hasCapacity(project, endpoint, waiting)) {
      this.forgetIdle(project, endpoint);
      return undefined;
    }
    this.bytes += waiting.bytes;
    project.arrived(waiting.bytes);
    const ended = await new Promise<Ended | undefined>((settle) => {
      endpoint.lanes.add({ ...waiting, since: this.clock.monotonic(), settle });
      this.advance(project, endpoint);
      this.sweep ??= setInterval(() => this.sweepAll(), sweepMs);
    });
    if (ended) return this.permitFor(waiting, project, endpoint, ended);
    this.bytes -= waiting.bytes;
    project.left(waiting.bytes);
    this.forgetIdle(project, endpoint);
    if (!this.isOpen) throw new GateClosed();
    return undefined;
  }

  /** Refuses the waiting calls; those in flight continue. */
  close(): void {
    this.isOpen = false;
    clearInterval(this.sweep);
    for (const { endpoints } of this.projects.values())
      for (const { lanes } of endpoints.values())
        for (const call of lanes.takeOlderThan(Infinity)) call.settle(undefined);
  }

  private permitFor({ bytes }: WaitingCall, project: ProjectCalls, endpoint: Endpoint, ended: Ended): Permit {
    const began = this.clock.monotonic();
    const { slowMs, maxCalls, maxCallsPerProject } = this.options;
    return {
      endpointClass: endpoint.isSlow(began, slowMs) ? 'slow' : 'steady',
      done: (end) => {
        this.callsInFlight -= 1;
        this.bytes -= bytes;
        project.ended(bytes);
        if (end === 'accepted') this.accepted(project, endpoint);
        ended(end !== 'unanswered' && this.clock.monotonic() - began <= slowMs);
        this.advance(project, endpoint);
        this.forgetIdle(project, endpoint);
        if (this.callsInFlight === maxCalls - 1) this.advanceAll();
        else if (project.inFlight === maxCallsPerProject - 1) this.advanceProject(project);
      },
    };
  }

  private accepted({ projectId }: ProjectCalls, endpoint: Endpoint): void {
    endpoint.hasAccepted = true;
    this.accepting.add(projectId, endpoint.url);
  }

  private projectOf(projectId: string): ProjectCalls {
    const known = this.projects.get(projectId);
    if (known) return known;
    const project = new ProjectCalls(projectId);
    this.projects.set(projectId, project);
    return project;
  }

  private endpointOf({ projectId, endpoints }: ProjectCalls, url: string): Endpoint {
    const known = endpoints.get(url);
    if (known) return known;
    const endpoint = new Endpoint(url, this.accepting.has(projectId, url));
    endpoints.set(url, endpoint);
    return endpoint;
  }

  private forgetIdle(project: ProjectCalls, endpoint: Endpoint): void {
    if (!endpoint.isIdle) return;
    if (project.endpoints.get(endpoint.url) === endpoint) project.endpoints.delete(endpoint.url);
    if (project.isIdle) this.projects.delete(project.projectId);
  }

  private hasCapacity(project: ProjectCalls, endpoint: Endpoint, { bytes }: WaitingCall): boolean {
    const { maxBytes, maxBytesPerProject, maxQueuedCallsPerProject } = this.options;
    if (this.bytes > 0 && this.bytes + bytes > maxBytes) return false;
    if (project.bytes > 0 && project.bytes + bytes > maxBytesPerProject) return false;
    return project.calls < maxQueuedCallsPerProject && endpoint.lanes.waiting < this.waitingLimitOf(endpoint);
  }

  /** How many calls of the endpoint may wait in memory. A new endpoint may turn out to be as fast as any. */
  private waitingLimitOf(endpoint: Endpoint): number {
    const { slowMs, maxCallsPerEndpoint } = this.options;
    const now = this.clock.monotonic();
    if (endpoint.isProven(now, slowMs)) return waitingShare.proven * this.limitOf(endpoint);
    const isSlow = endpoint.isSlow(now, slowMs);
    return waitingShare.others * (isSlow ? this.limitOf(endpoint) : maxCallsPerEndpoint);
  }

  /** How many calls of the endpoint may be in flight now. */
  private limitOf(endpoint: Endpoint): number {
    const { slowMs, maxCalls, ...most } = this.options;
    const limit = endpoint.hasAccepted
      ? most.maxCallsPerEndpoint
      : Math.min(most.maxCallsPerNewEndpoint, most.maxCallsPerEndpoint);
    if (!endpoint.isSlow(this.clock.monotonic(), slowMs)) return limit;
    const ofSlow =
      this.callsInFlight < maxCalls / 2
        ? most.maxCallsPerSlowEndpoint
        : most.maxCallsPerSlowEndpointUnderLoad;
    return Math.min(ofSlow, limit);
  }

  private hasFreePlace(project: ProjectCalls, endpoint: Endpoint): boolean {
    return (
      this.callsInFlight < this.options.maxCalls &&
      project.inFlight < this.options.maxCallsPerProject &&
      endpoint.inFlight < this.limitOf(endpoint)
    );
  }

  private advance(project: ProjectCalls, endpoint: Endpoint): void {
    const now = this.clock.monotonic();
    while (this.hasFreePlace(project, endpoint)) {
      const call = endpoint.lanes.next(now);
      if (call === undefined) return;
      this.callsInFlight += 1;
      project.inFlight += 1;
      call.settle(endpoint.begin(call, now));
    }
  }

  private advanceProject(project: ProjectCalls): void {
    for (const endpoint of project.endpoints.values()) this.advance(project, endpoint);
  }

  private advanceAll(): void {
    for (const project of this.projects.values()) this.advanceProject(project);
  }

  /** Starts calls that have waited long enough for earlier calls of their room, and defers calls that have waited too long. */
  private sweepAll(): void {
    const tooOld = this.clock.monotonic() - this.options.maxWaitMs;
    this.advanceAll();
    for (const { endpoints } of this.projects.values())
      for (const { lanes } of endpoints.values())
        for (const call of lanes.takeOlderThan(tooOld)) call.settle(undefined);
    if (this.projects.size > 0) return;
    clearInterval(this.sweep);
    this.sweep = undefined;
  }
}
