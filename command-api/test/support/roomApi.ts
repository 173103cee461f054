import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { mintToken } from '@roomwire/shared/credentials/secretToken';
import type { TopicConfigs } from '@roomwire/shared/domain/app';
import type { DomainEvent } from '@roomwire/shared/domain/events';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { Permission } from '@roomwire/shared/domain/permission';
import { roomsStream } from '@roomwire/shared/domain/room';
import { internalRoom } from '@roomwire/shared/domain/topic';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { History } from '@roomwire/shared/ports/history';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { withGivenId } from '@roomwire/shared/wire/bus/messageId';
import { messageBody, messageHead } from '@roomwire/shared/wire/protocol/encodeFrames';
import { positionOf } from '@roomwire/shared/wire/protocol/position';
import { liveMessage } from '@roomwire/testing/builders/liveMessage';
import { silentLogger as logger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { MemoryJobGroups } from '@roomwire/testing/fakes/memoryJobGroups';
import { MemoryHistory } from '@roomwire/testing/fakes/memoryHistory';
import { createCommandApi, type CommandApiDeps } from '../../src/commandApi.js';
import { openTemporaryLog } from './temporaryLog.js';

export const ids = {
  projectId: '00000000-0000-4000-8000-00000000000a',
  appId: '00000000-0000-4000-8000-00000000000b',
  roomId: '00000000-0000-4000-8000-00000000000c',
  scopeId: '00000000-0000-4000-8000-00000000000d',
  foreignScopeId: '00000000-0000-4000-8000-00000000000e',
};

export const now = Date.UTC(2026, 0, 31, 9, 30);

const { projectId, appId, roomId } = ids;
const room = {
  ...{ roomId, appId, projectId, name: 'Hall', slug: 'hall', description: null },
  ...{ topics: ['chat', 'plain', 'elsewhere'], metadata: {}, origin: 'api' as const },
};

export interface Answer {
  readonly status: number;
  readonly body: AnswerBody;
}

/** Of a page, or of an error. */
interface AnswerBody {
  readonly data: readonly ShownMessage[];
  readonly next?: string;
  readonly gap?: object;
  readonly message?: string;
  readonly errors?: readonly unknown[];
}

interface ShownMessage {
  readonly id: string;
  readonly data: unknown;
  readonly base64?: string;
}

interface Published {
  readonly scopeId?: string;
  readonly publisher?: string;
  readonly filter?: string;
  readonly givenId?: string;
  /** How long ago. */
  readonly seconds?: number;
}

/** The API on a log with one room, whose topic `chat` has history, in front of a history and worker groups in memory. */
export class RoomApi {
  readonly kept = new MemoryHistory();
  readonly jobGroups = new MemoryJobGroups();
  history: History | undefined = this.kept;
  topicConfigs: TopicConfigs = { chat: { history: {} } };
  readonly log: EventLog;
  private readonly clock = new ManualClock(now);
  private readonly keys: object[] = [];
  private readonly server: Server;
  private readonly closeLog: () => Promise<void>;
  private made = 0;

  private constructor({ log, close }: Awaited<ReturnType<typeof openTemporaryLog>>) {
    this.log = log;
    this.closeLog = close;
    const views = {
      find: async (_view: string, { filter }: { filter: { keyId: string } }) =>
        this.keys.filter((key) => (key as { keyId: string }).keyId === filter.keyId),
      get: async (view: string, id: string) => this.documents()[`${view} ${id}`],
      reached: async () => true,
    };
    const used = {
      ...{ clock: this.clock, logger, log, random: systemRandom },
      views: views as unknown as ViewReader,
      sessions: { verify: async () => undefined },
      lastUses: { used: () => undefined },
      accessRecorder: { refused: () => undefined },
      history: () => this.history,
      jobGroups: () => this.jobGroups,
      options: {
        ...{ messageRate: 0, trustedProxies: 0, corsOrigins: undefined, failedAuthDelayMs: 0 },
        rateLimit: { perSecond: 0, burst: 0 },
      },
    };
    // The other routes are not called.
    this.server = createServer(createCommandApi(used as unknown as CommandApiDeps));
  }

  static async open(): Promise<RoomApi> {
    const api = new RoomApi(await openTemporaryLog());
    await api.append({ type: 'RoomCreated', data: room });
    api.server.listen(0, '127.0.0.1');
    await once(api.server, 'listening');
    return api;
  }

  /** Publishes MessagePack to a topic, and resolves with its position. */
  publish(name: string, data: Uint8Array, published: Published = {}): string {
    const { scopeId = null, publisher = '', filter, givenId, seconds = 0 } = published;
    const topic = this.topicOf(name, scopeId);
    const time = (now - seconds * 1_000).toString(36).padStart(9, '0');
    const id = withGivenId(`${time}${String((this.made += 1)).padStart(4, '0')}.gateway`, givenId);
    const body = messageBody(messageHead(`app/hall/${name}`), data, filter);
    const place = this.kept.publish({ ...topic, projectId, appId }, liveMessage({ id, publisher, body }));
    return positionOf(topic, place);
  }

  topicOf(name: string, accessScopeId: string | null = null) {
    const scope = accessScopeId === null ? null : 'hidden';
    return { roomId, accessScopeId, name, room: internalRoom(projectId, scope, 'app', 'hall') };
  }

  newKey(permissions: readonly Permission[] | null = null): string {
    const { keyId, token, secretHash } = mintToken(systemRandom, 'ak_live');
    this.keys.push({
      ...{ keyId, secretHash, organizationId: 'o1', projectId, permissions },
      ...{ apiKeyId: keyId, allowedAddresses: null, expiresAt: null },
    });
    return token;
  }

  get(query = '', more: { readonly topic?: string; readonly key?: string } = {}): Promise<Answer> {
    return this.send('GET', query, more);
  }

  delete(query = '', more: { readonly topic?: string; readonly key?: string } = {}): Promise<Answer> {
    return this.send('DELETE', query, more);
  }

  /** Of the worker groups of the room. */
  groups(
    method: string,
    path = '',
    { body, key }: { readonly body?: object; readonly key?: string } = {},
  ): Promise<Answer> {
    return this.call(method, `groups${path}`, key, body);
  }

  /** Of the room, but for the first one. */
  async events(): Promise<readonly RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    for await (const part of this.log.readStream(roomsStream(appId))) events.push(...part);
    return events.slice(1);
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await this.closeLog();
  }

  private send(
    method: string,
    query: string,
    { topic = 'chat', key }: { readonly topic?: string; readonly key?: string },
  ): Promise<Answer> {
    return this.call(method, `topics/${topic}/messages${query}`, key);
  }

  private async call(method: string, path: string, key = this.newKey(), body?: object): Promise<Answer> {
    const { port } = this.server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/v1/apps/${appId}/rooms/${roomId}/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as AnswerBody };
  }

  private documents(): Readonly<Record<string, object>> {
    const app = { appId, projectId, slug: 'app', topics: ['chat', 'plain'], status: 'active' };
    const scope = { accessScopeId: ids.scopeId, projectId, slug: 'hidden' };
    return {
      'organizations o1': { status: 'active' },
      [`projects ${projectId}`]: { projectId, organizationId: 'o1' },
      [`apps ${appId}`]: { ...app, topicConfigs: this.topicConfigs },
      [`rooms ${roomId}`]: room,
      [`scopes ${ids.scopeId}`]: scope,
      [`scopes ${ids.foreignScopeId}`]: { ...scope, projectId: 'another' },
    };
  }

  private async append(event: DomainEvent): Promise<void> {
    const metadata = { occurredAt: new Date(now).toISOString(), organizationId: 'o1', projectId };
    await this.log.append(roomsStream(appId), 'none', [
      {
        ...{ id: systemRandom.uuid(), schemaVersion: 1, ...event },
        metadata: { ...metadata, principal: 'test', requestId: systemRandom.uuid() },
      },
    ]);
  }
}
