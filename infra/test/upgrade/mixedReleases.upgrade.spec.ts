import { expect } from 'chai';
import type { Client } from '@roomwire/sdk';
import { clientTokenOf } from '@roomwire/testing/clients/clientTokens';
import { WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { startEventStore, type EventStoreEngine } from '@roomwire/testing/engines/eventStore';
import { startFerretDb, type MongoEngine } from '@roomwire/testing/engines/ferretdb';
import { startKafka, type KafkaEngine } from '@roomwire/testing/engines/kafka';
import { Door } from '@roomwire/testing/run/door';
import { eventually } from '@roomwire/testing/run/eventually';
import type { ServiceName } from '../../src/services/service.js';
import { apiClient, type ApiClient } from '../support/apiClient.js';
import { commonSecrets, startCluster, type Cluster, type Member } from '../support/cluster.js';
import { roomwire } from '../support/program.js';
import { actorOf } from '../support/hookedApp.js';
import { Changes, Connections, joinGroup, Listener, NumberPublisher, Receipts } from './load.js';
import { previousRelease } from './previousRelease.js';

type Side = 0 | 1;
const sides: readonly [Side, Side] = [0, 1];
const services: readonly ServiceName[] = ['projections', 'command-api', 'gateway', 'webhook-consumer'];

const settings: Readonly<Record<string, string>> = {
  ROOMWIRE_MESSAGE_RECORDING: 'true',
  ROOMWIRE_PUBLISH_RATE: '0',
  ROOMWIRE_WEBHOOK_ALLOW_PRIVATE: 'true',
};

/** The promised second, and what a machine adds on which three releases of everything run. */
const revokedWithinMs = 3_000;
const wholeWithinMs = 30_000;

/**
 * Two processes of each service, with load, of which one after the other is replaced by this release and then by the previous one
 * again, in the order of docs/DEPLOYMENT.md.
 */
describe('the previous release and this one, side by side', function () {
  this.timeout(300_000);
  let engines: { eventStore: EventStoreEngine; mongo: MongoEngine; kafka: KafkaEngine };
  let cluster: Cluster;
  let former: string;
  let apiKey: string;
  let appId: string;
  let slug: string;
  let endpoint: WebhookEndpoint;
  const members = {} as Record<ServiceName, [Member, Member]>;
  const doors = [] as unknown as [Door, Door];
  const connections = new Connections();
  const present: { readonly id: string; readonly client: Client }[] = [];
  const workers = new Receipts();
  const publishers = {} as Record<'events' | 'others' | 'work' | 'calls', NumberPublisher>;
  const listeners: Listener[] = [];
  const watchers: Client[] = [];
  let rooms = 0;
  let changes: Changes;
  let signingKey: string;
  /** Whose connections are being drained, and since when. */
  const drains: { readonly door: Door; readonly from: number; to: number }[] = [];

  const api = (side: Side): ApiClient => apiClient(members['command-api'][side].baseUrl, apiKey);
  const topicOf = (name: string): string => `${slug}/lobby/${name}`;
  const newActor = () => actorOf(api(0));

  const start = (service: ServiceName, command: string): Promise<Member> =>
    cluster.add(service, settings, command);

  before(async function () {
    this.timeout(900_000);
    former = await previousRelease();
    // Of its own: both releases use all topics, and would share them with the tests beside.
    const [eventStore, mongo, kafka] = await Promise.all([startEventStore(), startFerretDb(), startKafka()]);
    engines = { eventStore, mongo, kafka };
    endpoint = await WebhookEndpoint.open();
    cluster = await startCluster(
      { eventStoreUrl: eventStore.url, mongodbUrl: mongo.url, kafkaBrokers: kafka.brokers },
      { secrets: commonSecrets },
    );
    for (const service of services)
      members[service] = [await start(service, former), await start(service, former)];
    ({ apiKey } = await cluster.newProject({}, members['command-api'][0]));
    const app = await api(0).post('/apps', {
      name: 'place',
      topics: ['events', 'work', 'calls'],
      topicConfigs: { calls: { webhooks: { onPublish: { url: endpoint.url } } } },
    });
    ({ appId, slug } = app.body as { appId: string; slug: string });
    await api(1).post(`/apps/${appId}/rooms`, { name: 'lobby', slug: 'lobby' });
    ({ signingKey } = (await api(0).post('/signing-keys', { name: 'k' })).body as { signingKey: string });
    for (const side of sides) doors.push(await Door.open(members.gateway[side].baseUrl));
    await beginLoad();
  });
  after(async () => {
    await connections.close();
    await Promise.all(listeners.map((listener) => listener.stop()));
    await Promise.all(doors.map((door) => door.close()));
    await cluster?.close();
    await endpoint?.close();
    await Promise.all(Object.values(engines ?? {}).map((engine) => engine.close()));
  });

  const open = async (name: string, side: Side): Promise<Client> =>
    connections.open(name, doors[side], (await newActor()).accessToken);

  const beginLoad = async (): Promise<void> => {
    for (const side of sides) {
      const { accessToken, keyId: sub } = await newActor();
      const token = side === 0 ? accessToken : clientTokenOf(signingKey, { sub });
      const deps = { token, topic: topicOf('events'), connections };
      listeners.push(new Listener({ name: `listener ${side}`, door: doors[side], ...deps }).begin());
      await joinGroup(await open(`worker ${side}`, side), topicOf('work'), workers);
      watchers.push(await open(`watcher ${side}`, side));
      for (const n of [1, 2]) {
        const { actorTokenId: id, accessToken: own } = await newActor();
        const client = await connections.open(`present ${side}.${n}`, doors[side], own);
        await client.enter(`${slug}/lobby`, { side, n });
        present.push({ id, client });
      }
    }
    await eventually(() => listeners.every(({ isSubscribed }) => isSubscribed), {
      withinMs: wholeWithinMs,
    }).catch((cause: unknown) => {
      throw new Error(`Not subscribed: ${listeners.map(({ refusal }) => String(refusal)).join(', ')}`, {
        cause,
      });
    });
    const publisher = async (name: string, side: Side, topic: string): Promise<NumberPublisher> =>
      new NumberPublisher(name, await open(name, side), topicOf(topic)).begin();
    publishers.events = await publisher('events', 0, 'events');
    publishers.others = await publisher('others', 1, 'events');
    publishers.work = await publisher('work', 0, 'work');
    publishers.calls = await publisher('calls', 1, 'calls');
    changes = new Changes(() => sides.map(api)).begin();
  };

  /** Replaces one process: the next one is ready before the former one ends. */
  const replace = async (service: ServiceName, side: Side, command: string): Promise<void> => {
    const leaving = members[service][side];
    members[service][side] = await start(service, command);
    const drain = { door: doors[side], from: performance.now(), to: Infinity };
    if (service === 'gateway') {
      drain.door.leadTo(members.gateway[side].baseUrl);
      drains.push(drain);
    }
    await cluster.stop(leaving);
    drain.to = performance.now();
    expect((await leaving.program.ended).code, leaving.program.stderr()).to.equal(0);
  };

  const idsIn = async (client: Client): Promise<readonly string[]> => {
    const entries = await client.presence(`${slug}/lobby`).catch(() => []);
    return entries.map(({ actorTokenId }) => actorTokenId).sort();
  };

  const isRefused = (client: Client, topic: string): Promise<boolean> =>
    client.publish(topic, 'late').then(
      () => false,
      ({ error }: { readonly error: string }) => error === 'unknown_topic',
    );

  /** What must hold whichever releases run. */
  const everythingGoesOn = async (): Promise<void> => {
    const published = Object.values(publishers).map((one) => [one, one.acknowledged.length] as const);
    const ids = present.map(({ id }) => id).sort();
    for (const client of watchers)
      await eventually(async () => String(await idsIn(client)) === String(ids), {
        ...{ withinMs: wholeWithinMs, what: 'the same presences on both gateways' },
      });
    for (const side of sides) {
      const room = await api(side).post(`/apps/${appId}/rooms`, { name: `room ${++rooms}` });
      expect(room.status).to.equal(201);
      const { roomId, slug: name } = room.body as { roomId: string; slug: string };
      const topic = `${slug}/${name}/events`;
      for (const client of watchers)
        await eventually(
          () =>
            client.publish(topic, 'early').then(
              () => true,
              () => false,
            ),
          {
            ...{ withinMs: wholeWithinMs, what: 'the right to publish' },
          },
        );
      const revoked = await api(side).patch(`/apps/${appId}/rooms/${roomId}`, { status: 'disabled' });
      expect(revoked.status).to.equal(200);
      for (const client of watchers)
        await eventually(() => isRefused(client, topic), {
          ...{ withinMs: revokedWithinMs, what: 'the refusal of a revoked right' },
        });
    }
    for (const [publisher, before] of published)
      await eventually(() => publisher.acknowledged.length > before, { withinMs: wholeWithinMs });
  };

  it('with the previous release alone, everything goes on', everythingGoesOn);

  const replaceAll = (service: ServiceName, which: string, command: () => string): void => {
    for (const side of sides)
      it(`${service} ${side} of ${which} release takes over`, async () => {
        await replace(service, side, command());
        await everythingGoesOn();
      });
  };

  /** Those of one release write its read models until the last reader of these is gone. */
  const projectionsBeside = (which: string, command: () => string, others: readonly ServiceName[]): void => {
    let leaving: readonly Member[];
    it(`projections of ${which} release begin beside the others`, async () => {
      leaving = members.projections;
      members.projections = [await start('projections', command()), await start('projections', command())];
      await everythingGoesOn();
    });
    for (const service of others) replaceAll(service, which, command);
    it('the other projections end', async () => {
      for (const member of leaving) await cluster.stop(member);
      await everythingGoesOn();
    });
  };

  // What writes new kinds of events and secrets comes last, and goes first.
  const others: readonly ServiceName[] = ['gateway', 'webhook-consumer', 'command-api'];

  describe('upgrade', () => projectionsBeside('this', () => roomwire, others));

  describe('downgrade', () => projectionsBeside('the previous', () => former, [...others].reverse()));

  describe('in the end', () => {
    before(() => Promise.all([...Object.values(publishers), changes].map((loop) => loop.stop())));

    it('nothing was refused but by the restarts', () => {
      for (const publisher of Object.values(publishers)) expect(publisher.refusals).to.deep.equal([]);
      expect(changes.surprises).to.deep.equal([]);
    });

    it('no connection was closed but by the drain of its own gateway', () => {
      expect(connections.losses).to.have.length.above(0);
      const others = connections.losses.filter(
        ({ door, at, closeCode }) =>
          closeCode !== 1012 ||
          !drains.some((one) => one.door === door && one.from <= at && at <= one.to + 1_000),
      );
      expect(others.map(({ client, closeCode, error }) => [client, closeCode, error])).to.deep.equal([]);
    });

    it('no acknowledged message was lost to anybody who was subscribed, and each publisher was heard in order', async () => {
      for (const publisher of [publishers.events, publishers.others]) {
        const { acknowledged } = publisher;
        for (const listener of listeners) {
          const { receipts } = listener;
          const owed = listener.owed(acknowledged);
          expect(owed).to.have.length.above(acknowledged.length / 2);
          await eventually(() => receipts.missing(publisher, owed).length === 0, {
            ...{ withinMs: wholeWithinMs, what: `nothing of ${publisher.name} to be missing` },
          }).catch(() => undefined);
          expect(receipts.missing(publisher, owed)).to.deep.equal([]);
          const numbers = [...new Set(receipts.of(publisher))];
          const answered = new Set(acknowledged.map(({ n }) => n));
          const inOrder = numbers.filter((n) => answered.has(n));
          expect(inOrder).to.deep.equal([...inOrder].sort((a, b) => a - b));
        }
      }
    });

    it('every acknowledged message for the workers came to one of them', async () => {
      await eventually(() => workers.missing(publishers.work).length === 0, {
        withinMs: wholeWithinMs,
      }).catch(() => undefined);
      expect(workers.missing(publishers.work)).to.deep.equal([]);
    });

    it('every acknowledged message with a webhook was called for at least once', async () => {
      const called = () => {
        const receipts = new Receipts();
        for (const { json } of endpoint.received) receipts.take(json as { data: unknown });
        return receipts.missing(publishers.calls);
      };
      await eventually(() => called().length === 0, { withinMs: 90_000 }).catch(() => undefined);
      expect(called()).to.deep.equal([]);
    });

    it('every change that was answered is there', async () => {
      expect(changes.created).to.have.length.above(10);
      for (const id of changes.created) expect((await api(0).get(`/actors/${id}`)).status, id).to.equal(200);
    });
  });
});
