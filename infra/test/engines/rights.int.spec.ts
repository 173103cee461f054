import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { connect } from '@roomwire/sdk';
import { FrameClient } from '@roomwire/testing/clients/frameClient';
import { reactions, WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { eventually } from '@roomwire/testing/run/eventually';
import { serviceNames, type ServiceName } from '../../src/services/service.js';
import { apiClient, type ApiClient } from '../support/apiClient.js';
import { enginesOfTheRun, startCluster, type Cluster, type Member } from '../support/cluster.js';
import { startMongodbProxy, type MongodbProxy } from './mongodbProxy.js';

interface Role {
  readonly role: string;
  readonly roles: readonly string[];
  readonly privileges: readonly { readonly resource: { readonly collection: string } }[];
}

interface User {
  readonly user: string;
  readonly pwd: string;
  readonly roles: readonly string[];
}

/** What the script that makes the users of the compose file asks the database for. */
const grantedByScript = () => {
  const [roles, users]: [Role[], User[]] = [[], []];
  const database = {
    createRole: (role: Role) => void roles.push(role),
    createUser: (user: User) => void users.push(user),
  };
  const script = readFileSync(new URL('../../../compose/mongodb-users.js', import.meta.url), 'utf8');
  const env = new Proxy({}, { get: (_, variable) => `password of ${String(variable)}` });
  runInNewContext(script, { process: { env }, db: { getSiblingDB: () => database } });
  return { roles, users };
};

/** Not `createIndexes`, which a service that only reads a collection may try, and be refused. */
const writes = new Set([
  ...['insert', 'update', 'delete', 'findAndModify', 'create'],
  ...['drop', 'dropIndexes', 'renameCollection', 'collMod', 'aggregate $out'],
]);

describe('the rights of the services in MongoDB', function () {
  this.timeout(180_000);
  let engines: Awaited<ReturnType<typeof enginesOfTheRun>>;
  let cluster: Cluster;
  let proxies: Readonly<Record<ServiceName, MongodbProxy>>;
  let members: Readonly<Record<ServiceName, Member>>;
  let endpoint: WebhookEndpoint;

  before(async () => {
    engines = await enginesOfTheRun();
    cluster = await startCluster(engines);
    endpoint = await WebhookEndpoint.open();
    const proxied = await Promise.all(
      serviceNames.map(async (name) => [name, await startMongodbProxy(cluster.mongodbUrl)] as const),
    );
    proxies = Object.fromEntries(proxied) as typeof proxies;
    const settings = { ROOMWIRE_MESSAGE_RECORDING: 'true', ROOMWIRE_WEBHOOK_ALLOW_PRIVATE: 'true' };
    const started = await Promise.all(
      serviceNames.map(
        async (name) =>
          [name, await cluster.add(name, { ...settings, ROOMWIRE_MONGODB_URL: proxies[name].url })] as const,
      ),
    );
    members = Object.fromEntries(started) as typeof members;
  });
  after(async () => {
    await cluster?.close();
    await Promise.all(Object.values(proxies ?? {}).map((proxy) => proxy.close()));
    await endpoint?.close();
    await engines?.close();
  });

  const writtenBy = (name: ServiceName): readonly string[] =>
    [...proxies[name].commands]
      .filter(([, commands]) => [...commands].some((command) => writes.has(command)))
      .map(([collection]) => collection);

  it('are those that they use, and no others', async () => {
    const { clients, apiKey } = await cluster.newProject({ monthlyMessages: 100 }, members['command-api']);
    const [client] = clients as [ApiClient];
    const logging = { enabled: true, retention: '1d' };
    const app = (
      await client.post('/apps', {
        ...{ name: 'a', topics: ['jobs', 'other'], topicConfigs: { jobs: { logging } } },
        triggerWebhook: { url: endpoint.url },
        config: { eventWebhook: { url: endpoint.url, lingerSeconds: 0 } },
      })
    ).body;
    await client.post(`/apps/${app.appId}/rooms`, { name: 'room', slug: 'room' });
    // So large that a snapshot of them is due.
    for (const name of ['large 1', 'large 2', 'large 3'])
      await client.post(`/apps/${app.appId}/rooms`, { name, metadata: { text: 'x'.repeat(800_000) } });
    await client.post('/webhook-secrets', { name: 'first' });
    const tokens = await Promise.all(
      ['agent', 'user'].map(
        async (actorType) =>
          (await client.post('/actors', { name: 'x', actorType })).body.accessToken as string,
      ),
    );
    endpoint.reaction = reactions.answer(400);
    const [agent, user] = tokens.map((token) => connect({ url: members.gateway.socketUrl, token }));
    await agent?.ready();
    await user?.ready();
    const topic = `${app.slug}/room/jobs`;
    await agent?.subscribe(topic, () => undefined, { loadBalance: true, loadBalanceGroup: 'crew' });
    await user?.publish(topic, 1);
    await agent?.subscribe(`${app.slug}/room/other`, () => undefined, {
      ...{ loadBalance: true, loadBalanceGroup: 'workers', jobs: { prefetch: 1 } },
    });
    await user?.publish(`${app.slug}/room/other`, 1);
    await user?.enter(`${app.slug}/room`, { mood: 'fine' });
    await agent?.close();
    await user?.publish(topic, 2);
    await user?.publish(topic, 3, { deliverAt: Date.now() });
    const later = { topic, data: 4, deliverAt: new Date(Date.now() + 60_000).toISOString() };
    const { scheduledId } = (await client.post('/publish', later)).body;
    expect((await client.delete(`/scheduled/${scheduledId}`)).status).to.equal(204);

    const published = () => client.post('/publish', { topic, data: 3, id: 'once' });
    await eventually(async () => (await published()).status === 200, { withinMs: 60_000 });

    const operator = cluster.operator(members['command-api']);
    const organizationId = (await operator.get('/organizations')).body.data[0].organizationId as string;
    // Behind them everything else has been written too.
    const deadLetters = async (): Promise<number> =>
      (await operator.get(`/organizations/${organizationId}/webhook-dlq`)).body.pagination.total as number;
    await eventually(async () => (await deadLetters()) >= 2, { withinMs: 60_000 });
    const [redriven, deleted] = (await operator.get(`/organizations/${organizationId}/webhook-dlq`)).body
      .data;
    const entry = ({ dlqId }: { dlqId: string }) => `/organizations/${organizationId}/webhook-dlq/${dlqId}`;
    expect((await operator.post(`${entry(redriven)}/redrive`)).status).to.be.below(300);
    expect((await operator.delete(entry(deleted))).status).to.equal(204);
    const guess = apiClient(members['command-api'].baseUrl, `${apiKey.split('.')[0]}.${'x'.repeat(43)}`);
    expect((await guess.get('/apps')).status).to.equal(401);
    const stranger = await FrameClient.connect(members.gateway.socketUrl);
    await stranger.ask({ type: 'auth', token: `${tokens[0]?.split('.')[0]}.${'x'.repeat(43)}` });
    await stranger.close();
    for (const name of ['command-api', 'gateway'] as const)
      await eventually(() => proxies[name].commands.get('accessLog')?.has('update') === true, {
        ...{ withinMs: 60_000, what: `an entry of the access log by ${name}` },
      });
    await eventually(() => proxies['command-api'].commands.get('streamSnapshots')?.has('update') === true, {
      what: 'a snapshot by command-api',
    });
    const isWrittenBy = (name: ServiceName, ...collections: readonly string[]) =>
      eventually(() => collections.every((collection) => proxies[name].commands.has(collection)), {
        ...{ withinMs: 60_000, what: `${collections.join()} by ${name}` },
      });
    await isWrittenBy('gateway', 'usage', 'sessions', 'connections', 'publish_ids');
    await isWrittenBy('gateway', 'schedules', 'shard_leases', 'shard_members');
    await isWrittenBy('gateway', 'jobShards', 'jobGroups', 'jobBuckets', 'jobIds');
    await isWrittenBy('gateway', 'roomEvents', 'roomEventsSettled');
    await isWrittenBy('webhook-consumer', 'roomEventsSettled');
    await isWrittenBy('command-api', 'usage', 'publish_ids', 'schedules');
    await user?.close();

    const { roles, users } = grantedByScript();
    expect(users.map(({ user: name }) => name)).to.eql(serviceNames);
    for (const { user: name, pwd, roles: own } of users) {
      const variable = `MONGODB_${name.toUpperCase().replaceAll('-', '_')}_PASSWORD`;
      expect(pwd).to.equal(`password of ${variable}`);
      if (name === 'projections') expect(own).to.eql(['readWrite']);
    }
    for (const { role, roles: inherited, privileges } of roles) {
      expect(inherited).to.eql(['read']);
      const allowed = privileges.map(({ resource }) => resource.collection);
      expect(allowed, role).to.include.members([...writtenBy(role as ServiceName)]);
    }
  });
});
