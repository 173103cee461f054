import { readdir } from 'node:fs/promises';
import { expect } from 'chai';
import { connect, type Client } from '@roomwire/sdk';
import { FrameClient, type Frame } from '@roomwire/testing/clients/frameClient';
import { eventually } from '@roomwire/testing/run/eventually';
import { JobWorker } from '../../support/jobWorker.js';
import { StartedThreads } from '../../support/startedThreads.js';
import { twoActors, type TwoActors } from '../../support/twoActors.js';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

describe('a gateway in threads', function () {
  this.timeout(120_000);
  let threads: StartedThreads;
  let url: string;
  const clients: Client[] = [];
  const frameClients: FrameClient[] = [];

  before(async () => {
    threads = await StartedThreads.open({ messageRecording: true });
    url = threads.service.socketUrl;
  });
  after(() => threads.close());
  beforeEach(() => threads.withoutSockets());
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    for (const client of frameClients.splice(0)) client.terminate();
  });

  const twoOf = (fields: object = {}): Promise<TwoActors> => twoActors(threads.service.project, fields);
  const join = async (token: string): Promise<FrameClient> => {
    const client = await FrameClient.join(url, token);
    frameClients.push(client);
    return client;
  };
  const open = async (token: string, reconnect = false): Promise<Client> => {
    const client = connect({ url, token, ...(reconnect ? {} : { reconnect: false }) });
    clients.push(client);
    await client.ready();
    return client;
  };
  const dataOf = async (client: FrameClient, count: number): Promise<unknown[]> => {
    const got: Frame[] = [];
    while (got.length < count) {
      const frame = await client.next();
      if (frame !== 'heartbeat' && frame['type'] === 'message') got.push(frame);
    }
    return got.map((frame) => frame['data']);
  };

  it('carries messages from one thread to all, in order, and answers for them', async () => {
    const { topic, listener, sender } = await twoOf();
    const readers = [await join(listener), await join(listener), await join(listener)];
    for (const reader of readers) await reader.subscribe(topic);
    const writer = await join(sender);
    expect(await threads.sockets()).to.eql([2, 2]);
    for (const n of upTo(90)) writer.publish(topic, n, { qos: n % 3, msgRef: String(n) });
    for (const reader of readers) expect(await dataOf(reader, 90)).to.eql(upTo(90));
    const answered = new Set<unknown>();
    while (answered.size < 90) answered.add(((await writer.next()) as Frame)['msgRef']);
    // What a backend publishes comes by the main thread.
    await threads.service.project.post('/publish', { topic, data: 'from a backend' });
    for (const reader of readers) expect(await dataOf(reader, 1)).to.eql(['from a backend']);
  });

  it('shows presences, last values and history of one thread on the other', async () => {
    const { topic, listener, sender } = await twoOf({ topicConfigs: { chat: { history: {} } } });
    const [one, other] = [await open(listener), await open(sender)];
    expect(await threads.sockets()).to.eql([1, 1]);
    const room = topic.split('/').slice(0, 2).join('/');
    await one.enter(room, { mood: 'fine' });
    await other.enter(room, {});
    await eventually(async () => (await one.presence(room)).length === 2);
    expect((await other.presence(room)).map(({ presence }) => presence)).to.deep.include({ mood: 'fine' });
    for (const n of upTo(20)) await one.publish(topic, n, { retain: true });
    const read: unknown[] = [];
    for await (const { data } of other.history(topic, { after: '' })) read.push(data);
    expect(read).to.eql(upTo(20));
    const got: unknown[] = [];
    await other.subscribe(topic, ({ data }) => void got.push(data));
    await eventually(() => got.length > 0);
    expect(got).to.eql([19]);
  });

  it('hands a connection on with what its client has sent behind the handshake, and leaves no descriptor open', async () => {
    const { listener } = await twoOf();
    const descriptors = async (): Promise<number> => (await readdir('/proc/self/fd')).length;
    await join(listener);
    const before = await descriptors();
    for (let n = 0; n < 40; n += 1) {
      const client = await FrameClient.connect(url);
      await client.authenticate(listener);
      if (n % 2 === 0) await client.close();
      else client.terminate();
    }
    await eventually(async () => (await descriptors()) <= before, { what: 'descriptors closed' });
  });

  it('shows its metrics as one gateway', async () => {
    const { topic, listener, sender } = await twoOf();
    const before = (await threads.metrics()).sum('roomwire_deliveries_total') ?? 0;
    const readers = [await join(listener), await join(listener)];
    for (const reader of readers) await reader.subscribe(topic);
    const writer = await join(sender);
    for (const n of upTo(10)) writer.publish(topic, n);
    for (const reader of readers) await dataOf(reader, 10);
    const { sum, samples } = await threads.metrics();
    expect(sum('roomwire_connections_open')).to.equal(3);
    expect(samples.filter(({ name }) => name === 'roomwire_connections_open')).to.have.length(1);
    expect((sum('roomwire_deliveries_total') ?? 0) - before).to.equal(20);
    expect(sum('roomwire_gateway_threads')).to.equal(2);
    // The main thread is one, too.
    expect(sum('roomwire_gateways')).to.equal(3);
  });

  it('goes on where a thread dies: others keep their connections, its clients come back, and it counts on', async () => {
    const { topic, listener, sender } = await twoOf();
    const got = new Set<unknown>();
    const [one, other] = [await open(listener, true), await open(listener, true)];
    for (const client of [one, other]) await client.subscribe(topic, () => void got.add(client));
    const opened = (await threads.metrics()).sum('roomwire_connections_opened_total') ?? 0;
    const restarts = (await threads.metrics()).sum('roomwire_gateway_thread_restarts_total') ?? 0;
    const states: string[] = [];
    for (const client of [one, other]) client.on('state', ({ name }) => void states.push(name));
    await threads.kill(0);
    expect(await threads.readiness()).to.equal(200);
    await eventually(async () => (await threads.metrics()).sum('roomwire_gateway_threads') === 2, {
      ...{ what: 'the thread', withinMs: 15_000 },
    });
    await Promise.all([one.ready(), other.ready()]);
    await eventually(() => states.length > 0, { withinMs: 15_000, what: 'a connection that was lost' });
    const writer = await open(sender);
    // A client that is back may not have subscribed again yet.
    const reachesBoth = async (): Promise<boolean> => {
      await writer.publish(topic, 'after');
      return got.size === 2;
    };
    await eventually(reachesBoth, { withinMs: 15_000, what: 'messages at both clients' });
    const { sum } = await threads.metrics();
    expect(sum('roomwire_gateway_thread_restarts_total')).to.equal(restarts + 1);
    expect(sum('roomwire_connections_opened_total')).to.be.at.least(opened + 2);
    // Of the other thread nobody has noticed anything.
    expect(states.filter((name) => name === 'waiting')).to.have.length(1);
  });

  it('is not ready while no thread runs', async () => {
    await Promise.all([threads.kill(0), threads.kill(1)]);
    expect(await threads.readiness()).to.equal(503);
    await eventually(async () => (await threads.readiness()) === 200, {
      withinMs: 15_000,
      what: 'readiness',
    });
    const { topic, listener } = await twoOf();
    await (await join(listener)).subscribe(topic);
  });

  it('[WS-JOB-4] [WS-JOB-5] loses no job of a worker whose thread dies', async () => {
    const { topic, listener } = await twoOf();
    const jobs = { prefetch: 1_000, ackSeconds: 3_600, maxDeliveries: 100 };
    const workers = [
      await JobWorker.join(url, listener, topic, jobs),
      await JobWorker.join(url, listener, topic, jobs),
    ];
    // By the main thread, which does not die.
    const publish = (numbers: readonly number[]): Promise<unknown> =>
      Promise.all(numbers.map((n) => threads.service.project.post('/publish', { topic, data: n })));
    await publish(upTo(40));
    const gotBy = (some: readonly JobWorker[]): Set<unknown> => new Set(some.flatMap(({ got }) => got));
    await eventually(() => gotBy(workers).size === 40, { what: 'jobs at the workers', withinMs: 30_000 });
    await Promise.all([threads.kill(0), publish(upTo(80).slice(40))]);
    workers.push(await JobWorker.join(url, listener, topic, jobs));
    const living = (): JobWorker[] => workers.filter(({ isConnected }) => isConnected);
    await eventually(() => living().length === 2, { what: 'the death of a worker', withinMs: 15_000 });
    // None was acknowledged before, and the group learns that a gateway is dead from its silence.
    for (const worker of living()) worker.acknowledgeAll();
    await eventually(() => gotBy(living()).size === 80, { what: 'all jobs', withinMs: 60_000 });
    for (const worker of workers) worker.end();
  });
});
