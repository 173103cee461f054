import type { Buffer } from 'node:buffer';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { LiveState } from '@roomwire/shared/ports/liveState';
import type { LiveConnections } from '@roomwire/shared/ports/liveConnections';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { CollectMetrics } from '@roomwire/shared/ports/metrics';
import type { JobGroups } from '@roomwire/shared/ports/jobGroups';
import type { Publishing } from '@roomwire/shared/ports/publishing';
import type { Random } from '@roomwire/shared/ports/random';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { clientAddress } from '@roomwire/shared/runtime/clientAddress';
import { once, type Service } from '@roomwire/shared/runtime/service';
import { domainEventFeed } from '@roomwire/shared/wire/bus/domainEventFeed';
import { feedSpans } from '@roomwire/shared/wire/bus/feedSpans';
import { retainedMessages } from '@roomwire/shared/wire/bus/liveMessage';
import { webhookAnswers } from '@roomwire/shared/wire/bus/webhookCalls';
import { closes } from '@roomwire/shared/wire/protocol/protocolErrors';
import { compose, type GatewayParts, type GatewayPorts } from './compose.js';
import type { GatewayMetrics } from './metrics.js';
import { defaultOptions, type GatewayOptions } from './options.js';
import type { StoredJobs } from './publishing/publishToBus.js';
import { createDomainChanges } from './session/domainChanges.js';
import { drain } from './socket/openConnections.js';
import { asksForWebSocket, ignoreUpgrade, isAllowedOrigin, refuseUpgrade } from './socket/upgrade.js';
import {
  createWsListener,
  type FrameReceiver,
  type FrameSocket,
  type WsListener,
} from './socket/wsListener.js';

type OptionalPorts =
  | 'messageStore'
  | 'groupStore'
  | 'history'
  | 'tracing'
  | 'limits'
  | 'accessRecorder'
  | 'shardLeases'
  | 'roomEventStore'
  | 'schedules'
  | 'jobStore'
  | 'roomPast'
  | 'observerKeys'
  | 'activity'
  | 'factLog';

export interface GatewayDeps
  extends Omit<GatewayPorts, OptionalPorts>, Partial<Pick<GatewayPorts, OptionalPorts>> {
  readonly options?: Partial<GatewayOptions>;
}

export interface Gateway extends Service {
  /**
   * Takes over the server's `upgrade` requests, before or after `start`: `/ws` is ours, a WebSocket anywhere else is
   * refused. Other protocols that a client offers are ignored: the server gets such a request as an ordinary one.
   */
  attach(server: Server): void;
  /**
   * Accepts a WebSocket that did not arrive through the server of `attach`: the caller does what the handshake would have
   * done, and calls the receiver. Undefined while the gateway accepts none.
   */
  accept(socket: FrameSocket, address: string): FrameReceiver | undefined;
  /** Refuses new connections and closes the open ones over a period; 0 leaves them to `close`. May be called once, before `close`. */
  drain(overMs: number): Promise<void>;
  /** Open WebSockets. */
  readonly connections: number;
  /** For backends, which have no socket. */
  readonly publishing: Publishing;
  /** Worker groups with jobs, for REST. */
  readonly jobGroups: JobGroups;
  /** For the carrier of messages that other gateways publish: resolves when they are durable in the groups of this gateway. */
  readonly storedJobs: StoredJobs;
  /** Presence and subscriber counts, for backends too. */
  readonly liveState: LiveState;
  readonly liveConnections: LiveConnections;
  readonly metrics: Readonly<GatewayMetrics>;
  readonly collect: CollectMetrics;
}

export const createGateway = (deps: GatewayDeps): Gateway => new WebSocketGateway(deps);

class WebSocketGateway implements Gateway {
  readonly close = once(() => this.stop());
  private readonly options: GatewayOptions;
  private readonly random: Random;
  private readonly bus: MessageBus;
  private readonly views: Pick<ViewReader, 'isLeftBehind'>;
  private readonly parts: GatewayParts;
  private readonly listener: WsListener;
  private readonly readers: { close(): Promise<void> }[] = [];
  private timers: readonly NodeJS.Timeout[] = [];
  private isOpen = false;
  private leaving: Promise<void> | undefined;

  constructor({
    options,
    messageStore,
    groupStore,
    history,
    tracing,
    limits,
    accessRecorder,
    shardLeases,
    roomEventStore,
    jobStore,
    roomPast,
    schedules,
    observerKeys,
    factLog,
    activity,
    ...ports
  }: GatewayDeps) {
    this.options = { ...defaultOptions, ...options };
    this.random = ports.random;
    this.bus = ports.bus;
    this.views = ports.views;
    this.parts = compose(
      {
        ...{ ...ports, messageStore, groupStore, history, tracing, accessRecorder, shardLeases },
        ...{ schedules, roomEventStore, jobStore, roomPast, observerKeys, factLog, activity },
        limits: limits ?? new LimitReports(ports),
      },
      this.options,
    );
    this.listener = createWsListener(this.options.closeGraceMs, this.parts.connect);
  }

  get connections(): number {
    return this.parts.connections.size;
  }

  get publishing(): Publishing {
    return this.parts.publishing;
  }

  get jobGroups(): JobGroups {
    return this.parts.jobs.groups;
  }

  get storedJobs(): StoredJobs {
    return this.parts.jobs;
  }

  get liveState(): LiveState {
    return this.parts.liveState;
  }

  get liveConnections(): LiveConnections {
    return this.parts.liveConnections;
  }

  get metrics(): Readonly<GatewayMetrics> {
    return this.parts.metrics;
  }

  get collect(): CollectMetrics {
    return this.parts.collect;
  }

  async start(): Promise<void> {
    const { bus, options } = this;
    const { rooms, deliver, presence, retained, hydrations } = this.parts;
    const { roomEvents, jobs, revalidator, revalidation, refused, sweeper } = this.parts;
    const { coverage } = revalidation;
    const { questions, answers: givenAnswers } = this.parts;
    // Before the presence heartbeats announce which questions it answers.
    await Promise.all([questions.start(), givenAnswers.start()]);
    // In parallel, because each may take an engine seconds.
    const [values, changes, spans, answers] = await Promise.all([
      bus.read(retainedMessages, { interest: 'all' }, retained.stored),
      bus.read(
        domainEventFeed,
        { interest: 'all' },
        createDomainChanges(revalidator, { refused, coverage, roomEvents, jobs }),
      ),
      bus.read(feedSpans, { interest: 'all' }, coverage.said),
      bus.read(webhookAnswers, { interest: 'subscribed' }, hydrations.answered),
      rooms.start((record, offset) => void deliver(record, offset)),
      presence.start(),
    ]);
    await revalidation.start();
    this.readers.push(rooms, values, changes, spans, answers, questions, givenAnswers);
    await answers.subscribe(hydrations.address);
    await roomEvents?.start();
    await jobs.start();
    await this.parts.schedules?.start();
    await this.parts.lives.start();
    sweeper.start();
    this.timers = [
      every(revalidation.turnMs, () => void revalidation.turn()),
      every(options.expirySweepMs, () => this.parts.roster.endExpired()),
      every(options.leftBehindMs, () => this.leaveIfLeftBehind()),
      every(options.beatMs, () => this.onBeat()),
      every(options.usageMs, () => void this.parts.usageLedger.tick()),
    ];
    this.isOpen = true;
  }

  attach(server: Server): void {
    server.on('upgrade', (request, socket, head) => {
      if (asksForWebSocket(request)) this.upgrade(request, socket, head);
      else ignoreUpgrade(server, request, socket, head);
    });
  }

  accept(socket: FrameSocket, address: string): FrameReceiver | undefined {
    return this.takesClients ? this.parts.connect(socket, address) : undefined;
  }

  async drain(overMs: number): Promise<void> {
    this.isOpen = false;
    const { connections } = this.parts;
    const { random } = this;
    if (overMs > 0)
      await drain({ connections: connections.all, emptied: connections.emptied(), random, overMs });
  }

  private get takesClients(): boolean {
    return this.isOpen && !this.views.isLeftBehind;
  }

  /**
   * [WS-CONN-15] Its read models may contain revoked rights, so nothing is served from memory, and its clients are sent to gateways
   * that are up to date.
   */
  private leaveIfLeftBehind(): void {
    if (!this.views.isLeftBehind) return;
    const { connections, revalidator } = this.parts;
    revalidator.forgetAll();
    this.leaving ??= drain({
      ...{ connections: connections.all, emptied: connections.emptied() },
      ...{ random: this.random, overMs: this.options.leavingMs },
    }).finally(() => (this.leaving = undefined));
  }

  private onBeat(): void {
    this.parts.leases.beat();
    this.parts.connectionLimit.check();
    void this.parts.connectionCounts.store();
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const path = request.url?.split('?', 1)[0];
    if (path !== '/ws') refuseUpgrade(socket, '404 Not Found');
    else if (!isAllowedOrigin(request, this.options.allowedOrigins)) refuseUpgrade(socket, '403 Forbidden');
    else if (!this.takesClients) refuseUpgrade(socket, '503 Service Unavailable');
    else this.admit(request, socket, head);
  }

  private admit(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const address = clientAddress(request, this.options.trustedProxies);
    const refusal = this.parts.unauthenticated.refusal(address);
    if (refusal !== undefined) refuseUpgrade(socket, refusal);
    else this.listener.upgrade(request, socket, head, address);
  }

  private async stop(): Promise<void> {
    this.isOpen = false;
    for (const timer of this.timers) clearInterval(timer);
    const { connections, groups, presence, persistentSessions, connectionCounts, usageLedger } = this.parts;
    this.parts.sweeper.stop();
    // Before the connections end: an actor that reconnects to another gateway in time has not left.
    await this.parts.roomEvents?.close();
    for (const connection of connections.all) connection.close(closes.serviceRestart);
    // The WebSocket layer terminates peers that do not answer the close within the grace period.
    await connections.emptied();
    await this.parts.lives.close();
    await this.parts.schedules?.close();
    await groups.close();
    await this.parts.jobs.close();
    this.parts.leases.close();
    // Gateways that read the goodbye count what is stored.
    await usageLedger.storeAll();
    await presence.close();
    // At the same time: each waits for what it has asked its broker for.
    await Promise.all(this.readers.map((reader) => reader.close()));
    this.parts.retained.close();
    await persistentSessions.close();
    await connectionCounts.close();
    await usageLedger.close();
    await this.parts.lastUses.close();
  }
}

const every = (ms: number, action: () => void): NodeJS.Timeout => setInterval(action, ms).unref();
