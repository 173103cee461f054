import { expect } from 'chai';
import { connect, type Client } from '@roomwire/sdk';
import { openKafkaMessageBus } from '@roomwire/shared/adapters/message-bus/kafka/kafkaMessageBus';
import { busTopics } from '@roomwire/shared/wire/bus/busTopics';
import { liveMessages, type LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import { testBrokers } from '@roomwire/testing/run/testProfile';
import { eventually } from '@roomwire/testing/run/eventually';
import { startTestService, type TestService } from '../support/testService.js';

/** Stands for whatever may store a record a second time: a producer of another version, a mirrored topic, an operator. */
describe('a duplicate record in Kafka', () => {
  let service: TestService;
  let bus: MessageBus;
  const clients: Client[] = [];

  before(async () => {
    service = await startTestService();
    const brokers = testBrokers();
    bus = await openKafkaMessageBus({ brokers, clientId: 'roomwire', topics: busTopics });
  });
  after(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await bus.close();
    await service.close();
  });

  const open = async (): Promise<Client> => {
    const { accessToken } = (await service.project.post('/actors', { name: 'x', actorType: 'user' })).body;
    const client = connect({ url: service.socketUrl, token: accessToken, reconnect: false });
    clients.push(client);
    await client.ready();
    return client;
  };

  it('[WS-PUB-10] [WS-ONCE-4] is delivered with QoS 1, and dropped with QoS 2 or an id of its publisher', async () => {
    const app = (await service.project.post('/apps', { name: 'place', topics: ['news'] })).body;
    await service.project.post(`/apps/${app.appId}/rooms`, { name: 'hall' });
    const topic = `${app.slug}/hall/news`;
    const [reader, writer] = [await open(), await open()];
    const got: unknown[] = [];
    await reader.subscribe(topic, ({ data }) => void got.push(data));
    const stored: LiveMessage[] = [];
    await bus.read(liveMessages, { interest: 'all' }, (message) => {
      if (message.projectId === app.projectId) stored.push(message);
    });

    await writer.publish(topic, 'once', { qos: 1, id: false });
    await writer.publish(topic, 'twice', { qos: 2, id: false });
    await writer.publish(topic, 'with an id', { qos: 1, id: 'order-7' });
    await eventually(() => stored.length === 3);
    for (const message of [...stored]) await bus.send(liveMessages, message, 'stored');
    await writer.publish(topic, 'marker');
    await eventually(() => got.includes('marker'));
    expect(got).to.deep.equal(['once', 'twice', 'with an id', 'once', 'marker']);
  });
});
