import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openEmbeddedMessageBus } from '@roomwire/shared/adapters/message-bus/embeddedMessageBus';
import { openEmbeddedGroupStore } from '@roomwire/shared/adapters/group-store/embeddedGroupStore';
import { openEmbeddedMessageRecord } from '@roomwire/shared/adapters/message-record/embeddedMessageRecord';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { openEmbeddedSessionStore } from '@roomwire/shared/adapters/session-store/embeddedSessionStore';
import { openEmbeddedViewStore } from '@roomwire/shared/adapters/view-store/embeddedViewStore';
import { domainEventFeed } from '@roomwire/shared/contracts/bus/domainEventFeed';
import { createSecretBox } from '@roomwire/shared/credentials/secretBox';
import { mintToken } from '@roomwire/shared/credentials/secretToken';
import type { Actor } from '@roomwire/shared/domain/actors/actor';
import type { App } from '@roomwire/shared/domain/apps/app';
import { schemaVersions, type DomainEvent } from '@roomwire/shared/domain/events';
import type { Grant } from '@roomwire/shared/domain/rooms/grant';
import type { Room } from '@roomwire/shared/domain/rooms/room';
import type { Scope } from '@roomwire/shared/domain/scopes/scope';
import { createdSigningKey, type SigningKey } from '@roomwire/shared/domain/signing-keys/signingKey';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { GroupStore } from '@roomwire/shared/ports/groupStore';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { MessageRecord } from '@roomwire/shared/ports/messageRecord';
import type { SessionStore } from '@roomwire/shared/ports/sessionStore';
import type { Tracing } from '@roomwire/shared/ports/tracing';
import type { ViewChange, ViewStore } from '@roomwire/shared/ports/viewStore';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/shared/testing/temporaryFolder';
import { createGateway, type Gateway } from '../../src/gateway.js';
import type { GatewayOptions } from '../../src/options.js';
import { FrameClient } from './frameClient.js';
import * as records from '@roomwire/shared/testing/records';

export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export interface WorldOptions extends Partial<GatewayOptions> {
  readonly clock?: Clock;
  /** Puts something between the gateway and a real port. */
  readonly views?: (views: ViewStore) => ViewStore;
  readonly bus?: (bus: MessageBus) => MessageBus;
  readonly sessions?: (sessions: SessionStore) => SessionStore;
  /** Turns message recording on. */
  readonly messageRecord?: (record: MessageRecord) => MessageRecord;
  readonly tracing?: Tracing;
}

interface Running {
  readonly gateway: Gateway;
  readonly server: Server;
  readonly url: string;
}

/** A project with what lives in it, on the embedded adapters, and gateways that serve it. */
export class World {
  readonly views: ViewStore;
  readonly bus: MessageBus;
  readonly sessions: SessionStore;
  private record: MessageRecord | undefined;
  private groups: GroupStore | undefined;
  readonly organizationId = 'organization-1';
  readonly projectId = 'project-1';
  readonly secretBox = createSecretBox({ current: new Uint8Array(32).fill(5) });
  private readonly folder: TemporaryFolder;
  private readonly running: Running[] = [];
  private readonly clients: FrameClient[] = [];
  private position = 0;

  private constructor(folder: TemporaryFolder, views: ViewStore, bus: MessageBus, sessions: SessionStore) {
    this.folder = folder;
    this.sessions = sessions;
    this.views = views;
    this.bus = bus;
  }

  /** An organization and a project, and one gateway. */
  static async open(options: WorldOptions = {}): Promise<World> {
    const folder = await temporaryFolder();
    const files = { file: (name: string) => join(folder.path, name) };
    const [views, bus] = [await openEmbeddedViewStore(files), await openEmbeddedMessageBus(files)];
    const sessions = await openEmbeddedSessionStore(files, systemClock.now());
    const world = new World(folder, views, bus, sessions);
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
    for (const { gateway, server } of this.running) {
      await gateway.close();
      server.close();
    }
    await this.record?.close();
    await this.groups?.close();
    await this.bus.close();
    await this.sessions.close();
    await this.views.close();
    await this.folder.remove();
  }

  /** Opened when recording is first turned on. */
  async messageRecord(): Promise<MessageRecord> {
    const file = (name: string) => join(this.folder.path, name);
    return (this.record ??= await openEmbeddedMessageRecord({ file }));
  }

  /** As `messageRecord`. */
  async groupStore(): Promise<GroupStore> {
    const file = (name: string) => join(this.folder.path, name);
    return (this.groups ??= await openEmbeddedGroupStore({ file }, systemClock.now()));
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
    bus,
    sessions,
    messageRecord,
    tracing,
    ...options
  }: WorldOptions = {}): Promise<void> {
    const gateway = createGateway({
      views: views?.(this.views) ?? this.views,
      bus: bus?.(this.bus) ?? this.bus,
      sessions: sessions?.(this.sessions) ?? this.sessions,
      messageRecord: messageRecord?.(await this.messageRecord()),
      groupStore: messageRecord && (await this.groupStore()),
      tracing,
      clock,
      random: systemRandom,
      logger: silentLogger,
      secretBox: this.secretBox,
      options: { closeGraceMs: 300, answersMs: 0, ...options },
    });
    const server = createServer((_request, response) => response.writeHead(404).end());
    gateway.attach(server);
    await gateway.start();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    this.running.push({ gateway, server, url: `ws://127.0.0.1:${port}/ws` });
  }

  async project(projectId: string): Promise<void> {
    await this.put({
      put: 'projects',
      id: projectId,
      doc: records.project(projectId, this.organizationId),
    });
  }

  async app(slug: string, fields: Partial<App> = {}, projectId = this.projectId): Promise<App> {
    const doc = records.app(projectId, slug, fields);
    await this.put({ put: 'apps', id: doc.appId, doc });
    return doc;
  }

  async room(owner: App, slug: string, fields: Partial<Room> = {}): Promise<Room> {
    const doc = records.room(owner, slug, fields);
    await this.put({ put: 'rooms', id: doc.roomId, doc });
    return doc;
  }

  /** A room `lobby` in an app, and its address with the topic `news`. */
  async newsroom(app = 'app-1', room = 'lobby'): Promise<string> {
    await this.room(await this.app(app), room);
    return `${app}/${room}/news`;
  }

  async actor(
    fields: Partial<Actor> = {},
    projectId = this.projectId,
  ): Promise<{ readonly record: Actor; readonly token: string }> {
    const made = records.actor(projectId, fields);
    await this.put({ put: 'actors', id: made.record.actorTokenId, doc: made.record });
    return made;
  }

  async grant(on: Room, fields: Partial<Grant>): Promise<Grant> {
    const doc = records.grant(on, fields);
    await this.put({ put: 'grants', id: doc.roomActorAccessId, doc });
    return doc;
  }

  async scope(slug: string, fields: Partial<Scope> = {}): Promise<Scope> {
    const doc = records.scope(this.projectId, slug, fields);
    await this.put({ put: 'scopes', id: doc.accessScopeId, doc });
    return doc;
  }

  /** A signing key and the secret that its project knows. */
  async signingKey(
    fields: Partial<SigningKey> = {},
    projectId = this.projectId,
  ): Promise<{ readonly record: SigningKey; readonly secret: string }> {
    const { keyId, token } = mintToken(systemRandom, 'sk_live');
    const secret = token.slice(keyId.length + 1);
    const signingKeyId = systemRandom.uuid();
    const sealedSecret = this.secretBox.seal(secret, signingKeyId);
    const doc = {
      ...createdSigningKey(
        { signingKeyId, projectId, keyId, name: 'key', sealedSecret },
        '2026-01-01T00:00:00.000Z',
      ),
      createdPosition: '0000000000000001',
      ...fields,
    };
    await this.put({ put: 'signingKeys', id: signingKeyId, doc });
    return { record: doc, secret };
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

  /** Changes the read models, and tells the gateways as the projections do. */
  async happened(event: DomainEvent, ...changes: ViewChange[]): Promise<void> {
    if (changes.length > 0) await this.put(...changes);
    await this.tell(event.type, event.data, schemaVersions[event.type]);
  }

  async tell(type: string, data: unknown, schemaVersion: number): Promise<void> {
    const position = String(++this.position).padStart(16, '0');
    await this.bus.send(
      domainEventFeed,
      {
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
          principal: 'system',
          requestId: 'request',
        },
      },
      'stored',
    );
  }

  async put(...changes: ViewChange[]): Promise<void> {
    await this.views.apply({ changes, position: String(++this.position).padStart(16, '0') });
  }
}
