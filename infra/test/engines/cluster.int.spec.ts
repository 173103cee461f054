import { expect } from 'chai';
import { connect, type Client } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import type { ApiClient } from '../support/apiClient.js';
import { enginesOfTheRun, startCluster, type Cluster, type Member } from '../support/cluster.js';

const fast = { baseMs: 50, maxMs: 200, restartSpreadMs: 50 };
const unlimited = { ROOMWIRE_PUBLISH_RATE: '0' };

describe('many processes on engines', function () {
  this.timeout(120_000);
  let engines: Awaited<ReturnType<typeof enginesOfTheRun>>;
  let cluster: Cluster;
  let apis: [Member, Member];
  let gateways: [Member, Member];
  let clients: [ApiClient, ApiClient];
  const sockets: Client[] = [];

  before(async () => {
    engines = await enginesOfTheRun();
    cluster = await startCluster(engines);
    const [apiA, apiB] = await Promise.all([cluster.add('command-api'), cluster.add('command-api')]);
    await Promise.all([cluster.add('projections'), cluster.add('projections')]);
    const [gatewayA, gatewayB] = await Promise.all([
      cluster.add('gateway', unlimited),
      cluster.add('gateway', unlimited),
    ]);
    apis = [apiA, apiB];
    gateways = [gatewayA, gatewayB];
    clients = (await cluster.newProject({}, ...apis)).clients as [ApiClient, ApiClient];
  });
  after(async () => {
    await cluster.close();
    await engines.close();
  });
  afterEach(() => Promise.all(sockets.splice(0).map((socket) => socket.close())));

  const newRoom = async (): Promise<{ topic: string; appId: string; roomId: string }> => {
    const app = (await clients[0].post('/apps', { name: 'app', topics: ['chat'] })).body;
    const room = (await clients[1].post(`/apps/${app.appId}/rooms`, { name: 'lobby' })).body;
    return { topic: `${app.slug}/lobby/chat`, appId: app.appId, roomId: room.roomId };
  };
  const tokenOf = async (): Promise<string> =>
    (await clients[0].post('/actors', { name: 'x', actorType: 'user' })).body.accessToken;
  const socketOn = async ({ socketUrl }: Member, token?: string): Promise<Client> => {
    const socket = connect({ url: socketUrl, token: token ?? (await tokenOf()), reconnect: fast });
    sockets.push(socket);
    await socket.ready();
    return socket;
  };

  it('accept one of fifty equal creates through two command-apis, decided on one stream', async () => {
    const { appId } = (await clients[0].post('/apps', { name: 'race' })).body;
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const client = clients[index % 2] as ApiClient;
        return (await client.post(`/apps/${appId}/rooms`, { name: 'same' })).status;
      }),
    );
    expect(statuses.filter((status) => status === 201)).to.have.length(1);
    expect(statuses.filter((status) => status === 409)).to.have.length(49);
  });

  it('show a write to the next read, on either instance', async () => {
    const { appId } = (await clients[0].post('/apps', { name: 'reads' })).body;
    for (let index = 0; index < 50; index += 1) {
      const [writer, reader] = index % 2 === 0 ? clients : [clients[1], clients[0]];
      const room = (await writer.post(`/apps/${appId}/rooms`, { name: `r${index}` })).body;
      expect((await reader.get(`/apps/${appId}/rooms/${room.roomId}`)).body).to.eql(room);
    }
  });

  it('deliver messages across gateways, in one order for all, and never to the publishing actor', async () => {
    const { topic } = await newRoom();
    const token = await tokenOf();
    const [alice, aliceOnB] = [await socketOn(gateways[0], token), await socketOn(gateways[1], token)];
    const [bob, carol] = [await socketOn(gateways[0]), await socketOn(gateways[1])];
    const got = { own: [] as unknown[], bob: [] as unknown[], carol: [] as unknown[] };
    await aliceOnB.subscribe(topic, ({ data }) => void got.own.push(data));
    await bob.subscribe(topic, ({ data }) => void got.bob.push(data));
    await carol.subscribe(topic, ({ data }) => void got.carol.push(data));
    const dave = await socketOn(gateways[1]);
    await Promise.all([
      ...Array.from({ length: 40 }, (_, index) => alice.publish(topic, `a${index}`)),
      ...Array.from({ length: 40 }, (_, index) => dave.publish(topic, `d${index}`)),
    ]);
    await eventually(() => got.bob.length === 80 && got.carol.length === 80, { withinMs: 20_000 });
    expect(got.bob).to.eql(got.carol);
    for (const [prefix, count] of [
      ['a', 40],
      ['d', 40],
    ] as const)
      expect(got.bob.filter((data) => String(data).startsWith(prefix))).to.eql(
        Array.from({ length: count }, (_, index) => `${prefix}${index}`),
      );
    expect(got.own.every((data) => String(data).startsWith('d'))).to.equal(true);
  });

  it('apply a change from any command-api on every gateway within a second', async () => {
    const { topic, appId, roomId } = await newRoom();
    const sockets = [await socketOn(gateways[0]), await socketOn(gateways[1])];
    for (const socket of sockets) await socket.publish(topic, 1);
    await clients[1].patch(`/apps/${appId}/rooms/${roomId}`, { status: 'disabled' });
    const refused = (socket: Client) =>
      socket.publish(topic, 2).then(
        () => false,
        () => true,
      );
    for (const socket of sockets) await eventually(() => refused(socket), { withinMs: 1_000 });
  });

  it('lose nothing that was published after `subscribed`, while another gateway joins and leaves', async () => {
    const { topic } = await newRoom();
    const [sender, listener] = [await socketOn(gateways[0]), await socketOn(gateways[1])];
    const got: unknown[] = [];
    await listener.subscribe(topic, ({ data }) => void got.push(data));
    const third = await cluster.add('gateway');
    const fourth = await socketOn(third);
    await fourth.subscribe(topic, () => undefined);
    for (let index = 0; index < 100; index += 1) {
      await sender.publish(topic, index);
      if (index === 50) await cluster.stop(third, 'SIGKILL');
    }
    await eventually(() => got.length >= 100, { withinMs: 20_000 });
    expect(got).to.eql(Array.from({ length: 100 }, (_, index) => index));
  });

  it('report whether they are ready, and close in order', async () => {
    for (const member of [...apis, ...gateways])
      for (const path of ['/healthz', '/readyz'])
        expect((await fetch(`${member.baseUrl}${path}`)).status).to.equal(200);
    const extra = await cluster.add('webhook-consumer');
    extra.program.process.kill('SIGTERM');
    expect(await extra.program.ended).to.eql({ code: 0, signal: null });
  });
});
