import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { FrameClient, type Frame } from '@roomwire/testing/clients/frameClient';
import { eventually } from '@roomwire/testing/run/eventually';
import type { ApiClient } from '../support/apiClient.js';
import { enginesOfTheRun, startCluster, type Cluster, type Member } from '../support/cluster.js';

describe('read models that are lost under live connections', function () {
  this.timeout(120_000);
  let engines: Awaited<ReturnType<typeof enginesOfTheRun>>;
  let cluster: Cluster;
  let mongodb: MongoClient;
  let api: Member;
  let gateway: Member;
  const clients: FrameClient[] = [];

  before(async () => {
    engines = await enginesOfTheRun();
    cluster = await startCluster(engines);
    mongodb = new MongoClient(cluster.mongodbUrl);
    api = await cluster.add('command-api');
    await cluster.add('projections');
    // What it has cached would hide that the read models are gone.
    gateway = await cluster.add('gateway', { ROOMWIRE_REVALIDATION_SECONDS: '1' });
  });
  after(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await mongodb?.close();
    await cluster?.close();
    await engines?.close();
  });

  const join = async (token: string): Promise<FrameClient> => {
    const client = await FrameClient.join(gateway.socketUrl, token);
    clients.push(client);
    return client;
  };

  it('close nobody, refuse nobody, and come back without the past', async () => {
    const [client] = (await cluster.newProject({}, api)).clients as [ApiClient];
    const app = (await client.post('/apps', { name: 'app', topics: ['chat'] })).body;
    const url = `/apps/${app.appId}`;
    await client.post(`${url}/rooms`, { name: 'lobby' });
    const { actorTokenId, accessToken } = (await client.post('/actors', { name: 'x', actorType: 'user' }))
      .body;
    const setStatus = (status: string) => client.patch(`/actors/${actorTokenId}`, { status });
    // An event of the past that would close the connection if it were obeyed again.
    for (const status of ['disabled', 'active']) expect((await setStatus(status)).status).to.equal(200);
    const live = await join(accessToken);
    await live.subscribe(`${app.slug}/lobby/chat`);

    await mongodb.db().dropDatabase();
    const answers = new Set<unknown>();
    const statuses = new Set<number>();
    const isBack = async (): Promise<boolean> => {
      const { status } = await client.get(url);
      statuses.add(status);
      const stranger = await FrameClient.connect(gateway.socketUrl);
      const { success, error } = (await stranger.ask({ type: 'auth', token: accessToken })) as Frame;
      await stranger.close();
      answers.add(error);
      return status === 200 && success === true;
    };
    await eventually(isBack, { withinMs: 60_000 });
    expect([...statuses])
      .to.include.members([200, 503])
      .and.have.length(2);
    expect(answers).to.not.include('access_denied');
    expect(live.isClosed).to.equal(false);

    expect((await setStatus('disabled')).status).to.equal(200);
    expect(await live.closed).to.deep.equal({ code: 4001, reason: 'token_revoked' });
  });
});
