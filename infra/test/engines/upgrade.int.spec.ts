import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { connect, type Client } from '@roomwire/sdk';
import { openMongoViewStores } from '@roomwire/shared/adapters/view-store/mongo/mongoViewStore';
import { viewsVersion } from '@roomwire/shared/wire/views/views';
import { FrameClient } from '@roomwire/testing/clients/frameClient';
import { rejectionOf } from '@roomwire/testing/contracts/view-store/storeUnderTest';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { eventually } from '@roomwire/testing/run/eventually';
import { readConfig } from '../../src/config/config.js';
import type { OpenContext } from '../../src/engines/engine.js';
import type { Finding } from '../../src/engines/finding.js';
import { run, type Running } from '../../src/services/run.js';
import type { ServiceName } from '../../src/services/service.js';
import { apiClient, type ApiClient } from '../support/apiClient.js';
import { enginesOfTheRun, startCluster, type Cluster, type Member } from '../support/cluster.js';
import { runRoomwire } from '../support/program.js';

const fast = { baseMs: 50, maxMs: 200, restartSpreadMs: 50 };
const unlimited = { ROOMWIRE_PUBLISH_RATE: '0' };
const next = viewsVersion + 1;

/** A version with other read models is this one, which calls them by another number. */
describe('an upgrade to a version with other read models', function () {
  this.timeout(360_000);
  let engines: Awaited<ReturnType<typeof enginesOfTheRun>>;
  let cluster: Cluster;
  let mongodb: MongoClient;
  let api: Member;
  let gateway: Member;
  let apiKey: string;
  let client: ApiClient;
  let topic: string;
  let room: string;
  const ofNext: Running[] = [];
  const sockets: Client[] = [];

  before(async () => void (engines = await enginesOfTheRun()));
  after(() => engines?.close());
  beforeEach(async () => {
    cluster = await startCluster(engines);
    mongodb = new MongoClient(cluster.mongodbUrl);
    api = await cluster.add('command-api');
    await eventually(async () => (await readiness(api)) === 503, {
      what: 'read models that are not there yet',
    });
  });
  afterEach(async () => {
    await Promise.all(sockets.splice(0).map((socket) => socket.close()));
    for (const running of ofNext.splice(0).reverse()) await running.close();
    await mongodb.close();
    await cluster.close();
  });

  const readiness = async ({ baseUrl }: { readonly baseUrl: string }): Promise<number> =>
    (await fetch(`${baseUrl}/readyz`)).status;
  const socketUrlOf = ({ baseUrl }: Running): string => `${baseUrl.replace('http', 'ws')}/ws`;

  /** A process of the next version. */
  const startNext = async (service: ServiceName): Promise<Running> => {
    const config = readConfig({ ...cluster.environment, ...unlimited, ROOMWIRE_OPS_PORT: '0' });
    const openViewStores = ({ outage, reader }: OpenContext) =>
      openMongoViewStores({ url: cluster.mongodbUrl, outage, reader, version: next });
    const readModels = { ...config.engines.readModels, openViewStores };
    const service_ = run([service], { ...config, engines: { ...config.engines, readModels } }, silentLogger);
    const running = await service_.started;
    ofNext.push(running);
    return running;
  };

  /** A room that is for those who hold a grant, and its holders. */
  const makeRoom = async (holders: number): Promise<{ tokens: string[]; grants: string[] }> => {
    const project = await cluster.newProject({}, api);
    [client] = project.clients as [ApiClient];
    apiKey = project.apiKey;
    const app = (await client.post('/apps', { name: 'app', topics: ['chat'] })).body;
    const { roomId } = (await client.post(`/apps/${app.appId}/rooms`, { name: 'lobby' })).body;
    room = `/apps/${app.appId}/rooms/${roomId}`;
    topic = `${app.slug}/lobby/chat`;
    const [tokens, grants]: [string[], string[]] = [[], []];
    for (let n = 0; n < holders; n += 1) {
      const actor = (await client.post('/actors', { name: `holder ${n}`, actorType: 'user' })).body;
      const grant = { actorTokenId: actor.actorTokenId, permission: 'pubSub' };
      tokens.push(actor.accessToken);
      grants.push((await client.post(`${room}/actors`, grant)).body.roomActorAccessId);
    }
    return { tokens, grants };
  };
  const socketOn = async (url: string, token = ''): Promise<Client> => {
    const socket = connect({ url, token, reconnect: fast });
    sockets.push(socket);
    await socket.ready();
    return socket;
  };
  const isRefused = (socket: Client): Promise<boolean> =>
    socket.publish(topic, 'x').then(
      () => false,
      () => true,
    );
  const isServed = async (socket: Client): Promise<boolean> => !(await isRefused(socket));
  const documents = async (version: number): Promise<string[]> => {
    const names = (await mongodb.db().listCollections().toArray()).map(({ name }) => name);
    return names.filter((name) => name.startsWith(`v${version}_`) && !name.endsWith('_progress'));
  };
  const readersByDoctor = async (): Promise<string> => {
    const doctor = runRoomwire(['doctor', '--json'], cluster.environment);
    await doctor.ended;
    const { findings } = JSON.parse(doctor.stdout()) as { findings: Finding[] };
    return (
      findings
        .filter(({ check }) => check === 'readers')
        .map(({ status, message }) => `${status} ${message}`)[0] ?? ''
    );
  };

  it('in the documented order: rights that are revoked meanwhile are refused everywhere within a second', async () => {
    const first = await cluster.add('projections');
    gateway = await cluster.add('gateway', unlimited);
    const { tokens, grants } = await makeRoom(3);
    const revoke = async (by: ApiClient, n: number): Promise<void> => {
      expect((await by.delete(`${room}/actors/${grants[n]}`)).status).to.equal(204);
    };
    const onOld = await Promise.all(tokens.map((token) => socketOn(gateway.socketUrl, token)));
    for (const socket of onOld) expect(await isServed(socket)).to.equal(true);

    // 1. One of the old projections is kept, those of the next version come, and the other old ones go.
    const kept = await cluster.add('projections');
    await startNext('projections');
    await cluster.stop(first);
    // Behind that, the one that is kept leads those of its version.
    expect((await client.patch(room, { description: 'kept up' })).status).to.equal(200);

    // 2. The first of the new gateways.
    const newGateway = await startNext('gateway');
    const onNew = await Promise.all(tokens.map((token) => socketOn(socketUrlOf(newGateway), token)));
    for (const socket of onNew) await eventually(() => isServed(socket));
    await revoke(client, 0);
    for (const socket of [onOld[0], onNew[0]] as Client[])
      await eventually(() => isRefused(socket), {
        withinMs: 1_000,
        what: 'a right to end that the old API revoked',
      });

    // 3. The first of the new command-apis.
    const newApi = await startNext('command-api');
    const newClient = apiClient(newApi.baseUrl, apiKey);
    await revoke(newClient, 1);
    for (const socket of [onOld[1], onNew[1]] as Client[])
      await eventually(() => isRefused(socket), {
        withinMs: 1_000,
        what: 'a right to end that the new API revoked',
      });
    for (const socket of [onOld[2], onNew[2]] as Client[]) expect(await isServed(socket)).to.equal(true);
    for (const process of [api, gateway, newApi, newGateway]) expect(await readiness(process)).to.equal(200);
    expect(await readersByDoctor()).to.equal(
      `warning read models of version ${viewsVersion} by command-api, gateway; of version ${next} by command-api, gateway`,
    );

    // 4. The old ones have gone, one of them without a word, and with the last of them what they read.
    await cluster.stop(gateway, 'SIGKILL');
    await cluster.stop(api);
    expect((await documents(viewsVersion)).length).to.be.greaterThan(10);
    await cluster.stop(kept);
    expect((await newClient.patch(room, { description: 'new' })).status).to.equal(200);
    await eventually(async () => (await documents(viewsVersion)).length === 0, {
      ...{ withinMs: 180_000, what: 'the old read models to be dropped' },
    });
    expect((await newClient.get(room)).body).to.include({ description: 'new' });
    expect(await isServed(onNew[2] as Client)).to.equal(true);
    expect(await readersByDoctor()).to.equal(`ok read models of version ${next} by command-api, gateway`);
  });

  it('without projections of the old version: its readers are out of service, and come back with them', async () => {
    const first = await cluster.add('projections');
    gateway = await cluster.add('gateway', unlimited);
    const { tokens, grants } = await makeRoom(2);
    const clients = await Promise.all(tokens.map((token) => FrameClient.join(gateway.socketUrl, token)));
    await Promise.all(clients.map((each) => each.subscribe(topic)));
    await cluster.stop(first);
    await startNext('projections');

    const from = performance.now();
    expect((await client.delete(`${room}/actors/${grants[0]}`)).status).to.equal(204);
    for (const { closed } of clients)
      expect(await closed).to.deep.equal({ code: 1012, reason: 'service_restart' });
    expect(performance.now() - from).to.be.lessThan(30_000);
    for (const process of [api, gateway]) expect(await readiness(process)).to.equal(503);
    expect((await client.get(room)).status).to.equal(503);
    expect(await rejectionOf(FrameClient.connect(gateway.socketUrl))).to.be.instanceOf(Error);

    await cluster.add('projections');
    for (const process of [api, gateway])
      await eventually(async () => (await readiness(process)) === 200, { withinMs: 20_000 });
    const [revoked, holding] = await Promise.all(tokens.map((token) => socketOn(gateway.socketUrl, token)));
    expect(await isServed(holding as Client)).to.equal(true);
    expect(await isRefused(revoked as Client)).to.equal(true);
  });
});
