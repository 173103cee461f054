import { expect } from 'chai';
import { connect, type Client } from '@roomwire/sdk';
import { CuttableWay } from '@roomwire/testing/engines/cuttableWay';
import { eventually } from '@roomwire/testing/run/eventually';
import { seededChance } from '@roomwire/testing/run/seededChance';
import { actorOf, appWithRoom } from '../../support/hookedApp.js';
import { runRoomwire } from '../../support/program.js';
import { errorOf, openClient } from '../../support/sdkClients.js';
import { startTestService, type TestProject, type TestService } from '../../support/testService.js';

const seed = Number(process.env['ROOMWIRE_TEST_SEED'] ?? 20_260_131);

describe(`publishing once (seed ${seed})`, function () {
  this.timeout(60_000);
  const chance = seededChance(seed);
  const clients: Client[] = [];
  let service: TestService;
  let project: TestProject;
  let topic: string;
  let received: unknown[];

  before(async () => void (service = await startTestService()));
  after(() => service.close());
  beforeEach(async () => {
    project = await service.newProject();
    ({ topic } = await appWithRoom(project.client, {}));
    received = [];
    const reader = await openClient(service.socketUrl, await newToken());
    clients.push(reader);
    await reader.subscribe(topic, ({ data }) => void received.push(data));
  });
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

  const newToken = async (): Promise<string> => (await actorOf(project.client)).accessToken;

  it('[WS-ONCE-1] [WS-ONCE-3] tells the client of duplicates and of conflicts', async () => {
    const client = await openClient(service.socketUrl, await newToken());
    clients.push(client);
    const id = 'order-7';
    expect(await client.publish(topic, 1, { id })).to.deep.equal({ id, duplicate: false });
    expect(await client.publish(topic, 1, { id })).to.deep.equal({ id, duplicate: true });
    expect(await errorOf(client.publish(topic, 2, { id }))).to.equal('publish_conflict');
    await client.publish(topic, 'marker');
    await eventually(() => received.includes('marker'));
    expect(received).to.deep.equal([1, 'marker']);
  });

  it('[WS-ONCE-1] delivers what a client publishes once, in its order, while its network comes and goes', async () => {
    const way = await CuttableWay.open({ to: Number(new URL(service.baseUrl).port) });
    const client = connect({
      ...{ url: `ws://127.0.0.1:${way.port}/ws`, token: await newToken() },
      reconnect: { baseMs: 20, maxMs: 200 },
      heartbeat: { intervalMs: 50, timeoutMs: 200 },
    });
    clients.push(client);
    let connections = 0;
    client.on('state', ({ name }) => void (name === 'connected' && (connections += 1)));
    const answers: Promise<unknown>[] = [];
    for (let round = 0; round < 6; round += 1) {
      await client.ready();
      const burst = Array.from({ length: 12 }, (_, n) => client.publish(topic, round * 12 + n));
      answers.push(...burst);
      await burst[chance.below(6)];
      // Of the others some wait on the way, and some have been accepted without anybody having heard of it.
      way.cut();
      const more = Array.from({ length: 3 }, (_, n) => client.publish(topic, `${round}-${n}`));
      answers.push(...more);
      await eventually(() => client.state.name === 'waiting');
      way.heal();
    }
    await Promise.all(answers);
    const rounds = Array.from({ length: 6 }, (_, round) => round);
    const expected = rounds.flatMap((round) => [
      ...Array.from({ length: 12 }, (_, n) => round * 12 + n),
      ...Array.from({ length: 3 }, (_, n) => `${round}-${n}`),
    ]);
    await eventually(() => received.length >= expected.length);
    expect(received).to.deep.equal(expected);
    expect(connections).to.be.above(6);
    await way.close();
  });

  it('[HTTP-PUB-5] [HTTP-PUB-6] publishes the lines of standard input once, those with a mistake excepted', async () => {
    const environment = { ROOMWIRE_API_URL: service.baseUrl, ROOMWIRE_API_KEY: project.apiKey };
    const lines = Array.from({ length: 230 }, (_, n) => JSON.stringify({ topic, data: n }));
    lines[17] = JSON.stringify({ topic, data: 17, qos: 9 });
    lines[120] = JSON.stringify({ topic: 'no/such/topic', data: 120 });
    const expected = Array.from({ length: 230 }, (_, n) => n).filter((n) => n !== 17 && n !== 120);
    for (const before of ['', ' (228 of them before)']) {
      const program = runRoomwire(
        ['publish', '--stdin', '--id', 'run'],
        environment,
        undefined,
        lines.join('\n'),
      );
      expect((await program.ended).code).to.equal(1);
      const told = program.stderr().trim().split('\n');
      expect(told[0]).to.match(/^line 18: invalid_message: Validation failed/);
      expect(told[1]).to.match(/^line 121: unknown_topic/);
      expect(told[2]).to.equal(`228 published${before}, 2 failed`);
    }
    await project.client.post('/publish', { topic, data: 'marker' });
    await eventually(() => received.includes('marker'));
    expect(received).to.deep.equal([...expected, 'marker']);
  });
});
