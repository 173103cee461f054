import { expect } from 'chai';
import {
  connect,
  type AcknowledgeableMessage,
  type Client,
  type ClientOptions,
  type Hydration,
} from '@roomwire/sdk';
import { clientTokenOf } from '@roomwire/testing/clients/clientTokens';
import { CuttableWay } from '@roomwire/testing/engines/cuttableWay';
import { WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { eventually } from '@roomwire/testing/run/eventually';
import { actorOf, appWithRoom } from '../../support/hookedApp.js';
import { startTestService, type TestProject, type TestService } from '../../support/testService.js';

describe('the TypeScript client', function () {
  this.timeout(60_000);
  const clients: Client[] = [];
  let service: TestService;
  let project: TestProject;

  before(
    async () =>
      void (service = await startTestService({
        webhookAllowPrivate: true,
        messageRecording: true,
        publishRate: 0,
      })),
  );
  after(() => service.close());
  beforeEach(async () => void (project = await service.newProject()));
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

  const opened = async (
    token: ClientOptions['token'],
    options: Partial<ClientOptions> = {},
  ): Promise<Client> => {
    const client = connect({ url: service.socketUrl, token, reconnect: false, ...options });
    clients.push(client);
    await client.ready();
    return client;
  };
  const newToken = async (): Promise<string> => (await actorOf(project.client)).accessToken;

  it('[WS-REAUTH-1] renews tokens of seconds on one connection, and loses nothing meanwhile', async () => {
    const { topic } = await appWithRoom(project.client, {});
    const { signingKey } = (await project.client.post('/signing-keys', { name: 'backend' })).body;
    const { keyId } = await actorOf(project.client);
    const publisher = await opened(await newToken());
    let tokens = 0;
    const client = await opened(() => {
      tokens += 1;
      const exp = Math.floor(Date.now() / 1_000) + 3;
      return clientTokenOf(signingKey, { sub: keyId, exp, n: tokens });
    });
    const received: unknown[] = [];
    const states: string[] = [];
    client.on('state', ({ name }) => states.push(name));
    await client.subscribe(topic, ({ data }) => void received.push(data));
    let count = 0;
    for (const began = tokens; tokens < began + 4;) {
      await publisher.publish(topic, count++);
      await eventually(() => received.length === count);
    }
    await eventually(() => received.length === count);
    expect(received).to.deep.equal(Array.from({ length: count }, (_, n) => n));
    expect(states, 'it stayed connected').to.deep.equal([]);
  });

  it('[WS-PRES-5] [WS-PRES-7] keeps the list of a room true over a reconnect', async () => {
    const { topic } = await appWithRoom(project.client, {});
    const roomId = topic.split('/').slice(0, 2).join('/');
    const way = await CuttableWay.open({ to: Number(new URL(service.baseUrl).port) });
    const client = await opened(await newToken(), {
      url: `ws://127.0.0.1:${way.port}/ws`,
      reconnect: { baseMs: 20, maxMs: 200 },
      heartbeat: { intervalMs: 50, timeoutMs: 200 },
    });
    const [stays, leaves, comes] = [
      await opened(await newToken()),
      await opened(await newToken()),
      await opened(await newToken()),
    ];
    const room = client.room(roomId);
    const events: string[] = [];
    for (const name of ['join', 'update', 'leave'] as const)
      room.on(name, ({ before, after }) => {
        const who = [before, after].map((entry) => String(entry?.presence['name']));
        events.push([name, ...who].join(' '));
      });
    await leaves.enter(roomId, { name: 'leaves' });
    await room.enter({ name: 'self' });
    await stays.enter(roomId, { name: 'stays' });
    await eventually(() => room.members.length === 3);
    expect(events).to.deep.equal(['join undefined leaves', 'join undefined self', 'join undefined stays']);
    way.cut();
    await eventually(() => client.state.name !== 'connected');
    await leaves.close();
    await comes.enter(roomId, { name: 'comes' });
    await stays.enter(roomId, { name: 'stayed' });
    way.heal();
    await eventually(() => events.length === 6);
    expect(events.slice(3).sort()).to.deep.equal([
      'join undefined comes',
      'leave leaves undefined',
      'update stays stayed',
    ]);
    expect(room.members.map(({ presence }) => presence['name']).sort()).to.deep.equal([
      'comes',
      'self',
      'stayed',
    ]);
    await way.close();
  });

  it('[HOOK-HYDRATE-3] hands the answer of the webhook to the subscription', async () => {
    const endpoint = await WebhookEndpoint.open();
    try {
      endpoint.reaction = (response) => response.end('{"unread":3}');
      const { topic } = await appWithRoom(project.client, { hydrationWebhook: { url: endpoint.url } });
      const client = await opened(await newToken());
      const hydrations: Hydration[] = [];
      await client.subscribe(topic, () => undefined, {
        onHydration: (hydration) => void hydrations.push(hydration),
      });
      await eventually(() => hydrations.length === 1);
      expect(hydrations).to.deep.equal([{ topic, data: { unread: 3 } }]);
    } finally {
      await endpoint.close();
    }
  });

  it('[WS-ACK-1] [WS-GROUP-4] leaves to another worker what was not acknowledged by hand', async () => {
    const { topic } = await appWithRoom(project.client, {});
    const worker = { loadBalance: true, loadBalanceGroup: 'workers', ack: 'manual' } as const;
    const [first, second] = [await opened(await newToken()), await opened(await newToken())];
    const publisher = await opened(await newToken());
    const got: AcknowledgeableMessage[] = [];
    await first.subscribe(topic, (message) => void got.push(message), worker);
    for (const n of [1, 2, 3]) await publisher.publish(topic, n);
    await eventually(() => got.length === 3);
    got[1]?.ack();
    // Behind the acknowledgement: its answer shows that it was handled.
    await first
      .history(topic)
      .next()
      .catch(() => undefined);
    const left: unknown[] = [];
    await second.subscribe(topic, (message) => void left.push(message.data), worker);
    await first.close();
    await eventually(() => left.length === 2);
    expect(left.sort()).to.deep.equal([1, 3]);
  });

  it('[WS-CONN-1] tells a wrong path from a server that is away', async () => {
    const url = service.socketUrl.replace(/\/ws$/, '/socket');
    const client = connect({ url, token: await newToken(), reconnect: false });
    clients.push(client);
    const error = await client.ready().catch((reason: unknown) => reason);
    expect(error).to.include({ error: 'wrong_path', httpStatus: 404 });
  });
});
