import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { connect, type Client, type PresenceChange } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import { startEventStore, type EventStoreEngine } from '@roomwire/testing/engines/eventStore';
import { startFerretDb, type MongoEngine } from '@roomwire/testing/engines/ferretdb';
import { startKafka, type KafkaEngine } from '@roomwire/testing/engines/kafka';
import type { ApiClient } from '../support/apiClient.js';
import { startCluster, type Cluster, type Member } from '../support/cluster.js';

/** Longer than it takes to be taken for dead. */
const outageMs = 25_000;

/** With engines of its own, because it breaks them. */
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
    [project] = (await cluster.newProject({}, api)).clients as [ApiClient];
  });
  after(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await cluster?.close();
    await Promise.all(engines?.map((engine) => engine.close()) ?? []);
  });

  it('[WS-PRES-13] nobody leaves, who left meanwhile leaves afterwards, and refused is refused', async () => {
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
