import type { Buffer } from 'node:buffer';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { domainEventFeed } from '@roomwire/shared/wire/bus/domainEventFeed';
import { retainedMessages } from '@roomwire/shared/wire/bus/liveMessage';
import { roomRecords } from '@roomwire/shared/wire/bus/roomRecord';
import { webhookAnswers } from '@roomwire/shared/wire/bus/webhookAnswers';
import { closes } from '@roomwire/shared/wire/protocol/closes';
import type { SecretBox } from '@roomwire/shared/credentials/secretBox';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { GroupStore } from '@roomwire/shared/ports/groupStore';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { ChannelReader, MessageBus } from '@roomwire/shared/ports/messageBus';
import type { MessageStore } from '@roomwire/shared/ports/messageStore';
import type { CollectMetrics } from '@roomwire/shared/ports/metrics';
import type { Random } from '@roomwire/shared/ports/random';
import type { SessionStore } from '@roomwire/shared/ports/sessionStore';
import type { Tracing } from '@roomwire/shared/ports/tracing';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { once, type Service } from '@roomwire/shared/runtime/service';
import { createDomainChanges } from './access/domainChanges.js';
import { gatewayMetrics } from './collectMetrics.js';
import { createCore, type GatewayCore } from './core.js';
import { createDelivery } from './fanout/deliverFromBus.js';
import { tracedDelivery } from './fanout/traceMessages.js';
import type { GatewayMetrics } from './metrics.js';
import { defaultOptions, type GatewayOptions } from './options.js';
import { Connection } from './session/connection.js';
import { drain } from './session/drain.js';
import { endLapsed } from './session/endLapsed.js';
import { asksForWebSocket, ignoreUpgrade, isAllowedOrigin, refuseUpgrade } from './socket/upgrade.js';
import { createWsListener, type WsListener } from './socket/wsListener.js';

export interface GatewayDeps {
  readonly views: ViewStore;
  readonly bus: MessageBus;
  readonly sessions: SessionStore;
  /** Where messages are recorded, and all have ids for their subscribers; absent where they are not. */
  readonly messageStore?: MessageStore | undefined;
  /** Where messages are recorded: worker groups that are asleep. */
  readonly groupStore?: GroupStore | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly secretBox: SecretBox;
  readonly tracing?: Tracing | undefined;
  readonly options?: Partial<GatewayOptions>;
}

export interface Gateway extends Service {
  /**
   * Takes over the server's `upgrade` requests, before or after `start`: `/ws` is ours, a WebSocket anywhere else is
   * refused. Other protocols that a client offers are ignored: the server gets such a request as an ordinary one.
   */
  attach(server: Server): void;
  /** Takes no more connections, and closes those there are over a time; 0 leaves them to `close`. May be called once, before it. */
  drain(overMs: number): Promise<void>;
  /** Open WebSockets. */
  readonly connections: number;
  readonly metrics: Readonly<GatewayMetrics>;
  readonly collect: CollectMetrics;
}

export const createGateway = (deps: GatewayDeps): Gateway => new WebSocketGateway(deps);

class WebSocketGateway implements Gateway {
  readonly close = once(() => this.stop());
  readonly collect: CollectMetrics;
  private readonly core: GatewayCore;
  private readonly listener: WsListener;
  private readonly readers: ChannelReader[] = [];
  private revalidation: NodeJS.Timeout | undefined;
  private expiries: NodeJS.Timeout | undefined;
  private looks: NodeJS.Timeout | undefined;
  private rounds: NodeJS.Timeout | undefined;
  private isOpen = false;

  constructor({ options, messageStore, groupStore, tracing, ...ports }: GatewayDeps) {
    this.core = createCore(
      { ...ports, messageStore, groupStore, tracing },
      { ...defaultOptions, ...options },
    );
    this.collect = gatewayMetrics(this.core);
    this.listener = createWsListener(
      this.core.options.closeGraceMs,
      (socket) => new Connection(socket, this.core),
    );
  }

  get connections(): number {
    return this.core.roster.connections.size;
  }

  get metrics(): Readonly<GatewayMetrics> {
    return this.core.metrics;
  }

  async start(): Promise<void> {
    const { bus, hub, groups, presence, retained, hydrations, revalidator, sweeper, options } = this.core;
    // Together, because an engine may take seconds for each.
    const [messages, values, changes, answers] = await Promise.all([
      bus.read(roomRecords, { interest: 'subscribed' }, tracedDelivery(createDelivery(this.core), this.core)),
      bus.read(retainedMessages, { interest: 'all' }, retained.stored),
      bus.read(domainEventFeed, { interest: 'all' }, createDomainChanges(revalidator)),
      bus.read(webhookAnswers, { interest: 'subscribed' }, hydrations.answered),
      presence.start(),
    ]);
    this.readers.push(messages, values, changes, answers);
    await answers.subscribe(hydrations.address);
    hub.readFrom(messages, groups);
    sweeper.start();
    this.revalidation = setInterval(() => void revalidator.recheckAll(), options.revalidationMs).unref();
    this.expiries = setInterval(() => this.endLapsed(), options.expirySweepMs).unref();
    this.looks = setInterval(() => this.look(), options.beatMs).unref();
    this.rounds = setInterval(() => void this.core.usageLedger.round(), options.usageMs).unref();
    this.isOpen = true;
  }

  attach(server: Server): void {
    server.on('upgrade', (request, socket, head) => {
      if (asksForWebSocket(request)) this.upgrade(request, socket, head);
      else ignoreUpgrade(server, request, socket, head);
    });
  }

  async drain(overMs: number): Promise<void> {
    this.isOpen = false;
    const { roster, random } = this.core;
    if (overMs > 0)
      await drain({ connections: roster.connections, emptied: roster.emptied(), random, overMs });
  }

  private look(): void {
    this.core.connectionLimit.look();
    void this.core.connectionNotes.note();
  }

  private endLapsed(): void {
    for (const { session } of this.core.roster.connections) if (session) endLapsed(session, this.core);
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const path = request.url?.split('?', 1)[0];
    if (path !== '/ws') refuseUpgrade(socket, '404 Not Found');
    else if (!isAllowedOrigin(request, this.core.options.allowedOrigins))
      refuseUpgrade(socket, '403 Forbidden');
    else if (!this.isOpen) refuseUpgrade(socket, '503 Service Unavailable');
    else this.listener.upgrade(request, socket, head);
  }

  private async stop(): Promise<void> {
    this.isOpen = false;
    clearInterval(this.revalidation);
    clearInterval(this.expiries);
    clearInterval(this.looks);
    clearInterval(this.rounds);
    this.core.sweeper.stop();
    const { roster } = this.core;
    for (const connection of roster.connections) connection.close(closes.serviceRestart);
    // The WebSocket layer cuts off whoever has not answered the close within the grace.
    await roster.emptied();
    await this.core.groups.close();
    await this.core.presence.close();
    for (const reader of this.readers.reverse()) await reader.close();
    this.core.retained.close();
    await this.core.sessionRecords.close();
    await this.core.connectionNotes.close();
    await this.core.usageLedger.close();
    await this.core.lastUses.close();
  }
}
