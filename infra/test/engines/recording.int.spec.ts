import { expect } from 'chai';
import { openKafkaMessageBus } from '@roomwire/shared/adapters/message-bus/kafka/kafkaMessageBus';
import { createKafkaMessageStore } from '@roomwire/shared/adapters/message-store/kafkaMessageStore';
import { recordTopics } from '@roomwire/shared/wire/bus/busTopics';
import { eventually } from '@roomwire/testing/run/eventually';
import { enginesOfTheRun, startCluster, type Cluster } from '../support/cluster.js';
import { openClient, type PublishedLedger, publishUntilEnded, recordedTexts } from '../support/sdkClients.js';

const settings = { ROOMWIRE_MESSAGE_RECORDING: 'true', ROOMWIRE_PUBLISH_RATE: '0' };

describe('recorded messages in Kafka', function () {
  this.timeout(180_000);
  let engines: Awaited<ReturnType<typeof enginesOfTheRun>>;
  let cluster: Cluster;

  before(async () => {
    engines = await enginesOfTheRun();
    cluster = await startCluster(engines);
  });
  after(async () => {
    await cluster.close();
    await engines.close();
  });

  it('[WS-RECORD-3] include every message answered with published by two gateways, of which one is killed', async () => {
    const [api] = await Promise.all([cluster.add('command-api'), cluster.add('projections')]);
    const gateways = await Promise.all([cluster.add('gateway', settings), cluster.add('gateway', settings)]);
    const { projectId, clients } = await cluster.newProject({}, api);
    const [project] = clients;
    const topicConfigs = { chat: { logging: { enabled: true } } };
    const app = (await project?.post('/apps', { name: 'place', topics: ['chat'], topicConfigs }))?.body;
    await project?.post(`/apps/${app.appId}/rooms`, { name: 'lobby' });
    const tokens: string[] = [];
    for (let n = 0; n < 6; n += 1)
      tokens.push((await project?.post('/actors', { name: 'x', actorType: 'user' }))?.body.accessToken);

    const ledger: PublishedLedger = new Set();
    const open = (token: string, n: number) => openClient(gateways[n % 2]?.socketUrl ?? '', token);
    const sockets = await Promise.all(tokens.map(open));
    const topic = `${app.slug}/lobby/chat`;
    const writers = sockets.map((socket, n) => publishUntilEnded(socket, topic, String(n), ledger));
    await eventually(() => ledger.size >= 500, { withinMs: 60_000 });
    await cluster.stop(gateways[0], 'SIGKILL');
    const atDeath = ledger.size;
    await eventually(() => ledger.size >= atDeath + 200, { withinMs: 60_000 });
    await cluster.stop(gateways[1]);
    await Promise.all(writers);
    await Promise.all(sockets.map((socket) => socket.close()));

    const brokers = engines.kafkaBrokers.split(',');
    const bus = await openKafkaMessageBus({ brokers, clientId: 'test', topics: recordTopics });
    const texts = await recordedTexts(createKafkaMessageStore(bus), `${projectId}/${app.slug}/_/lobby/chat`);
    await bus.close();
    expect(new Set(texts).size).to.equal(texts.length);
    expect(texts).to.include.members([...ledger]);
    for (const [n] of tokens.entries()) {
      const numbers = texts.filter((text) => text.startsWith(`${n}-`)).map((text) => Number(text.slice(2)));
      expect(numbers).to.eql([...numbers].sort((a, b) => a - b));
    }
  });
});
