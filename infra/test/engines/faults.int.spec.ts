import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { connect, type Client } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import { startEventStore, type EventStoreEngine } from '@roomwire/testing/engines/eventStore';
import { startFerretDb, type MongoEngine } from '@roomwire/testing/engines/ferretdb';
import { type KafkaEngine, startKafka } from '@roomwire/testing/engines/kafka';
import type { ApiClient } from '../support/apiClient.js';
import { startCluster, type Cluster, type Member } from '../support/cluster.js';

const fast = { baseMs: 50, maxMs: 500, restartSpreadMs: 50 };
const outageMs = 10_000;

interface Readiness {
  readonly status: string;
  readonly unreachable?: readonly string[];
}

/** Each suite has its own engines, because it breaks them. */
describe('faults', function () {
  this.timeout(240_000);
  let eventStore: EventStoreEngine;
  let mongo: MongoEngine;
  let kafka: KafkaEngine;
  let cluster: Cluster;
  let api: Member;
  let gateways: [Member, Member];
  let client: ApiClient;
  const sockets: Client[] = [];

  before(async () => {
    [eventStore, mongo, kafka] = await Promise.all([startEventStore(), startFerretDb(), startKafka()]);
    cluster = await startCluster({
      eventStoreUrl: eventStore.url,
      mongodbUrl: mongo.url,
      kafkaBrokers: kafka.brokers,
    });
    const [apiMember, gatewayA, gatewayB] = await Promise.all([
      cluster.add('command-api'),
      cluster.add('gateway', { ROOMWIRE_PUBLISH_RATE: '0' }),
      cluster.add('gateway', { ROOMWIRE_PUBLISH_RATE: '0' }),
      cluster.add('projections'),
    ]);
    api = apiMember;
    gateways = [gatewayA, gatewayB];
    client = (await cluster.newProject({}, api)).clients[0] as ApiClient;
  });
  after(async () => {
    await cluster?.close();
    await Promise.all([eventStore?.close(), mongo?.close(), kafka?.close()]);
  });
  afterEach(() => Promise.all(sockets.splice(0).map((socket) => socket.close())));

  const newTopic = async (): Promise<string> => {
    const app = (await client.post('/apps', { name: 'app', topics: ['chat'] })).body;
    await client.post(`/apps/${app.appId}/rooms`, { name: 'lobby' });
    return `${app.slug}/lobby/chat`;
  };
  const newToken = async (): Promise<string> =>
    (await client.post('/actors', { name: 'x', actorType: 'user' })).body.accessToken;
  const readinessOf = async ({ baseUrl }: Member): Promise<Readiness> =>
    (await (await fetch(`${baseUrl}/readyz`)).json()) as Readiness;
  const socketOn = async ({ socketUrl }: Member, reconnectTo = socketUrl): Promise<Client> => {
    const socket = connect({ url: reconnectTo, token: await newToken(), reconnect: fast });
    sockets.push(socket);
    await socket.ready();
    return socket;
  };

  it('Kafka unavailable for 10 s: every message answered with `published` is delivered once, and delivery resumes by itself', async () => {
    const topic = await newTopic();
    const [sender, listener] = [await socketOn(gateways[0]), await socketOn(gateways[1])];
    const token = await newToken();
    const got: number[] = [];
    await listener.subscribe(topic, ({ data }) => void got.push(data as number));
    const published = new Set<number>();
    let next = 0;
    let isOver = false;
    const publishing = (async () => {
      while (!isOver) {
        const value = next++;
        void sender.publish(topic, value).then(
          () => published.add(value),
          () => undefined,
        );
        await pause(10);
      }
    })();
    await eventually(() => got.length > 50, { withinMs: 20_000 });
    let before = 0;
    await without(kafka, async () => {
      await eventually(() => authError(gateways[0], token).then((error) => error === 'broker_unavailable'), {
        withinMs: outageMs,
        what: 'auth to answer broker_unavailable',
      });
      await pause(outageMs);
      before = got.length;
    });
    await eventually(() => got.length > before + 50, { withinMs: 30_000, what: 'delivery to go on' });
    isOver = true;
    await publishing;
    await eventually(() => [...published].every((value) => got.includes(value)), {
      withinMs: 20_000,
      what: 'every published message',
    });
    const values = got.filter((value) => published.has(value));
    expect(new Set(values).size, 'no second copies').to.equal(values.length);
    await eventually(() => authError(gateways[0], token).then((error) => error === undefined), {
      withinMs: 20_000,
    });
  });

  it('MongoDB unavailable for 10 s: reads fail fast, live connections stay open, and the services recover by themselves', async () => {
    const topic = await newTopic();
    const [sender, listener] = [await socketOn(gateways[0]), await socketOn(gateways[1])];
    let got = 0;
    await listener.subscribe(topic, () => void (got += 1));
    await sender.publish(topic, 'before');
    await without(mongo, async () => {
      const from = performance.now();
      const { status, body } = await client.get('/apps');
      expect(status).to.equal(503);
      expect(body).to.have.all.keys('id', 'message', 'timestamp');
      expect(performance.now() - from).to.be.below(5_000);
      await eventually(async () => (await readinessOf(api)).status === 'not ready');
      expect((await readinessOf(api)).unreachable).to.eql(['read models']);
      await sender.publish(topic, 'meanwhile', { id: false });
      // Nobody can tell whether it is the first with its id.
      const refused = await sender.publish(topic, 'once', { id: 'order-7' }).catch((error: unknown) => error);
      expect(refused).to.have.property('error', 'broker_unavailable');
      await pause(outageMs);
    });
    await eventually(async () => (await client.get('/apps')).status === 200, { withinMs: 20_000 });
    await sender.publish(topic, 'once', { id: 'order-7' });
    await eventually(() => got === 3);
    expect((await client.post('/apps', { name: 'after' })).status).to.equal(201);
  });

  it('EventStoreDB unavailable for 10 s: writes get 503 and leave nothing half-written, reads continue, and balancers send them', async () => {
    const { appId } = (await client.post('/apps', { name: 'kept', topics: ['a'] })).body;
    await without(eventStore, async () => {
      const from = performance.now();
      const { status, body } = await client.post(`/apps/${appId}/rooms`, { name: 'lost' });
      expect(status).to.equal(503);
      expect(body).to.have.all.keys('id', 'message', 'timestamp');
      expect(performance.now() - from).to.be.below(15_000);
      expect((await client.get(`/apps/${appId}`)).status).to.equal(200);
      await eventually(async () => (await readinessOf(api)).unreachable?.includes('event log') === true);
      expect((await readinessOf(api)).status).to.equal('ready');
      await pause(outageMs);
    });
    const created = async () => (await client.post(`/apps/${appId}/rooms`, { name: 'found' })).status === 201;
    await eventually(created, { withinMs: 20_000 });
    // The answer waits for the read models for a while only, and they may take longer to find the server again.
    const isListed = async () =>
      ((await client.get(`/apps/${appId}/rooms`)).body as { name: string }[]).some(
        ({ name }) => name === 'found',
      );
    await eventually(isListed, { withinMs: 20_000 });
    await eventually(async () => (await readinessOf(api)).unreachable === undefined);
  });

  it('an append whose answer was lost is written once', async () => {
    const { appId } = (await client.post('/apps', { name: 'once', topics: ['a'] })).body;
    for (let round = 0; round < 5; round += 1) {
      await eventStore.swallowAnswers(1);
      const { status } = await client.post(`/apps/${appId}/rooms`, { name: `room ${round}` });
      expect([201, 503]).to.include(status);
    }
    const names = ((await client.get(`/apps/${appId}/rooms`)).body as { name: string }[]).map(
      ({ name }) => name,
    );
    expect(names).to.eql([...new Set(names)]);
  });

  it('a killed gateway: its clients continue on the other gateway', async () => {
    const topic = await newTopic();
    const doomed = await cluster.add('gateway');
    const listener = await socketOn(gateways[1]);
    const got: unknown[] = [];
    await listener.subscribe(topic, ({ data }) => void got.push(data));
    const token = await newToken();
    // A balancer in small: each attempt goes to a gateway that is up.
    const first = connect({ url: doomed.socketUrl, token, reconnect: false });
    await first.ready();
    await first.publish(topic, 'from the first');
    await cluster.stop(doomed, 'SIGKILL');
    const second = connect({ url: gateways[0].socketUrl, token, reconnect: fast });
    sockets.push(first, second);
    await second.ready();
    await second.publish(topic, 'from the second');
    await eventually(() => got.length === 2);
    expect(got).to.eql(['from the first', 'from the second']);
  });

  it('projections killed repeatedly: the read models end as without the kills', async () => {
    const { appId } = (await client.post('/apps', { name: 'many', topics: ['a'] })).body;
    const rooms = `/apps/${appId}/rooms`;
    const expected = new Map<string, string>();
    const extra = await cluster.add('projections');
    let isOver = false;
    const writing = Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let index = 0; !isOver; index += 1) {
          const room = (await client.post(rooms, { name: `${writer}-${index}` })).body;
          expected.set(room.roomId, room.name);
          if (index % 2 === 0) {
            await client.patch(`${rooms}/${room.roomId}`, { name: `renamed ${index}` });
            expected.set(room.roomId, `renamed ${index}`);
          }
        }
      }),
    );
    let victim = extra;
    for (let kill = 0; kill < 4; kill += 1) {
      await pause(500);
      await cluster.stop(victim, 'SIGKILL');
      victim = await cluster.add('projections');
    }
    isOver = true;
    await writing;
    const listed = (await client.get(rooms)).body as { roomId: string; name: string }[];
    expect(new Map(listed.map(({ roomId, name }) => [roomId, name]))).to.eql(expected);
  });

  it('a gateway suspended for 40 s resumes, with its clients and their subscriptions', async () => {
    const topic = await newTopic();
    const [sender, listener] = [await socketOn(gateways[0]), await socketOn(gateways[1])];
    const got: unknown[] = [];
    await listener.subscribe(topic, ({ data }) => void got.push(data));
    await sender.publish(topic, 'before');
    await eventually(() => got.length === 1);
    gateways[1].program.process.kill('SIGSTOP');
    await sender.publish(topic, 'meanwhile');
    await pause(40_000);
    gateways[1].program.process.kill('SIGCONT');
    await eventually(
      async () => {
        await sender.publish(topic, 'after');
        return got.includes('after');
      },
      { withinMs: 30_000, what: 'delivery after the stop' },
    );
  });
});

/** Kills an engine for as long as something is looked at; it is back afterwards, whatever was seen. */
const without = async (
  engine: Pick<MongoEngine, 'kill' | 'restart'>,
  work: () => Promise<void>,
): Promise<void> => {
  await engine.kill('SIGKILL');
  try {
    await work();
  } finally {
    await engine.restart();
  }
};

/** The error of an `auth` on a gateway, undefined when it succeeds. */
const authError = async ({ socketUrl }: Member, token: string): Promise<string | undefined> => {
  const socket = connect({ url: socketUrl, token, reconnect: false });
  try {
    await socket.ready();
    return undefined;
  } catch (error) {
    return (error as { error: string }).error;
  } finally {
    await socket.close();
  }
};
