import { expect } from 'chai';
import { connect, type Client, type Gap, type Message } from '@roomwire/sdk';
import { CuttableWay } from '@roomwire/testing/engines/cuttableWay';
import { eventually } from '@roomwire/testing/run/eventually';
import { seededChance } from '@roomwire/testing/run/seededChance';
import { actorOf, appWithRoom } from '../../support/hookedApp.js';
import { patient } from '../../support/patientClient.js';
import { errorOf, openClient } from '../../support/sdkClients.js';
import { startTestService, type TestProject, type TestService } from '../../support/testService.js';

const seed = Number(process.env['ROOMWIRE_TEST_SEED'] ?? 20_260_131);

describe(`a client that resumes (seed ${seed})`, function () {
  this.timeout(60_000);
  const chance = seededChance(seed);
  const clients: Client[] = [];
  let service: TestService;
  let project: TestProject;
  let appId: string;
  let topic: string;
  let publisher: Client;

  before(async () => void (service = await startTestService()));
  after(() => service.close());
  beforeEach(async () => {
    project = await service.newProject();
    ({ appId, topic } = await appWithRoom(project.client, { topicConfigs: { chat: { history: {} } } }));
    publisher = await opened();
  });
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

  const newToken = async (): Promise<string> => (await actorOf(project.client)).accessToken;

  const opened = async (): Promise<Client> => {
    const client = await openClient(service.socketUrl, await newToken());
    clients.push(client);
    return client;
  };

  const all = async (messages: AsyncIterable<Message>): Promise<unknown[]> => {
    const data: unknown[] = [];
    for await (const message of messages) data.push(message.data);
    return data;
  };

  const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

  it('[WS-HIST-5] [WS-HIST-7] gets every message once and in order while its network comes and goes', async () => {
    const way = await CuttableWay.open({ to: Number(new URL(service.baseUrl).port) });
    const client = connect({
      ...{ url: `ws://127.0.0.1:${way.port}/ws`, token: await newToken() },
      reconnect: { baseMs: 20, maxMs: 200 },
      heartbeat: { intervalMs: 50, timeoutMs: 200 },
    });
    clients.push(client);
    const received: unknown[] = [];
    const gaps: Gap[] = [];
    await client.subscribe(topic, ({ data }) => void received.push(data), {
      resume: true,
      onGap: (gap) => void gaps.push(gap),
    });
    let count = 0;
    const publish = async (most: number): Promise<void> => {
      const burst = 1 + chance.below(most);
      const answers = Array.from({ length: burst }, () => publisher.publish(topic, count++));
      await Promise.all(answers);
    };
    for (let round = 0; round < 6; round += 1) {
      const publishing = publish(12);
      const enough = received.length + chance.below(5);
      await eventually(() => received.length >= Math.min(enough, count));
      way.cut();
      await publishing;
      await publish(3);
      await eventually(() => client.state.name !== 'connected');
      way.heal();
      await client.ready();
    }
    await publisher.publish(topic, count++);
    await eventually(() => received.includes(count - 1));
    expect(received).to.deep.equal(upTo(count));
    expect(gaps).to.deep.equal([]);
    await way.close();
  });

  it('[WS-HIST-4] goes on in another process where the first one was', async () => {
    const first = await opened();
    const received: unknown[] = [];
    const handler = ({ data }: Message): void => void received.push(data);
    for (const n of upTo(3)) await publisher.publish(topic, n);
    const subscription = await first.subscribe(topic, handler, { rewind: 2, resume: true });
    await eventually(() => received.length === 2);
    const { position = '' } = subscription;
    await first.close();
    await publisher.publish(topic, 3);
    await (await opened()).subscribe(topic, handler, { resume: { position } });
    await publisher.publish(topic, 4);
    await eventually(() => received.length >= 4);
    expect(received).to.deep.equal([1, 2, 3, 4]);
  });

  it('[WS-HIST-13] says that messages are missing where they were deleted', async () => {
    await publisher.publish(topic, 0);
    const client = await opened();
    const { position = '' } = await client.subscribe(topic, () => undefined, { resume: true });
    await publisher.publish(topic, 1);
    const { body: rooms } = await project.client.get(`/apps/${appId}/rooms`);
    const path = `/apps/${appId}/rooms/${rooms[0].roomId}/topics/chat/messages`;
    expect((await patient(project.client).delete(path)).status).to.equal(204);
    const gaps: Gap[] = [];
    const onGap = (gap: Gap): void => void gaps.push(gap);
    const later = await opened();
    await later.subscribe(topic, () => undefined, { resume: { position }, onGap });
    expect(gaps).to.deep.equal([{ topic, reason: 'expired', after: position, before: undefined }]);
  });

  it('[WS-HIST-12] reads the history in both directions, page by page', async () => {
    for (const n of upTo(7)) await publisher.publish(topic, n);
    expect(await all(publisher.history(topic))).to.deep.equal(upTo(7).reverse());
    expect(await all(publisher.history(topic, { after: '' }))).to.deep.equal(upTo(7));
    expect(await all(publisher.history(topic, { limit: 2 }))).to.deep.equal([6, 5]);
    const { value: newest } = await publisher.history(topic, { limit: 1 }).next();
    const before = newest?.meta?.position ?? '';
    expect(await all(publisher.history(topic, { before, limit: 3 }))).to.deep.equal([5, 4, 3]);
  });

  it('[WS-HIST-11] is refused on a topic without history', async () => {
    const { topic: plain } = await appWithRoom(project.client, {});
    const client = await opened();
    expect(await errorOf(client.subscribe(plain, () => undefined, { resume: true }))).to.equal(
      'history_disabled',
    );
    expect(await errorOf(all(client.history(plain)))).to.equal('history_disabled');
    await client.subscribe(plain, () => undefined);
  });
});
