import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { FrameClient, type Frame } from '@roomwire/testing/clients/frameClient';
import { eventually } from '@roomwire/testing/run/eventually';
import type { ApiClient } from '../support/apiClient.js';
import { enginesOfTheRun, startCluster, type Cluster, type Member } from '../support/cluster.js';
import { openWays, type Ways } from '../support/ways.js';

/** Neither has a socket: they take part among the gateways for the quotas, and send over the bus. */
describe('publishing by two command-apis', function () {
  this.timeout(120_000);
  let engines: Awaited<ReturnType<typeof enginesOfTheRun>>;
  let cluster: Cluster;
  let apis: [Member, Member];
  let gateways: [Member, Member];
  let ways: Ways;
  let clients: readonly ApiClient[];
  let topic: string;
  let roomPath: string;
  const sockets: FrameClient[] = [];

  before(async () => {
    engines = await enginesOfTheRun();
    cluster = await startCluster(engines);
    ways = await openWays(engines);
    const [, first, second, ...rest] = await Promise.all([
      cluster.add('projections'),
      cluster.add('command-api'),
      cluster.add('command-api', ways.environment),
      cluster.add('gateway'),
      cluster.add('gateway'),
    ]);
    apis = [first, second];
    gateways = rest;
  });
  after(async () => {
    await cluster.close();
    await ways.close();
    await engines.close();
  });
  beforeEach(() => open({}));
  afterEach(() => sockets.splice(0).forEach((socket) => socket.terminate()));

  const open = async (plan: object): Promise<void> => {
    clients = (await cluster.newProject(plan, ...apis)).clients;
    const app = (await side(0).post('/apps', { name: 'app', topics: ['chat'] })).body;
    const room = (await side(0).post(`/apps/${app.appId}/rooms`, { name: 'lobby' })).body;
    topic = `${app.slug}/lobby/chat`;
    roomPath = `/apps/${app.appId}/rooms/${room.roomId}`;
  };
  const side = (index: number): ApiClient => clients[index % 2] as ApiClient;
  const publish = (index: number, message: object) => side(index).post('/publish', { topic, ...message });
  /** They begin to publish a moment after they answer reads. */
  const ready = () =>
    eventually(async () => {
      const answers = await Promise.all([0, 1].map((index) => publish(index, { data: 'ready' })));
      return answers.every(({ status }) => status === 200);
    });
  const join = async (gateway: number): Promise<FrameClient> => {
    const { accessToken } = (await side(0).post('/actors', { name: 'x', actorType: 'user' })).body;
    const socket = await FrameClient.join((gateways[gateway % 2] as Member).socketUrl, accessToken);
    sockets.push(socket);
    return socket;
  };
  const subscribed = async (gateway: number): Promise<FrameClient> => (await join(gateway)).subscribe(topic);
  const dataOf = async (socket: FrameClient): Promise<unknown> => ((await socket.next()) as Frame)['data'];

  it('[HTTP-PUB-5] reaches the subscribers of all gateways in the order of each batch', async () => {
    await ready();
    const readers = [await subscribed(0), await subscribed(1)];
    for (const index of [0, 1]) {
      const batch = Array.from({ length: 50 }, (_, n) => ({ topic, data: `${index}-${n}` }));
      expect((await side(index).post('/publish', { messages: batch })).status).to.equal(200);
      for (const reader of readers) for (const { data } of batch) expect(await dataOf(reader)).to.equal(data);
    }
  });

  it('[WS-ONCE-1] delivers one of those with one id, whichever process takes them', async () => {
    await ready();
    const reader = await subscribed(0);
    for (let round = 0; round < 5; round += 1) {
      const id = `round-${round}`;
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => publish(index, { data: id, id })),
      );
      expect(answers.filter(({ status }) => status === 200)).to.have.length(20);
      expect(answers.filter(({ body }) => body.duplicate !== true)).to.have.length(1);
      expect(new Set(answers.map(({ body }) => body.at)).size).to.equal(1);
    }
    await publish(0, { data: 'marker' });
    for (let round = 0; round < 5; round += 1) expect(await dataOf(reader)).to.equal(`round-${round}`);
    expect(await dataOf(reader)).to.equal('marker');
  });

  it('[HTTP-PUB-8] keeps a quota with the gateways, for those who wait for the answers', async () => {
    await ready();
    await open({ monthlyMessages: 6 });
    const socket = await join(0);
    const outcomes: unknown[] = [];
    for (let n = 0; n < 9; n += 1) {
      if (n % 3 === 2) outcomes.push(await socket.ask({ type: 'publish', topic, data: n, msgRef: 'r' }));
      else outcomes.push((await publish(n % 3, { data: n })).body);
    }
    const refused = outcomes.map((outcome) => (outcome as { error?: string }).error ?? 'accepted');
    expect(refused).to.deep.equal([
      ...Array.from({ length: 6 }, () => 'accepted'),
      ...Array.from({ length: 3 }, () => 'monthly_quota_exceeded'),
    ]);
  });

  it('[HTTP-PUB-7] knows within a second what was changed through another process', async () => {
    await ready();
    await side(0).delete(roomPath);
    await pause(1_000);
    expect((await publish(1, { data: 1 })).body).to.include({ error: 'unknown_topic' });
  });

  it('[HTTP-PUB-10] is unavailable without the bus, while reads go on, and goes on when it is back', async () => {
    await ready();
    const reader = await subscribed(0);
    ways.kafka.cut();
    try {
      await eventually(async () => (await publish(1, { data: 'lost', id: 'lost' })).status === 503, {
        withinMs: 40_000,
      });
      expect((await side(1).get(roomPath)).status).to.equal(200);
      expect((await publish(0, { data: 'by the other' })).status).to.equal(200);
    } finally {
      ways.kafka.heal();
    }
    await eventually(async () => (await publish(1, { data: 'lost', id: 'lost' })).status === 200, {
      withinMs: 40_000,
    });
    await publish(0, { data: 'marker' });
    const got: unknown[] = [];
    for (let data = await dataOf(reader); data !== 'marker'; data = await dataOf(reader)) got.push(data);
    expect(got.filter((data) => data === 'lost')).to.have.length(1);
  });

  it('[WS-ONCE-1] loses and doubles nothing when a process is killed, and everything unanswered is sent to the other', async () => {
    await ready();
    const reader = await subscribed(1);
    const answered = new Set<number>();
    const send = async (n: number, index: number): Promise<void> => {
      const { status } = await publish(index, { data: n, id: `n-${n}` });
      if (status === 200) answered.add(n);
    };
    const all = Array.from({ length: 300 }, (_, n) => n);
    const sending = Promise.allSettled(all.map((n) => send(n, 0)));
    await eventually(() => answered.size >= 20);
    await cluster.stop(apis[0], 'SIGKILL');
    await sending;
    const unanswered = all.filter((n) => !answered.has(n));
    await Promise.all(unanswered.map((n) => send(n, 1)));
    expect(answered.size).to.equal(300);
    await publish(1, { data: 'marker' });
    const got: unknown[] = [];
    for (let data = await dataOf(reader); data !== 'marker'; data = await dataOf(reader)) got.push(data);
    expect(
      got.filter((data) => typeof data === 'number').sort((a, b) => Number(a) - Number(b)),
    ).to.deep.equal(all);
  });
});
