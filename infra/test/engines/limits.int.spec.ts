import { expect } from 'chai';
import { type Client, connect } from '@roomwire/sdk';
import type { ApiClient } from '../support/apiClient.js';
import { patient } from '../support/patientClient.js';
import { type Cluster, enginesOfTheRun, type Member, startCluster } from '../support/cluster.js';
import { errorOf, openClient } from '../support/sdkClients.js';

const rounds = 50;
const noLimits = { maxApps: null, maxConnections: null, monthlyMessages: null };

describe('limits of the plan over two gateway processes', function () {
  this.timeout(180_000);
  let engines: Awaited<ReturnType<typeof enginesOfTheRun>>;
  let cluster: Cluster;
  let api: Member;
  let gateways: readonly [Member, Member];
  const clients = new Set<Client>();

  before(async () => {
    engines = await enginesOfTheRun();
    cluster = await startCluster(engines);
    [api] = await Promise.all([cluster.add('command-api'), cluster.add('projections')]);
    gateways = [await cluster.add('gateway'), await cluster.add('gateway')];
  });
  after(async () => {
    await cluster.close();
    await engines.close();
  });
  afterEach(() => Promise.all([...clients].map((client) => close(client))));

  const newProject = async (limits: object): Promise<ApiClient> => {
    const { clients: apis } = await cluster.newProject({ ...noLimits, ...limits }, api);
    return patient(apis[0] as ApiClient);
  };
  const newToken = async (project: ApiClient): Promise<string> =>
    (await project.post('/actors', { name: 'x', actorType: 'user' })).body.accessToken;
  const open = async ({ socketUrl }: Member, token: string): Promise<Client> => {
    const client = await openClient(socketUrl, token);
    clients.add(client);
    return client;
  };
  const close = async (client: Client): Promise<void> => {
    clients.delete(client);
    await client.close();
  };
  const refusalOf = async ({ socketUrl }: Member, token: string): Promise<string> => {
    const client = connect({ url: socketUrl, token, reconnect: false });
    clients.add(client);
    const error = await errorOf(client.ready());
    await close(client);
    return error;
  };
  const inTurn = (round: number): readonly [Member, Member] =>
    round % 2 === 0 ? gateways : [gateways[1], gateways[0]];

  it('[WS-AUTH-12] connections: with a limit of two the third is refused, wherever it asks', async () => {
    const project = await newProject({ maxConnections: 2 });
    const token = await newToken(project);
    for (let round = 0; round < rounds; round++) {
      const [one, other] = inTurn(round);
      const admitted = [await open(one, token), await open(other, token)];
      expect(await refusalOf(one, token), `round ${round}`).to.equal('connection_limit_reached');
      expect(await refusalOf(other, token), `round ${round}`).to.equal('connection_limit_reached');
      for (const client of admitted) await close(client);
    }
  });

  it('[WS-AUTH-12] connections: a place that is free on one gateway is taken on the other', async () => {
    const token = await newToken(await newProject({ maxConnections: 2 }));
    let [first, second] = [await open(gateways[0], token), await open(gateways[0], token)];
    for (let round = 0; round < rounds; round++) {
      await close(first);
      [first, second] = [second, await open(inTurn(round)[1], token)];
    }
    expect(await refusalOf(gateways[0], token)).to.equal('connection_limit_reached');
    expect([first.state.name, second.state.name]).to.eql(['connected', 'connected']);
  });

  it('[WS-PUB-9] messages: with a quota of five the sixth is refused, wherever it is published', async () => {
    for (let round = 0; round < rounds; round++) {
      const project = await newProject({ monthlyMessages: 5 });
      const app = (await project.post('/apps', { name: 'app', topics: ['chat'] })).body;
      await project.post(`/apps/${app.appId}/rooms`, { name: 'lobby' });
      const topic = `${app.slug}/lobby/chat`;
      const token = await newToken(project);
      const [one, other] = inTurn(round);
      const publishers = [await open(one, token), await open(other, token)] as const;
      for (let n = 0; n < 5; n++) await publishers[n % 2 === 0 ? 0 : 1].publish(topic, n);
      for (const publisher of publishers)
        expect(await errorOf(publisher.publish(topic, 'more')), `round ${round}`).to.equal(
          'monthly_quota_exceeded',
        );
      for (const publisher of publishers) await close(publisher);
    }
  });
});
