import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { domainEventFeed } from '@roomwire/shared/wire/bus/domainEventFeed';
import { retainedMessages } from '@roomwire/shared/wire/bus/liveMessage';
import { presenceNews } from '@roomwire/shared/wire/bus/presenceNews';
import { shardCount } from '@roomwire/shared/domain/shards';
import type { Actor } from '@roomwire/shared/domain/actor';
import { schemaVersions, type DomainEvent } from '@roomwire/shared/domain/events';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { GroupStore } from '@roomwire/shared/ports/groupStore';
import type { History } from '@roomwire/shared/ports/history';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { MessageStore } from '@roomwire/shared/ports/messageStore';
import type { PublishIds } from '@roomwire/shared/ports/publishIds';
import type { ScheduleStore } from '@roomwire/shared/ports/scheduleStore';
import type { ShardLeases } from '@roomwire/shared/ports/shardLeases';
import type { SessionStore } from '@roomwire/shared/ports/sessionStore';
import type { Tracing } from '@roomwire/shared/ports/tracing';
import type { AccessRecorder } from '@roomwire/shared/runtime/accessRecorder';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import type { UsageStore } from '@roomwire/shared/ports/usageStore';
import type { ViewChange, ViewStore } from '@roomwire/shared/ports/viewStore';
import { createGateway, type Gateway } from '../../src/gateway.js';
import type { GatewayOptions } from '../../src/options.js';
import { collectedMetrics } from '@roomwire/testing/run/collectedMetrics';
import { isOnEngines } from '@roomwire/testing/run/testProfile';
import { eventually } from '@roomwire/testing/run/eventually';
import { Estate, nextPosition } from './estate.js';
import { FrameClient } from '@roomwire/testing/clients/frameClient';
import { openEmbeddedPorts, type BusPorts, type Ports } from './ports.js';
import { TakenRecords } from './takenRecords.js';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import * as records from '@roomwire/testing/builders/records';

export interface WorldOptions extends Partial<GatewayOptions> {
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Puts something between the gateway and a real port. */
  readonly views?: (views: ViewStore) => ViewStore;
  readonly usage?: (usage: UsageStore) => UsageStore;
  readonly bus?: (bus: MessageBus, projectId: string) => MessageBus;
  readonly sessions?: (sessions: SessionStore) => SessionStore;
  readonly publishIds?: (publishIds: PublishIds) => PublishIds;
  readonly history?: (history: History) => History;
  readonly schedules?: (schedules: ScheduleStore) => ScheduleStore;
  readonly shardLeases?: (leases: ShardLeases) => ShardLeases;
  /** Turns message recording on. */
  readonly messageStore?: (record: MessageStore) => MessageStore;
  /** Of a world that records messages. */
  readonly groupStore?: (groups: GroupStore) => GroupStore;
  readonly tracing?: Tracing;
  readonly limits?: LimitReports;
  readonly accessRecorder?: Pick<AccessRecorder, 'refused'>;
}

interface Running {
  readonly gateway: Gateway;
  readonly server: Server;
  readonly ports: BusPorts;
  readonly url: string;
}

const openPorts = async (): Promise<Ports> => {
  if (!isOnEngines()) return openEmbeddedPorts();
  const { openEnginePorts } = await import('./enginePorts.js');
  return openEnginePorts();
};

/** A project with what lives in it, and gateways that serve it, on files or on the engines of the run. */
export class World extends Estate {
  private readonly ports: Ports;
  private readonly taken = new TakenRecords(domainEventFeed, presenceNews, retainedMessages);
  private readonly running: Running[] = [];
  private readonly clients: FrameClient[] = [];

  private constructor(ports: Ports) {
    super(ports.views);
    this.ports = ports;
  }

  /** An organization and a project, and one gateway. */
  static async open(options: WorldOptions = {}): Promise<World> {
    const world = new World(await openPorts());
    await world.put({
      put: 'organizations',
      id: world.organizationId,
      doc: records.organization(world.organizationId),
    });
    await world.project(world.projectId);
    await world.startGateway(options);
    return world;
  }

  async close(): Promise<void> {
    for (const client of this.clients) client.webSocket.terminate();
    for (const { gateway, server, ports } of this.running) {
      await gateway.close();
      server.close();
      await ports.close();
    }
    await this.ports.close();
  }

  get bus(): MessageBus {
    return this.ports.bus;
  }

  get usage(): UsageStore {
    return this.ports.usage;
  }

  get publishIds(): PublishIds {
    return this.ports.publishIds;
  }

  get schedules(): ScheduleStore {
    return this.ports.schedules;
  }

  get sessions(): SessionStore {
    return this.ports.sessions;
  }

  messageStore(): Promise<MessageStore> {
    return this.ports.record();
  }

  groupStore(): Promise<GroupStore> {
    return this.ports.groups();
  }

  get gateway(): Gateway {
    return (this.running[0] as Running).gateway;
  }

  gatewayAt(place: number): Gateway {
    return (this.running[place] as Running).gateway;
  }

  url(gateway = 0): string {
    return (this.running[gateway] as Running).url;
  }

  async startGateway({
    clock = systemClock,
    views,
    usage,
    bus,
    sessions,
    publishIds,
    history,
    schedules,
    shardLeases,
    messageStore,
    groupStore = (groups) => groups,
    tracing,
    limits,
    logger = silentLogger,
    accessRecorder,
    ...options
  }: WorldOptions = {}): Promise<void> {
    const ports = await this.ports.gateway();
    const watched = this.taken.watch(ports.bus);
    const gateway = createGateway({
      views: views?.(this.views) ?? this.views,
      usage: usage?.(this.usage) ?? this.usage,
      bus: bus?.(watched, this.projectId) ?? watched,
      sessions: sessions?.(this.sessions) ?? this.sessions,
      publishIds: publishIds?.(this.publishIds) ?? this.publishIds,
      schedules: schedules?.(this.schedules) ?? this.schedules,
      shardLeases: shardLeases?.(ports.shardLeases) ?? ports.shardLeases,
      history: history?.(ports.history) ?? ports.history,
      jobStore: this.ports.jobs,
      ...(ports.past && { roomPast: ports.past }),

      messageStore: messageStore?.(await ports.record()),
      groupStore: messageStore && groupStore(await this.groupStore()),
      tracing,
      ...(limits && { limits }),
      ...(accessRecorder && { accessRecorder }),
      clock,
      random: systemRandom,
      logger,
      ...{ secretBox: this.secretBox, observerKeys: this.observerKeys },
      options: { closeGraceMs: 300, answersMs: 0, failedAuthDelayMs: 0, ...options },
    });
    const server = createServer((_request, response) => response.writeHead(404).end());
    gateway.attach(server);
    await gateway.start();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    this.running.push({ gateway, server, ports, url: `ws://127.0.0.1:${port}/ws` });
  }

  /** A connection of a new actor, with the actor's id. */
  async member(fields: Partial<Actor> = {}, gateway = 0): Promise<{ client: FrameClient; id: string }> {
    const { record, token } = await this.actor(fields);
    return { client: await this.joinAs(token, gateway), id: record.actorTokenId };
  }

  /** A connection that has not said who it is. */
  async connect(gateway = 0): Promise<FrameClient> {
    const client = await FrameClient.connect(this.url(gateway));
    this.clients.push(client);
    return client;
  }

  /** A connection of a new actor. */
  async join(fields: Partial<Actor> = {}, gateway = 0): Promise<FrameClient> {
    const { token } = await this.actor(fields);
    return this.joinAs(token, gateway);
  }

  async joinAs(token: string, gateway = 0): Promise<FrameClient> {
    return (await this.connect(gateway)).authenticate(token);
  }

  /** Changes the read models and notifies the gateways as the projections do; in effect when it resolves. */
  async happened(event: DomainEvent, ...changes: ViewChange[]): Promise<void> {
    if (changes.length > 0) await this.put(...changes);
    await this.tell(event.type, event.data, schemaVersions[event.type]);
  }

  async tell(type: string, data: unknown, schemaVersion: number): Promise<void> {
    const position = nextPosition();
    const event = {
      id: `event-${position}`,
      type,
      data,
      schemaVersion,
      stream: 'any',
      revision: 0,
      position,
      metadata: {
        occurredAt: '2026-01-01T00:00:00.000Z',
        organizationId: this.organizationId,
        projectId: type.startsWith('Organization') ? null : this.projectId,
        principal: 'system' as const,
        requestId: 'request',
      },
    };
    await this.bus.send(domainEventFeed, event, 'stored');
    await this.taken.reached(domainEventFeed, event);
  }

  /** Resolves when each gateway knows what the others know of who is present, and of last values. */
  async spread(): Promise<void> {
    for (const channel of [presenceNews, retainedMessages]) await this.taken.spread(channel);
  }

  /** Resolves when each gateway knows where the client says it is. */
  async announce(
    client: FrameClient,
    roomId: string,
    data: unknown = {},
    options: { readonly keep?: true; readonly leave?: true } = {},
  ): Promise<void> {
    client.send({ type: 'presence', roomId, data, ...options });
    const reply = await client.ask({ type: 'getPresence' });
    if (reply === 'heartbeat' || reply['type'] !== 'presenceList')
      throw new Error(`Not announced: ${JSON.stringify(reply)}`);
    await this.spread();
  }

  /** The place of the gateway whose metric has this value. */
  async gatewayThat(metric: string, value: number): Promise<number> {
    for (const [place, { gateway }] of this.running.entries())
      if ((await collectedMetrics(gateway.collect)).get(metric) === value) return place;
    throw new Error(`No gateway has a ${metric} of ${value}`);
  }

  /** Resolves when each gateway owns its share of the shards of a work. */
  async shardsDivided(work: string): Promise<void> {
    const owned = async ({ gateway }: Running) =>
      (await collectedMetrics(gateway.collect)).get(`roomwire_shards_owned ${work}`) ?? 0;
    const isDivided = async (): Promise<boolean> => {
      const shares = await Promise.all(this.running.map(owned));
      const all = shares.reduce((sum, share) => sum + share, 0);
      return all === shardCount && Math.max(...shares) - Math.min(...shares) <= 1;
    };
    await eventually(isDivided, { what: `shards of ${work} that are divided` });
  }

  /** Resolves when these gateways know that so many messages of worker groups are not done. */
  async undone(messages: number, ...gateways: readonly number[]): Promise<void> {
    for (const place of gateways) {
      const { collect } = this.gatewayAt(place);
      const known = async () => (await collectedMetrics(collect)).get('roomwire_group_messages_open');
      await eventually(async () => (await known()) === messages, { what: `${messages} undone messages` });
    }
  }
}
