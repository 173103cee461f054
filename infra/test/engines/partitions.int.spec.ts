import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { connect, type Client } from '@roomwire/sdk';
import type { CuttableWay } from '@roomwire/testing/engines/cuttableWay';
import { WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { eventually } from '@roomwire/testing/run/eventually';
import type { ServiceName } from '../../src/services/service.js';
import type { ApiClient } from '../support/apiClient.js';
import { enginesOfTheRun, startCluster, type Cluster, type Member } from '../support/cluster.js';
import { openWays, type Ways } from '../support/ways.js';

const fast = { baseMs: 50, maxMs: 500, restartSpreadMs: 50 };
/** Longer than anybody waits for an answer, and shorter than gateways wait for each other. */
const cutMs = 12_000;

interface PartedMember extends Member {
  readonly ways: Ways;
}

/** Two processes of each service. What is between a process and an engine loses everything, and no connection ends. */
describe('network partitions between services and engines', function () {
  this.timeout(240_000);
  let engines: Awaited<ReturnType<typeof enginesOfTheRun>>;
  let cluster: Cluster;
  const opened: Ways[] = [];
  let apis: [PartedMember, PartedMember];
  let gateways: [PartedMember, PartedMember];
  let projections: [PartedMember, PartedMember];
  let consumers: [PartedMember, PartedMember];
  let clients: [ApiClient, ApiClient];
  const sockets: Client[] = [];
  /** What still writes when a test fails. */
  const writing: { stop(): Promise<unknown> }[] = [];

  const add = async (
    service: ServiceName,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<PartedMember> => {
    const ways = await openWays(engines);
    opened.push(ways);
    return { ...(await cluster.add(service, { ...environment, ...ways.environment })), ways };
  };
  const addTwo = async (...args: Parameters<typeof add>): Promise<[PartedMember, PartedMember]> => {
    const first = await add(...args);
    return [first, await add(...args)];
  };

  before(async () => {
    engines = await enginesOfTheRun();
    cluster = await startCluster(engines);
    [apis, projections, gateways, consumers] = await Promise.all([
      addTwo('command-api'),
      addTwo('projections', { ROOMWIRE_LOG_LEVEL: 'info' }),
      addTwo('gateway', { ROOMWIRE_PUBLISH_RATE: '0' }),
      addTwo('webhook-consumer', { ROOMWIRE_WEBHOOK_ALLOW_PRIVATE: 'true' }),
    ]);
    clients = (await cluster.newProject({}, ...apis)).clients as [ApiClient, ApiClient];
  });
  after(async () => {
    await cluster?.close();
    await Promise.all(opened.map((ways) => ways.close()));
    await engines?.close();
  });
  afterEach(async () => {
    for (const ways of opened) ways.heal();
    await Promise.all(writing.splice(0).map((writer) => writer.stop()));
    await Promise.all(sockets.splice(0).map((socket) => socket.close()));
  });

  /** One that was never told to stand by, or has begun again since. */
  const leaders = (): readonly PartedMember[] =>
    projections.filter(({ program }) => {
      const turns = program.stderr().match(/standing by|taking over|cannot be updated; retrying/g);
      return turns?.at(-1) !== 'standing by';
    });
  const during = async (way: CuttableWay, act: () => Promise<void>): Promise<void> => {
    expect(way.connections, 'connections by the way that is cut').to.be.above(0);
    way.cut();
    const over = pause(cutMs);
    try {
      await act();
      await over;
    } finally {
      way.heal();
    }
  };
  const newTopic = async (fields: object = {}): Promise<{ topic: string; appId: string; roomId: string }> => {
    const app = (await clients[1].post('/apps', { name: 'app', topics: ['chat'], ...fields })).body;
    const { roomId } = (await clients[1].post(`/apps/${app.appId}/rooms`, { name: 'lobby' })).body;
    return { topic: `${app.slug}/lobby/chat`, appId: app.appId, roomId };
  };
  const socketOn = async ({ socketUrl }: Member): Promise<Client> => {
    const { accessToken } = (await clients[1].post('/actors', { name: 'x', actorType: 'user' })).body;
    const socket = connect({ url: socketUrl, token: accessToken, reconnect: fast });
    sockets.push(socket);
    await socket.ready();
    return socket;
  };
  /** Creates one room after the other until it is told to stop; resolves with the names of those that were answered with 201. */
  const creatingRooms = (client: ApiClient, appId: string, prefix: string) => {
    let isOver = false;
    const created: string[] = [];
    const running = (async () => {
      for (let index = 0; !isOver; index += 1) {
        const name = `${prefix}-${index}`;
        if ((await client.post(`/apps/${appId}/rooms`, { name })).status === 201) created.push(name);
      }
    })();
    const writer = {
      created,
      async stop() {
        isOver = true;
        await running;
        return created;
      },
    };
    writing.push(writer);
    return writer;
  };
  const namesIn = async (appId: string): Promise<readonly string[]> =>
    ((await clients[1].get(`/apps/${appId}/rooms`)).body as { name: string }[]).map(({ name }) => name);
  /** All of them, each once. */
  const listsAll = async (appId: string, created: readonly string[]): Promise<void> => {
    let names: readonly string[] = [];
    const areThere = async (): Promise<boolean> => {
      names = await namesIn(appId);
      return created.every((name) => names.includes(name));
    };
    await eventually(areThere, { withinMs: 20_000, what: 'every room that was answered' });
    expect(names).to.eql([...new Set(names)]);
  };

  it('a gateway without Kafka: the other one goes on, and nothing that was answered is lost, doubled or out of order', async () => {
    const { topic } = await newTopic();
    const [cutOff, sender] = [await socketOn(gateways[0]), await socketOn(gateways[1])];
    const [onCutOff, onOther] = [await socketOn(gateways[0]), await socketOn(gateways[1])];
    const got: { there: number[]; here: number[] } = { there: [], here: [] };
    await onCutOff.subscribe(topic, ({ data }) => void got.there.push(data as number));
    await onOther.subscribe(topic, ({ data }) => void got.here.push(data as number));
    const published: number[] = [];
    const publishAll = async (from: Client, numbers: readonly number[]): Promise<void> => {
      for (const number of numbers)
        await from.publish(topic, number).then(
          () => published.push(number),
          () => undefined,
        );
    };
    const range = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);
    await publishAll(sender, range(0, 20));
    const attempts: Promise<void>[] = [];
    await during(gateways[0].ways.kafka, async () => {
      await publishAll(sender, range(100, 200));
      expect(published, 'the other gateway').to.have.length(220);
      for (let number = 1_000; number < 1_020; number += 1) attempts.push(publishAll(cutOff, [number]));
      await pause(1_000);
      expect(published, 'the gateway that is cut off').to.have.length(220);
    });
    await Promise.all(attempts);
    const goesOn = async (): Promise<boolean> =>
      cutOff.publish(topic, 9_999).then(
        () => true,
        () => false,
      );
    await eventually(goesOn, { withinMs: 30_000, what: 'the gateway to publish again' });
    for (const numbers of [got.here, got.there]) {
      const isThere = () => published.every((number) => numbers.includes(number));
      await eventually(isThere, { withinMs: 30_000, what: 'every message that was answered' });
      const answered = numbers.filter((number) => published.includes(number));
      expect(answered).to.eql([...new Set(answered)]);
      const ofSender = answered.filter((number) => number < 1_000);
      expect(ofSender).to.eql(ofSender.toSorted((one, other) => one - other));
    }
  });

  it('a command-api without EventStoreDB: it still reads, the other one writes, and each write that was answered is there once', async () => {
    const { appId } = await newTopic();
    const lonely = creatingRooms(clients[0], appId, 'lonely');
    const other = creatingRooms(clients[1], appId, 'other');
    await eventually(() => lonely.created.length > 5 && other.created.length > 5);
    await during(apis[0].ways.eventStore, async () => {
      const before = other.created.length;
      await eventually(() => other.created.length > before + 20, { withinMs: cutMs });
      expect((await clients[0].get(`/apps/${appId}`)).status).to.equal(200);
      expect((await clients[0].post('/apps', { name: 'lost' })).status).to.equal(503);
    });
    const before = lonely.created.length;
    await eventually(() => lonely.created.length > before + 5, {
      withinMs: 30_000,
      what: 'it to write again',
    });
    await listsAll(appId, [...(await lonely.stop()), ...(await other.stop())]);
  });

  it('projections without MongoDB: the others take over, and what comes late from the first undoes nothing', async () => {
    const { appId, roomId, topic } = await newTopic();
    const rooms = creatingRooms(clients[1], appId, 'room');
    await eventually(() => rooms.created.length > 5);
    const socket = await socketOn(gateways[1]);
    await socket.publish(topic, 'open');
    for (const status of ['disabled', 'active']) {
      await eventually(() => leaders().length === 1, { withinMs: 20_000, what: 'one to lead' });
      const [leader] = leaders() as [PartedMember];
      const successor = projections.find((one) => one !== leader) as PartedMember;
      const takeOvers = () => successor.program.stderr().split('taking over').length;
      const before = takeOvers();
      await during(leader.ways.mongodb, async () => {
        await eventually(() => takeOvers() > before, { withinMs: cutMs, what: 'the other one to take over' });
        expect((await clients[1].patch(`/apps/${appId}/rooms/${roomId}`, { status })).status).to.equal(200);
        const found = () =>
          socket.publish(topic, status).then(
            () => 'active',
            () => 'disabled',
          );
        await eventually(async () => (await found()) === status, { withinMs: 10_000, what: status });
      });
      const written = rooms.created.length;
      await eventually(() => rooms.created.length > written + 5, { withinMs: 20_000 });
      expect((await clients[1].get(`/apps/${appId}/rooms/${roomId}`)).body.status).to.equal(status);
    }
    await listsAll(appId, await rooms.stop());
  });

  it('[HOOK-LOSS-1] a webhook consumer without Kafka: every call arrives', async () => {
    const endpoint = await WebhookEndpoint.open();
    try {
      const { topic } = await newTopic({ triggerWebhook: { url: endpoint.url } });
      const socket = await socketOn(gateways[1]);
      const numbers = Array.from({ length: 200 }, (_, number) => number);
      for (const number of numbers.slice(0, 50)) await socket.publish(topic, number);
      await during(consumers[0].ways.kafka, async () => {
        for (const number of numbers.slice(50)) await socket.publish(topic, number);
      });
      const called = () => new Set(endpoint.received.map(({ json }) => (json as { data: unknown }).data));
      await eventually(() => called().size === numbers.length, { withinMs: 100_000, what: 'every call' });
    } finally {
      await endpoint.close();
    }
  });
});
