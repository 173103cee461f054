import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { AuthenticationError, connect, type Client } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import { reactions, WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import type { ApiClient } from '../support/apiClient.js';
import { patient } from '../support/patientClient.js';
import {
  enginesOfTheRun,
  startCluster,
  type Cluster,
  type Engines,
  type Member,
} from '../support/cluster.js';
import { eventsOf, toldOnce } from '../support/roomEvents.js';

const lingerSeconds = 3;
/** On a gateway that is killed. With 5,000 it is a measurement: the time is printed. */
const crowd = Number(process.env['ROOMWIRE_TEST_CROWD'] ?? 300);
/** Until the others take a silent gateway for dead, and have said so. */
const noticedMs = 20_000;

describe('[HOOK-EVENT-7] room events over killed processes', function () {
  this.timeout(240_000 + crowd * 60);
  let engines: Engines & { close(): Promise<void> };
  let cluster: Cluster;
  let gateways: Member[];
  let consumer: Member;
  let project: ApiClient;
  let endpoint: WebhookEndpoint;
  const clients: Client[] = [];
  const private_ = { ROOMWIRE_WEBHOOK_ALLOW_PRIVATE: 'true' };

  before(async () => {
    engines = await enginesOfTheRun();
    cluster = await startCluster(engines);
    await cluster.add('projections');
    const api = await cluster.add('command-api');
    consumer = await cluster.add('webhook-consumer', private_);
    project = patient((await cluster.newProject({}, api)).clients[0] as ApiClient);
  });
  after(async () => {
    await cluster.close();
    await engines.close();
  });
  beforeEach(async () => {
    endpoint = await WebhookEndpoint.open();
    gateways = [await cluster.add('gateway'), await cluster.add('gateway')];
  });
  afterEach(async () => {
    for (const gateway of gateways) await cluster.stop(gateway, 'SIGKILL');
    await Promise.all(clients.splice(0).map((client) => client.close().catch(() => undefined)));
    await endpoint.close();
  });

  const newRooms = async (count: number): Promise<readonly string[]> => {
    const config = { eventWebhook: { url: endpoint.url, lingerSeconds } };
    const app = (await project.post('/apps', { name: 'hall', topics: ['chat'], config })).body;
    const names = Array.from({ length: count }, (_, n) => `room-${n}`);
    for (const name of names) await project.post(`/apps/${app.appId}/rooms`, { name });
    return names.map((name) => `${app.slug}/${name}`);
  };
  /** On engines that are busy an actor may be made before the read models have it: the answer waits for them only so long. */
  const connected = async (url: string, token: string): Promise<Client> => {
    const until = performance.now() + 30_000;
    for (;;) {
      const client = connect({ url, token, reconnect: false });
      clients.push(client);
      try {
        await client.ready();
        return client;
      } catch (error) {
        if (!(error instanceof AuthenticationError) || performance.now() > until) throw error;
        await pause(500);
      }
    }
  };
  const enterAll = async (
    { socketUrl }: Member,
    rooms: readonly string[],
    count: number,
  ): Promise<string[]> => {
    const entered: string[] = [];
    for (let from = 0; from < count; from += 20) {
      const some = Array.from({ length: Math.min(20, count - from) }, async (_, n) => {
        const { accessToken, actorTokenId } = (
          await project.post('/actors', { name: 'x', actorType: 'user' })
        ).body;
        const client = await connected(socketUrl, accessToken);
        await client.enter(rooms[(from + n) % rooms.length] ?? '', { n: from + n });
        entered.push(actorTokenId);
      });
      await Promise.all(some);
    }
    return entered;
  };
  const told = (count: number, withinMs: number): Promise<void> =>
    eventually(() => toldOnce(endpoint).length >= count, { what: `${count} events`, withinMs });
  const leftIn = () =>
    toldOnce(endpoint)
      .filter(({ event }) => event === 'left')
      .map(({ actorTokenId }) => actorTokenId);

  it('tells once of each who was on a killed gateway, in sequence, within 20 s and the linger', async () => {
    const [doomed, other] = gateways as [Member, Member];
    const rooms = await newRooms(4);
    const lost = await enterAll(doomed, rooms, crowd);
    const kept = await enterAll(other, rooms.slice(0, 1), 5);
    await told(rooms.length + crowd + 5, 60_000);
    const killedAt = performance.now();
    await cluster.stop(doomed, 'SIGKILL');
    await told(rooms.length + crowd + 5 + crowd + 3, 60_000);
    const tookMs = performance.now() - killedAt;
    if (crowd > 300) process.stdout.write(`${crowd} had left after ${Math.round(tookMs)} ms\n`);
    expect(tookMs).to.be.below(noticedMs + lingerSeconds * 1_000);
    expect(leftIn().toSorted()).to.eql(lost.toSorted());
    const presences = toldOnce(endpoint).filter(({ event }) => event === 'left');
    expect(new Set(presences.map(({ presence }) => (presence as { n: number }).n)).size).to.equal(crowd);
    expect(kept.some((one) => leftIn().includes(one))).to.equal(false);
    gateways = [other];
  });

  it('tells nobody twice, and of nothing that has not happened, when all gateways are killed', async () => {
    const rooms = await newRooms(2);
    const entered = await enterAll(gateways[0] as Member, rooms, 40);
    await told(42, 60_000);
    await Promise.all(gateways.map((gateway) => cluster.stop(gateway, 'SIGKILL')));
    gateways = [await cluster.add('gateway'), await cluster.add('gateway')];
    await told(42 + 42, 90_000);
    expect(leftIn().toSorted()).to.eql(entered.toSorted());
  });

  it('goes on in sequence where the consumer is killed while it calls', async () => {
    endpoint.reaction = (response) => void setTimeout(() => response.writeHead(204).end(), 20);
    const rooms = await newRooms(1);
    const entering = enterAll(gateways[0] as Member, rooms, 60);
    await told(20, 60_000);
    await cluster.stop(consumer, 'SIGKILL');
    consumer = await cluster.add('webhook-consumer', private_);
    await entering;
    await told(61, 120_000);
    expect(toldOnce(endpoint).map(({ sequence }) => sequence)).to.eql(
      Array.from({ length: 61 }, (_, n) => n + 1),
    );
  });

  it('hands the rooms over to another gateway when theirs stops, and waits for a webhook that is away', async () => {
    endpoint.reaction = reactions.answer(503);
    const rooms = await newRooms(1);
    const [first, second] = gateways as [Member, Member];
    await enterAll(second, rooms, 3);
    await eventually(() => endpoint.received.length > 0, { withinMs: 30_000 });
    await cluster.stop(first);
    endpoint.reaction = reactions.answer(204);
    await eventually(() => eventsOf(endpoint.received).some(({ sequence }) => sequence === 4), {
      ...{ withinMs: 60_000, what: 'the last event' },
    });
    toldOnce(endpoint);
    gateways = [second];
  });
});
