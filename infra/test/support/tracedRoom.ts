import { expect } from 'chai';
import { FrameClient, type Frame } from '@roomwire/testing/clients/frameClient';
import type { ApiClient } from './apiClient.js';
import { actorOf, appWithRoom } from './hookedApp.js';

/** Where a trace can be asked for. */
export interface TracedService {
  /** A session of an operator. */
  readonly operator: ApiClient;
  /** With the key of a project of its own. */
  readonly project: ApiClient;
  readonly organizationId: string;
  readonly projectId: string;
  /** Of two gateways, or of one twice. */
  readonly gateways: readonly [string, string];
}

export interface Traced {
  readonly actorTokenId: string;
  readonly outcome: string;
  readonly reason: string | null;
  readonly explanation: string;
  readonly event: { readonly principal: string } | null;
  readonly members: readonly object[];
  readonly hasMoreConnections: boolean;
  readonly connections: readonly {
    readonly outcome: string;
    readonly how: string | null;
    readonly evidence: readonly { readonly fact: { readonly kind: string } }[];
  }[];
}

export interface TracedAnswer {
  readonly actorTokenId: string | null;
  readonly reason: string | null;
  readonly explanation: string | null;
  readonly actors: readonly Traced[];
}

export interface Person {
  readonly actorTokenId: string;
  readonly keyId: string;
  readonly token: string;
}

/** A room with a topic that keeps its messages, `chat`, and one that does not, `news`, and who comes there. */
export class TracedRoom {
  readonly service: TracedService;
  readonly appId: string;
  readonly roomId: string;
  readonly topic: string;
  readonly news: string;
  private readonly sockets: FrameClient[] = [];

  private constructor(service: TracedService, fields: Pick<TracedRoom, 'appId' | 'roomId' | 'topic'>) {
    this.service = service;
    ({ appId: this.appId, roomId: this.roomId, topic: this.topic } = fields);
    this.news = this.topic.replace(/chat$/, 'news');
  }

  static async open(service: TracedService): Promise<TracedRoom> {
    const { appId, topic } = await appWithRoom(service.project, { topicConfigs: { chat: { history: {} } } });
    const [{ roomId }] = (await service.project.get(`/apps/${appId}/rooms`)).body;
    return new TracedRoom(service, { appId, roomId, topic });
  }

  close(): void {
    for (const socket of this.sockets.splice(0)) socket.terminate();
  }

  async person(fields: object = {}): Promise<Person> {
    const { accessToken, actorTokenId, keyId } = await actorOf(this.service.project, fields);
    return { actorTokenId, keyId, token: accessToken };
  }

  /** On the second of the gateways, by default. */
  async connect({ token }: Pick<Person, 'token'>, at: 0 | 1 = 1, asked: Frame = {}): Promise<FrameClient> {
    const socket = await FrameClient.connect(this.service.gateways[at]);
    this.sockets.push(socket);
    const answer = await socket.ask({ type: 'auth', token, protocolVersion: 2, ...asked });
    expect(answer).to.include({ success: true });
    return socket;
  }

  async listen(
    person: Pick<Person, 'token'>,
    options: Frame = {},
    at: 0 | 1 = 1,
    asked: Frame = {},
  ): Promise<FrameClient> {
    return (await this.connect(person, at, asked)).subscribe(this.topic, options);
  }

  /** By a backend. */
  async publish(data: unknown, fields: object = {}): Promise<{ id: string; position: string; at: string }> {
    const { status, body } = await this.service.project.post('/publish', {
      topic: this.topic,
      data,
      ...fields,
    });
    expect(status).to.equal(200);
    return body;
  }

  async ask(query: Readonly<Record<string, string>>): Promise<any> {
    const { operator, organizationId, projectId } = this.service;
    const asked = new URLSearchParams({ projectId, topic: this.topic, ...query });
    return operator.get(`/organizations/${organizationId}/trace?${asked.toString()}`);
  }

  async messages(query: Readonly<Record<string, string>>): Promise<readonly TracedAnswer[]> {
    const { status, body } = await this.ask(query);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.messages;
  }

  /** What became of one message for one actor. */
  async trace({ actorTokenId }: Person, query: Readonly<Record<string, string>>): Promise<Traced> {
    const [message, another] = await this.messages({ ...query, actorId: actorTokenId });
    expect(another).to.equal(undefined);
    const [actor] = message?.actors ?? [];
    if (actor?.actorTokenId !== actorTokenId) throw new Error('The answer is of another actor');
    return actor;
  }
}
