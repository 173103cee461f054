import { expect } from 'chai';
import { connect, type Client } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import type { ApiClient } from '../support/apiClient.js';
import { enginesOfTheRun, startCluster, type Cluster, type Member } from '../support/cluster.js';
import { actorOf } from '../support/hookedApp.js';

/** The command-api is no gateway: it asks those that there are. */
describe('what gateways know, asked by a command-api', function () {
  this.timeout(120_000);
  let engines: Awaited<ReturnType<typeof enginesOfTheRun>>;
  let cluster: Cluster;
  let project: ApiClient;
  let gateways: [Member, Member];
  let slug: string;
  let roomPath: string;
  let occupancyPath: string;
  const clients: Client[] = [];

  before(async () => {
    engines = await enginesOfTheRun();
    cluster = await startCluster(engines);
    const [, api, ...rest] = await Promise.all([
      cluster.add('projections'),
      cluster.add('command-api'),
      cluster.add('gateway'),
      cluster.add('gateway'),
    ]);
    gateways = rest;
    project = (await cluster.newProject({}, api)).clients[0] as ApiClient;
    const app = (await project.post('/apps', { name: 'house', topics: ['chat'] })).body;
    const room = (await project.post(`/apps/${app.appId}/rooms`, { name: 'hall' })).body;
    slug = app.slug;
    roomPath = `/apps/${app.appId}/rooms/${room.roomId}`;
    occupancyPath = `/apps/${app.appId}/occupancy?rooms=hall`;
  });
  after(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await cluster.close();
    await engines.close();
  });

  /** Subscribed, and present. */
  const enter = async ({ socketUrl }: Member): Promise<string> => {
    const { accessToken, actorTokenId } = await actorOf(project);
    const client = connect({ url: socketUrl, token: accessToken, reconnect: false });
    clients.push(client);
    await client.ready();
    await client.subscribe(`${slug}/hall/chat`, () => undefined);
    await client.enter(`${slug}/hall`, { mood: 'fine' });
    return actorTokenId;
  };
  const presence = (query = '') => project.get(`${roomPath}/presence${query}`);
  const presentIds = async (): Promise<readonly string[]> => {
    const { data = [] } = (await presence()).body as { data?: { actorTokenId: string }[] };
    return data.map(({ actorTokenId }) => actorTokenId);
  };
  const counts = async (): Promise<unknown> => {
    const { status, body } = await project.get(occupancyPath);
    return status === 200 ? [body.data[0].present, body.data[0].subscribers] : status;
  };
  const countsBecome = (wanted: unknown, withinMs = 20_000) =>
    eventually(async () => JSON.stringify(await counts()) === JSON.stringify(wanted), { withinMs });

  it('[HTTP-PRES-1] [HTTP-PRES-2] is the same from every gateway, and added up over all', async () => {
    const ids = await Promise.all([0, 1, 0, 1, 1].map((at) => enter(gateways[at] as Member)));
    await eventually(async () => (await presentIds()).length === 5);
    for (let asked = 0; asked < 10; asked += 1) expect(await presentIds()).to.eql([...ids].sort());
    const first = await presence('?limit=3');
    const second = await presence(`?limit=3&cursor=${first.body.next}`);
    expect([...first.body.data, ...second.body.data]).to.have.length(5);
    expect(second.body.next).to.equal(null);
    await countsBecome([5, 5]);
  });

  it('[HTTP-IMPACT-1] adds up whom a change would cut off on every gateway', async () => {
    const { status, body } = await project.post('/impact', { method: 'DELETE', path: `/v1${roomPath}` });
    expect(status).to.equal(200);
    expect(body.total).to.equal(5);
    expect(body.data).to.have.length(5);
    for (const row of body.data) expect(row).to.include({ rule: 'room_missing', connections: 1 });
  });

  it('[HTTP-IMPACT-3] finds the connections of an actor, whichever gateway has them', async () => {
    for (const actorTokenId of await presentIds()) {
      const { status, body } = await project.post('/impact', {
        ...{ method: 'DELETE', path: `/v1/actors/${actorTokenId}` },
      });
      expect(status).to.equal(200);
      expect(body).to.include({ total: 1, connections: 1 });
      expect(body.data[0]).to.include({ actorTokenId, rule: 'actor_missing' });
    }
  });

  it('[HTTP-GROUP-1] [HTTP-GROUP-3] reaches a worker group, whichever gateway owns it', async () => {
    const groups = `${roomPath}/groups`;
    const made = await project.post(groups, { topic: 'chat', name: 'workers', jobs: { prefetch: 1 } });
    expect(made.status).to.equal(201);
    const group = `${groups}/${made.body.groupId}`;
    for (const data of ['one', 'two'])
      expect((await project.post('/publish', { topic: `${slug}/hall/chat`, data })).status).to.equal(200);
    const jobs = async (): Promise<unknown> => {
      const { data = [] } = (await project.get(`${group}/jobs`)).body as { data?: { data: unknown }[] };
      return data.map((job) => job.data);
    };
    await eventually(async () => JSON.stringify(await jobs()) === '["one","two"]', { withinMs: 20_000 });
    for (let asked = 0; asked < 6; asked += 1)
      expect((await project.get(group)).body).to.include({ depth: 2, inFlight: 0, members: 0 });
    expect((await project.post(groups, { topic: 'chat', name: 'workers' })).status).to.equal(200);
    expect((await project.delete(group)).status).to.equal(204);
    expect((await project.get(group)).status).to.equal(404);
  });

  it('[HTTP-PRES-1] [HTTP-PRES-2] survives a gateway that is killed, and is not known without any', async () => {
    await cluster.stop(gateways[0], 'SIGKILL');
    // Whichever was asked first, the other one answers.
    for (let asked = 0; asked < 6; asked += 1) expect((await presence()).status).to.equal(200);
    // Its presences end later than its subscribers.
    await countsBecome([3, 3], 40_000);
    await cluster.stop(gateways[1]);
    await eventually(async () => (await presence()).status === 503);
    expect(await counts()).to.equal(503);
  });

  it('[HTTP-PRES-1] [HTTP-PRES-2] is known again when there is a gateway', async () => {
    const gateway = await cluster.add('gateway');
    await eventually(async () => (await presence()).status === 200, { withinMs: 20_000 });
    const id = await enter(gateway);
    await countsBecome([1, 1]);
    expect(await presentIds()).to.eql([id]);
  });
});
