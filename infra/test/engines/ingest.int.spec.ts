import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Client } from '@roomwire/sdk';
import { foreignKafka, withForeignAdmin } from '@roomwire/testing/engines/foreignKafka';
import { eventually } from '@roomwire/testing/run/eventually';
import { seededChance } from '@roomwire/testing/run/seededChance';
import { testBrokers } from '@roomwire/testing/run/testProfile';
import { actorOf, appWithRoom } from '../support/hookedApp.js';
import { runRoomwire, type Program } from '../support/program.js';
import { PublishServer } from '../support/publishServer.js';
import { openClient } from '../support/sdkClients.js';
import { startTestService, type TestService } from '../support/testService.js';

const seed = Number(process.env['ROOMWIRE_TEST_SEED'] ?? 20_260_131);
const partitions = 3;
/** A member that was killed holds its partitions until the others have waited for it in a rebalance. */
const withinMs = 90_000;

describe(`roomwire ingest kafka (seed ${seed})`, function () {
  this.timeout(300_000);
  const chance = seededChance(seed);
  const brokers = testBrokers();
  const programs = new Set<Program>();
  let topic: string;
  let api: PublishServer;
  /** One for each topic: it refuses to send anything when one that it knew is gone. */
  let producer: ReturnType<ReturnType<typeof foreignKafka>['producer']>;

  beforeEach(async () => {
    api = await PublishServer.open();
    topic = `orders-${randomUUID()}`;
    producer = foreignKafka(brokers).producer();
    await producer.connect();
    await withForeignAdmin(brokers, async (admin) => {
      const topics = [{ topic, numPartitions: partitions }];
      await admin.createTopics({ topics, waitForLeaders: false });
      const led = () => admin.fetchTopicOffsets(topic).then(({ length }) => length === partitions);
      await eventually(() => led().catch(() => false), { withinMs, what: 'leaders' });
    });
  });
  afterEach(async () => {
    for (const program of programs) program.process.kill('SIGKILL');
    programs.clear();
    await api.close();
    await producer.disconnect();
    await withForeignAdmin(brokers, (admin) => admin.deleteTopics({ topics: [topic] }));
  });

  const start = async (...args: readonly string[]): Promise<Program> => {
    const environment = {
      ROOMWIRE_INGEST_KAFKA_BROKERS: brokers.join(','),
      ROOMWIRE_API_URL: api.url,
      ROOMWIRE_API_KEY: 'key',
    };
    const program = runRoomwire(
      ['ingest', 'kafka', '--topic', topic, '--to', 'shop/desk/orders', ...args],
      environment,
    );
    programs.add(program);
    await program.printed(/^Publishing /m);
    return program;
  };
  const end = async (program: Program, signal: NodeJS.Signals): Promise<number | null> => {
    program.process.kill(signal);
    programs.delete(program);
    return (await program.ended).code;
  };
  const produce = async (values: readonly string[]): Promise<void> => {
    const messages = values.map((value, index) => ({ value, partition: index % partitions }));
    await producer.send({ topic, messages });
  };
  const committed = (group: string) =>
    withForeignAdmin(brokers, async (admin) => {
      const [offsets] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
      return offsets?.partitions.map(({ offset }) => Number(offset)) ?? [];
    });
  const idsOf = (count: number): string[] =>
    Array.from(
      { length: count },
      (_, index) => `${topic}:${index % partitions}:${Math.floor(index / partitions)}`,
    );

  it('publishes each record once, in the order of its partition, however often it is killed', async () => {
    const count = 3_000;
    await produce(Array.from({ length: count }, (_, index) => String(index)));
    let program = await start('--group', topic, '--from-beginning');
    for (let kill = 0; kill < 3; kill += 1) {
      const killed = api.requests + 2 + chance.below(4);
      // Its messages are accepted, and nobody hears of it.
      const isDead = new Promise<void>((resolve) => {
        api.beforeAccepting = async (request) => {
          if (request !== killed) return;
          await end(program, 'SIGKILL');
          resolve();
        };
      });
      await isDead;
      program = await start('--group', topic, '--from-beginning');
    }
    await eventually(() => api.delivered.length >= count, { withinMs, what: 'every record' });
    expect(api.delivered.map(({ id }) => id).sort()).to.deep.equal(idsOf(count).sort());
    expect(api.duplicates, 'those of the batches that were not known to be accepted').to.be.above(0);
    for (let partition = 0; partition < partitions; partition += 1) {
      const offsets = api.delivered
        .map(({ id }) => id.split(':').slice(-2).map(Number))
        .filter(([of]) => of === partition)
        .map(([, offset]) => offset);
      expect(offsets).to.deep.equal(Array.from({ length: count / partitions }, (_, offset) => offset));
    }
    await eventually(
      async () => (await committed(topic)).reduce((sum, offset) => sum + offset, 0) === count,
      { withinMs },
    );
    expect(await end(program, 'SIGTERM')).to.equal(0);
    const { requests } = api;
    await start('--group', topic);
    await produce(['"marker"']);
    await eventually(() => api.delivered.length > count, { withinMs, what: 'what comes later' });
    expect(api.requests).to.equal(requests + 1);
    expect(api.delivered.at(-1)).to.include({ data: 'marker' });
  });

  it('begins with what comes after its first start, also when it was killed before it had anything', async () => {
    await produce(['"before"', '"before"', '"before"']);
    const first = await start('--group', topic);
    await eventually(async () => (await committed(topic)).every((offset) => offset === 1), { withinMs });
    await end(first, 'SIGKILL');
    await produce(['"meanwhile"']);
    await start('--group', topic);
    await eventually(() => api.delivered.length > 0, { withinMs });
    expect(api.delivered.map(({ data }) => data)).to.deep.equal(['meanwhile']);
  });

  it('shares the partitions among processes, and ends at a record that cannot be published', async () => {
    const both = await Promise.all([start('--group', topic), start('--group', topic)]);
    await produce(Array.from({ length: 300 }, (_, index) => String(index)));
    await eventually(() => api.delivered.length === 300, { withinMs });
    await producer.send({ topic, messages: [{ value: 'no JSON', partition: 1 }] });
    const { code } = await Promise.race(both.map(({ ended }) => ended));
    expect(code).to.equal(1);
    expect(both.map(({ stderr }) => stderr()).join('\n')).to.include(`${topic}:1:100: its value is not json`);
  });

  it('refuses a topic that is not there', async () => {
    const program = runRoomwire(
      ['ingest', 'kafka', '--topic', 'nothing-here', '--to', 'a/b/c', '--brokers', brokers.join(',')],
      { ROOMWIRE_API_KEY: 'key' },
    );
    expect((await program.ended).code).to.equal(1);
    expect(program.stderr()).to.equal('Kafka: There is no topic nothing-here\n');
  });

  describe('into a service', () => {
    let service: TestService;
    let reader: Client;

    before(async () => void (service = await startTestService()));
    after(() => service.close());
    afterEach(() => reader.close());

    it('[HTTP-PUB-5] [WS-ONCE-1] delivers each record once by its place, with the filter of its header', async () => {
      const project = await service.newProject();
      const address = await appWithRoom(project.client, {});
      reader = await openClient(service.socketUrl, (await actorOf(project.client)).accessToken);
      const got: [unknown, string | undefined][] = [];
      await reader.subscribe(address.topic, ({ meta, filter }) => void got.push([meta?.id, filter]), {
        meta: true,
      });
      const args = [
        '--topic',
        topic,
        '--to',
        address.topic,
        '--filter',
        '{header:region}',
        '--from-beginning',
      ];
      const environment = {
        ROOMWIRE_INGEST_KAFKA_BROKERS: brokers.join(','),
        ROOMWIRE_API_URL: service.baseUrl,
        ROOMWIRE_API_KEY: project.apiKey,
      };
      const run = async (): Promise<Program> => {
        const program = runRoomwire(['ingest', 'kafka', ...args], environment);
        programs.add(program);
        await program.printed(/^Publishing /m);
        return program;
      };
      const count = 1_500;
      const messages = Array.from({ length: count }, (_, index) => ({
        ...{ value: `{"n":${index}}`, partition: index % partitions, headers: { region: 'eu' } },
      }));
      await producer.send({ topic, messages });
      const first = await run();
      await eventually(() => got.length > 200, { withinMs });
      await end(first, 'SIGKILL');
      await run();
      await eventually(() => got.length >= count, { withinMs, what: 'every record' });
      await project.client.post('/publish', { topic: address.topic, data: 'marker', id: 'marker' });
      await eventually(() => got.some(([id]) => id === 'marker'));
      const places = got.filter(([id]) => id !== 'marker');
      expect(places.map(([id]) => id).sort()).to.deep.equal(idsOf(count).sort());
      expect(new Set(places.map(([, filter]) => filter))).to.deep.equal(new Set(['eu']));
    });
  });
});
