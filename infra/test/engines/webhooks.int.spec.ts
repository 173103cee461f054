import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { connect, type Client } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import { reactions, WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { startEventStore, type EventStoreEngine } from '@roomwire/testing/engines/eventStore';
import { startFerretDb, type MongoEngine } from '@roomwire/testing/engines/ferretdb';
import { type KafkaEngine, startKafka } from '@roomwire/testing/engines/kafka';
import type { ApiClient } from '../support/apiClient.js';
import { patient } from '../support/patientClient.js';
import { startCluster, type Cluster, type Member } from '../support/cluster.js';

const consumerSettings = { ROOMWIRE_WEBHOOK_ALLOW_PRIVATE: 'true' };
/** How long the jobs of a killed process wait, and some more. */
const takeOverMs = 100_000;

describe('[HOOK-LOSS-1] webhooks on engines', function () {
  this.timeout(300_000);
  let engines: { eventStore: EventStoreEngine; mongo: MongoEngine; kafka: KafkaEngine };
  let cluster: Cluster;
  let api: Member;
  let gateway: Member;
  let client: ApiClient;
  let endpoint: WebhookEndpoint;
  let socket: Client;
  let consumers: Member[] = [];

  before(async () => {
    const [eventStore, mongo, kafka] = await Promise.all([startEventStore(), startFerretDb(), startKafka()]);
    engines = { eventStore, mongo, kafka };
    cluster = await startCluster({
      eventStoreUrl: eventStore.url,
      mongodbUrl: mongo.url,
      kafkaBrokers: kafka.brokers,
    });
    [api, gateway] = await Promise.all([
      cluster.add('command-api'),
      cluster.add('gateway', { ROOMWIRE_PUBLISH_RATE: '0' }),
      cluster.add('projections'),
    ]);
    client = patient((await cluster.newProject({}, api)).clients[0] as ApiClient);
  });
  after(async () => {
    await cluster?.close();
    await Promise.all(Object.values(engines ?? {}).map((engine) => engine.close()));
  });

  beforeEach(async () => {
    endpoint = await WebhookEndpoint.open();
    const { accessToken } = (await client.post('/actors', { name: 'x', actorType: 'user' })).body;
    const open = async (): Promise<boolean> => {
      const reconnect = { baseMs: 50, maxMs: 500 };
      socket = connect({ url: gateway.socketUrl, token: accessToken, reconnect });
      return socket.ready().then(
        () => true,
        () => false,
      );
    };
    // On a busy machine the answer to a new actor may come before the gateway knows it.
    await eventually(open, { withinMs: 30_000, what: 'the gateway to know a new actor' });
  });
  afterEach(async () => {
    await socket.close();
    for (const consumer of consumers) await cluster.stop(consumer);
    consumers = [];
    await endpoint.close();
  });

  /** A new app, and addresses of so many rooms of it. */
  const newApp = async (rooms: number): Promise<{ appId: string; topics: readonly string[] }> => {
    const fields = { name: 'a', topics: ['chat'], triggerWebhook: { url: endpoint.url } };
    const app = (await client.post('/apps', fields)).body;
    const slugs = Array.from({ length: rooms }, (_, n) => `room-${n}`);
    await Promise.all(slugs.map((slug) => client.post(`/apps/${app.appId}/rooms`, { name: slug, slug })));
    return { appId: app.appId, topics: slugs.map((slug) => `${app.slug}/${slug}/chat`) };
  };

  const addConsumer = async (): Promise<Member> => {
    const consumer = await cluster.add('webhook-consumer', consumerSettings);
    consumers.push(consumer);
    return consumer;
  };

  /** The ids under which each number has come. */
  const idsByNumber = (): Map<unknown, Set<string>> => {
    const ids = new Map<unknown, Set<string>>();
    for (const { json, headers } of endpoint.received) {
      const { data } = json as { data: unknown };
      if (!ids.has(data)) ids.set(data, new Set());
      ids.get(data)?.add(String(headers['webhook-id']));
    }
    return ids;
  };

  it('of 10,000 calls and two consumers, one of them killed, none is lost', async () => {
    const [doomed] = await Promise.all([addConsumer(), addConsumer()]);
    const { topics } = await newApp(20);
    endpoint.reaction = (response) => setTimeout(() => response.end(), 2);
    const total = 10_000;
    for (let from = 0; from < total; from += 500) {
      const numbers = Array.from({ length: 500 }, (_, n) => from + n);
      await Promise.all(numbers.map((n) => socket.publish(topics[n % topics.length] as string, n)));
      if (from === 4_000) await cluster.stop(doomed, 'SIGKILL');
    }
    await eventually(() => idsByNumber().size === total, { withinMs: takeOverMs, what: 'every call' });
    for (const [number, ids] of idsByNumber()) expect(ids.size, String(number)).to.equal(1);
    const copies = endpoint.received.length - total;
    expect(copies, 'what was in hand, and done since the last commit').to.be.below(total / 5);
  });

  it('a consumer killed with calls at every step: none is lost, and each that never succeeds becomes one dead letter', async () => {
    const [doomed] = await Promise.all([addConsumer(), addConsumer()]);
    const { appId, topics } = await newApp(20);
    const operator = patient(cluster.operator(api));
    const [{ organizationId }] = (await operator.get('/organizations')).body.data;
    const queue = `/organizations/${organizationId}/webhook-dlq`;
    /** By its number, a call succeeds at the first attempt, at the second, at the third, or never. */
    const failuresOf = (number: number): number => [0, 1, 2, Infinity][number % 4] as number;
    const tries = new Map<number, number>();
    const delivered = new Set<number>();
    let third = 0;
    endpoint.reaction = (response, { json }) => {
      const { data } = json as { data: number };
      const now = (tries.get(data) ?? 0) + 1;
      tries.set(data, now);
      if (now === 3) third += 1;
      const isGood = now > failuresOf(data);
      if (isGood) delivered.add(data);
      response.writeHead(isGood ? 200 : 500).end();
    };
    const listed = async (offset = 0): Promise<{ data: any[]; pagination: { total: number } }> =>
      (await operator.get(`${queue}?appId=${appId}&limit=100&offset=${offset}`)).body;

    let published = 0;
    for (let isKilled = false; !isKilled || published < 2_000; published += 100) {
      const numbers = Array.from({ length: 100 }, (_, n) => published + n);
      await Promise.all(numbers.map((n) => socket.publish(topics[n % topics.length] as string, n)));
      await pause(200);
      // From now on calls are before the first attempt, in each of the waits, and on their way to be dead letters.
      if (isKilled || third < 50 || (await listed()).pagination.total === 0) continue;
      await cluster.stop(doomed, 'SIGKILL');
      isKilled = true;
    }

    const all = Array.from({ length: published }, (_, n) => n);
    const [lost, good] = [all.filter((n) => n % 4 === 3), all.filter((n) => n % 4 !== 3)];
    const withinMs = takeOverMs;
    await eventually(() => good.every((n) => delivered.has(n)), { withinMs, what: 'every call' });
    await eventually(async () => (await listed()).pagination.total >= lost.length, {
      withinMs,
      what: 'every dead letter',
    });
    const entries: any[] = [];
    for (let offset = 0; offset < lost.length; offset += 100) entries.push(...(await listed(offset)).data);
    expect(entries.map(({ requestBody }) => requestBody.data as number).sort((a, b) => a - b)).to.eql(lost);
    expect(Math.min(...lost.map((n) => tries.get(n) ?? 0))).to.be.at.least(3);
    for (const [number, ids] of idsByNumber()) expect(ids.size, String(number)).to.equal(1);
  });

  it('Kafka unavailable for 10 s: the calls of messages answered with `published` are made, and retries continue', async () => {
    await addConsumer();
    const { topics } = await newApp(1);
    const [topic = ''] = topics;
    endpoint.reaction = (response, _call, count) => response.writeHead(count % 5 === 0 ? 500 : 200).end();
    const published = new Set<number>();
    let isOver = false;
    const publishing = (async () => {
      for (let value = 0; !isOver; value += 1) {
        void socket.publish(topic, value).then(
          () => published.add(value),
          () => undefined,
        );
        await pause(10);
      }
    })();
    await eventually(() => published.size > 100, { withinMs: 20_000 });
    await engines.kafka.kill('SIGKILL');
    await pause(10_000);
    await engines.kafka.restart();
    const before = published.size;
    await eventually(() => published.size > before + 100, { withinMs: 40_000, what: 'publishing to go on' });
    isOver = true;
    await publishing;
    await eventually(() => [...published].every((value) => idsByNumber().has(value)), {
      withinMs: 60_000,
      what: 'every published call',
    });
  });

  it('a stopped consumer leaves its calls to the others at once', async () => {
    const [first] = await Promise.all([addConsumer(), addConsumer()]);
    const { topics } = await newApp(20);
    endpoint.reaction = reactions.answer(200);
    const publish = (from: number): Promise<unknown> =>
      Promise.all(Array.from({ length: 500 }, (_, n) => socket.publish(topics[n % 20] as string, from + n)));
    await publish(0);
    await cluster.stop(first);
    await publish(500);
    await eventually(() => idsByNumber().size === 1_000, { withinMs: 20_000, what: 'every call' });
  });
});
