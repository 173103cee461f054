import { expect } from 'chai';
import { connect, type Client, type Message } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import { startTestService, type TestService } from '../../support/testService.js';

describe('messages of recorded topics', () => {
  let service: TestService;
  let appPath: string;
  let topic: string;
  const clients: Client[] = [];
  const errors: unknown[] = [];

  before(async () => {
    service = await startTestService({ messageRecording: true });
    const { project } = service;
    const topicConfigs = { chat: { logging: { enabled: true, retention: '1d' } } };
    const app = (await project.post('/apps', { name: 'place', topics: ['chat'], topicConfigs })).body;
    appPath = `/apps/${app.appId}`;
    await project.post(`${appPath}/rooms`, { name: 'lobby' });
    topic = `${app.slug}/lobby/chat`;
  });
  after(() => service.close());
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

  const open = async (): Promise<Client> => {
    const token = (await service.project.post('/actors', { name: 'x', actorType: 'user' })).body.accessToken;
    const client = connect({ url: service.socketUrl, token, reconnect: false });
    client.on('error', (error) => errors.push(error));
    clients.push(client);
    await client.ready();
    return client;
  };
  const listen = async (client: Client): Promise<Message[]> => {
    const got: Message[] = [];
    await client.subscribe(topic, (message) => void got.push(message));
    return got;
  };

  it('[WS-RECORD-1] [WS-ACK-1] have ids, the same for all subscribers, in order, and are acknowledged by the client', async () => {
    const [writer, one, other] = [await open(), await open(), await open()];
    const [ofOne, ofOther] = [await listen(one), await listen(other)];
    for (let n = 1; n <= 50; n += 1)
      await writer.publish(topic, n, { qos: (n % 3) as 0 | 1 | 2, filter: 'f' });
    await eventually(() => ofOne.length === 50 && ofOther.length === 50);
    expect(ofOne.map(({ data }) => data)).to.eql(Array.from({ length: 50 }, (_, n) => n + 1));
    const ids = ofOne.map(({ msgId }) => msgId);
    expect(new Set(ids.filter((id) => typeof id === 'string')).size).to.equal(50);
    expect(ofOther.map(({ msgId }) => msgId)).to.eql(ids);
    // Frames that the client sent earlier are handled before this one.
    await one.publish(topic, 'after the acknowledgements');
    expect(errors).to.eql([]);
  });

  it('[WS-RECORD-1] keep their id as a retained value', async () => {
    const writer = await open();
    const live = await listen(await open());
    await writer.publish(topic, 'last', { retain: true });
    await eventually(() => live.length === 1);
    const late = await listen(await open());
    await eventually(() => late.length === 1);
    expect(late[0]?.msgId).to.be.a('string').that.equals(live[0]?.msgId);
  });

  it('[WS-RECORD-2] are delivered without a gap when the logging of their topic changes under traffic', async () => {
    const writer = await open();
    const got = await listen(await open());
    const sent: number[] = [];
    for (const enabled of [false, true, false, true]) {
      const topicConfigs = { chat: { logging: { enabled, retention: '30d' } } };
      const changed = service.project.patch(appPath, { topicConfigs });
      for (let n = 0; n < 10; n += 1) {
        sent.push(sent.length);
        await writer.publish(topic, sent.at(-1));
      }
      expect((await changed).status).to.equal(200);
    }
    await eventually(() => got.some(({ data }) => data === sent.at(-1)));
    expect(got.map(({ data }) => data).filter((data) => data !== 'last')).to.eql(sent);
  });
});
