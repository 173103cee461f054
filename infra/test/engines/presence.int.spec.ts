import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type Client, connect, type PresenceChange } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import { type EventStoreEngine, startEventStore } from '@roomwire/testing/engines/eventStore';
import { type MongoEngine, startFerretDb } from '@roomwire/testing/engines/ferretdb';
import { type KafkaEngine, startKafka } from '@roomwire/testing/engines/kafka';
import type { ApiClient } from '../support/apiClient.js';
import { patient } from '../support/patientClient.js';
import { type Cluster, enginesOfTheRun, type Member, startCluster } from '../support/cluster.js';

interface Person {
  readonly client: Client;
  readonly id: string;
  readonly changes: PresenceChange[];
}

describe('presence over many processes on engines', function () {
  this.timeout(120_000);
  let engines: Awaited<ReturnType<typeof enginesOfTheRun>>;
  let cluster: Cluster;
  let project: ApiClient;
  let room: string;
  const clients: Client[] = [];

  before(async () => {
    engines = await enginesOfTheRun();
    cluster = await startCluster(engines);
    const [api] = await Promise.all([cluster.add('command-api'), cluster.add('projections')]);
    project = patient((await cluster.newProject({}, api)).clients[0] as ApiClient);
    const { appId, slug } = (await project.post('/apps', { name: 'app', topics: ['chat'] })).body;
    await project.post(`/apps/${appId}/rooms`, { name: 'hall' });
    room = `${slug}/hall`;
  });
  after(async () => {
    await cluster.close();
    await engines.close();
  });
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

  const enter = async ({ socketUrl }: Member, presence = {}): Promise<Person> => {
    const { body } = await project.post('/actors', { name: 'x', actorType: 'user' });
    const client = connect({ url: socketUrl, token: body.accessToken, reconnect: false });
    clients.push(client);
    await client.ready();
    const changes: PresenceChange[] = [];
    client.on('presence', (change) => changes.push(change));
    await client.enter(room, presence);
    return { client, id: body.actorTokenId, changes };
  };

  const there = async ({ client }: Person): Promise<string[]> =>
    (await client.presence(room)).map(({ actorTokenId }) => actorTokenId).sort();

  it('[WS-PRES-12] is sent and listed alike on every gateway, also on one that starts late', async () => {
    const gateways = [await cluster.add('gateway'), await cluster.add('gateway')] as const;
    const [ann, ben] = [await enter(gateways[0], { n: 1 }), await enter(gateways[1], { n: 2 })];
    await eventually(() => ann.changes.length === 1);
    expect(ann.changes[0]).to.eql({ event: 'join', roomId: room, actorTokenId: ben.id, presence: { n: 2 } });
    const late = await cluster.add('gateway');
    const cem = await enter(late);
    const all = [ann, ben, cem];
    for (const person of all) {
      await eventually(async () => (await there(person)).length === 3);
      expect(await there(person)).to.eql(all.map(({ id }) => id).sort());
    }
    expect(cem.changes).to.eql([]);
    await Promise.all(all.map(({ client }) => client.close()));
    for (const gateway of [...gateways, late]) await cluster.stop(gateway);
  });

  it('[WS-PRES-13] of a killed gateway ends within 15 s, and that of other gateways stays', async () => {
    const gateways = [
      await cluster.add('gateway'),
      await cluster.add('gateway'),
      await cluster.add('gateway'),
    ];
    const [near, far, doomed] = gateways as [Member, Member, Member];
    const [ann, ben] = [await enter(near), await enter(far)];
    const lost = [await enter(doomed), await enter(doomed)];
    await eventually(async () => (await there(ann)).length === 4 && (await there(ben)).length === 4);
    const killedAt = performance.now();
    await cluster.stop(doomed, 'SIGKILL');
    await eventually(async () => (await there(ann)).length === 2 && (await there(ben)).length === 2, {
      withinMs: 20_000,
    });
    expect(performance.now() - killedAt).to.be.below(15_000);
    const left = (changes: readonly PresenceChange[]) =>
      changes.filter(({ event }) => event === 'leave').map(({ actorTokenId }) => actorTokenId);
    for (const { changes } of [ann, ben]) {
      expect(left(changes)).to.have.members(lost.map(({ id }) => id));
    }
    await Promise.all([ann, ben].map(({ client }) => client.close()));
    for (const gateway of [near, far]) await cluster.stop(gateway);
  });

  it('[WS-PRES-13] of a suspended gateway returns with it, and that of other gateways stays', async () => {
    const [going, standing] = [await cluster.add('gateway'), await cluster.add('gateway')];
    const [ann, ben] = [await enter(going), await enter(standing)];
    await eventually(async () => (await there(ann)).length === 2);
    standing.program.process.kill('SIGSTOP');
    await eventually(() => ann.changes.some(({ event }) => event === 'leave'), { withinMs: 20_000 });
    standing.program.process.kill('SIGCONT');
    await eventually(async () => (await there(ann)).length === 2, { withinMs: 30_000 });
    expect(await there(ben)).to.eql([ann.id, ben.id].sort());
    expect(ben.changes.filter(({ event }) => event === 'leave')).to.eql([]);
    expect(ann.changes.map(({ event }) => event)).to.eql(['join', 'leave', 'join']);
  });
});

/** Longer than the time after which a gateway counts as dead. */
const outageMs = 25_000;

/** With its own engines, because it breaks them. */
describe('presence while Kafka is away', function () {
  this.timeout(240_000);
  let engines: [EventStoreEngine, MongoEngine, KafkaEngine];
  let cluster: Cluster;
  let project: ApiClient;
  let gateways: [Member, Member];
  const clients: Client[] = [];

  before(async () => {
    engines = await Promise.all([startEventStore(), startFerretDb(), startKafka()]);
    const [eventStore, mongo, kafka] = engines;
    cluster = await startCluster({
      eventStoreUrl: eventStore.url,
      mongodbUrl: mongo.url,
      kafkaBrokers: kafka.brokers,
    });
    const [api, one, other] = await Promise.all([
      cluster.add('command-api'),
      cluster.add('gateway'),
      cluster.add('gateway'),
      cluster.add('projections'),
    ]);
    gateways = [one, other];
    project = patient((await cluster.newProject({}, api)).clients[0] as ApiClient);
  });
  after(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await cluster?.close();
    await Promise.all(engines?.map((engine) => engine.close()) ?? []);
  });

  it('[WS-PRES-13] stays, ends afterwards for members that left meanwhile, and refuses what is not allowed', async () => {
    const { appId, slug } = (await project.post('/apps', { name: 'app', topics: ['chat'] })).body;
    await project.post(`/apps/${appId}/rooms`, { name: 'hall' });
    const room = `${slug}/hall`;
    const enter = async ({ socketUrl }: Member) => {
      const { body } = await project.post('/actors', { name: 'x', actorType: 'user' });
      const client = connect({ url: socketUrl, token: body.accessToken, reconnect: false });
      clients.push(client);
      await client.ready();
      const changes: PresenceChange[] = [];
      client.on('presence', (change) => changes.push(change));
      await client.enter(room, { n: 1 });
      return { client, id: body.actorTokenId as string, changes };
    };
    const [ann, ben, cem] = [await enter(gateways[0]), await enter(gateways[1]), await enter(gateways[1])];
    const [, , kafka] = engines;
    await kafka.kill('SIGKILL');
    const refused = ann.client.enter(room, { n: 2 }).catch((error: { error: string }) => error.error);
    await cem.client.close();
    await pause(outageMs);
    expect(await refused).to.equal('broker_unavailable');
    await kafka.restart();
    const shown = async ({ client }: { client: Client }) =>
      Object.fromEntries(
        (await client.presence(room)).map(({ actorTokenId, presence }) => [actorTokenId, presence]),
      );
    const both = { [ann.id]: { n: 1 }, [ben.id]: { n: 1 } };
    for (const person of [ann, ben]) {
      await eventually(async () => !(cem.id in (await shown(person))), { withinMs: 60_000 });
      await eventually(async () => JSON.stringify((await shown(person))[ann.id]) === '{"n":1}', {
        withinMs: 30_000,
      });
      expect(await shown(person)).to.eql(both);
    }
    // The list is said on the spot, the news of it by way of Kafka.
    const leaves = ({ changes }: { changes: readonly PresenceChange[] }) =>
      changes.filter(({ event }) => event === 'leave').map(({ actorTokenId }) => actorTokenId);
    for (const person of [ann, ben]) {
      await eventually(() => leaves(person).length > 0, { withinMs: 30_000 });
      expect(leaves(person)).to.eql([cem.id]);
    }
  });
});
