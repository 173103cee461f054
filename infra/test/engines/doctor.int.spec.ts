import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { viewsVersion } from '@roomwire/shared/wire/views/views';
import { foreignKafka, topicResource, withForeignAdmin } from '@roomwire/testing/engines/foreignKafka';
import { eventually } from '@roomwire/testing/run/eventually';
import type { Finding } from '../../src/engines/finding.js';
import { enginesOfTheRun, startCluster, type Cluster, type Member } from '../support/cluster.js';
import { runRoomwire } from '../support/program.js';

describe('roomwire doctor, on engines', function () {
  this.timeout(180_000);
  let engines: Awaited<ReturnType<typeof enginesOfTheRun>>;
  let cluster: Cluster;
  let api: Member;
  let projections: Member;

  before(async () => {
    engines = await enginesOfTheRun();
    cluster = await startCluster(engines);
    api = await cluster.add('command-api');
    projections = await cluster.add('projections');
    await cluster.newProject({}, api);
  });
  after(async () => {
    await cluster.close();
    await engines.close();
  });

  const doctor = async (environment: Readonly<Record<string, string>> = {}): Promise<Finding[]> => {
    const program = runRoomwire(['doctor', '--json'], { ...cluster.environment, ...environment });
    await program.ended;
    return (JSON.parse(program.stdout()) as { findings: Finding[] }).findings;
  };
  /** The engines of the run are one of each. */
  const expected = ['stands alone', 'one broker has all there is'];
  const faults = async (): Promise<string[]> =>
    (await doctor())
      .filter(({ check, status }) => status !== 'ok' && !['disk', 'files', 'queues'].includes(check))
      .map(({ check, status, message }) => `${status} ${check}: ${message}`)
      .filter((line) => !expected.some((each) => line.endsWith(each)));
  const withAdmin = (use: Parameters<typeof withForeignAdmin>[1]): Promise<unknown> =>
    withForeignAdmin([engines.kafkaBrokers], use);

  it('reports healthy engines, and their versions', async () => {
    await eventually(async () => (await faults()).length === 0, { withinMs: 20_000 });
    const findings = await doctor();
    const messages = findings.map(({ check, message }) => `${check}: ${message}`);
    expect(messages).to.include.members([
      ...['EventStoreDB: within reach, version 24.10.0', 'indexes: all there'],
      ...['Kafka: within reach, 1 broker', 'read models: up to the end of the event log'],
      'audit index: up to the end of the event log',
    ]);
    expect(messages.filter((message) => /^MongoDB: within reach, version \d/.test(message))).to.have.length(
      1,
    );
  });

  it('reports a missing index, and does not create it', async () => {
    const client = await new MongoClient(cluster.mongodbUrl).connect();
    const rooms = client.db().collection(`v${viewsVersion}_rooms`);
    const index = (await rooms.indexes()).find(({ key }) => 'appId' in key && 'slug' in key);
    await rooms.dropIndex(index?.name ?? '');
    const missing = `error indexes: missing: v${viewsVersion}_rooms (appId, slug)`;
    expect([await faults(), await faults()]).to.eql([[missing], [missing]]);
    await rooms.createIndex(index?.key as any);
    await client.close();
    expect(await faults()).to.eql([]);
  });

  it('reports a topic whose settings differ from the declared ones, and a missing topic', async () => {
    const alter = (value: string) =>
      withAdmin((admin) =>
        admin.alterConfigs({
          validateOnly: false,
          resources: [
            {
              type: topicResource,
              name: 'presence',
              configEntries: [
                { name: 'retention.ms', value },
                { name: 'max.message.bytes', value: String(2 * 1024 * 1024) },
              ],
            },
          ],
        }),
      );
    await alter('7200000');
    await eventually(async () => (await faults()).length > 0, { withinMs: 20_000 });
    expect(await faults()).to.eql([
      'warning topics: presence is kept for 7200000 ms (delete), declared are 3600000 ms (delete)',
    ]);
    await alter('3600000');
    await eventually(async () => (await faults()).length === 0, { withinMs: 20_000 });
  });

  it('reports work that no worker does', async () => {
    const waiting = async (): Promise<number> => {
      const finding = (await doctor()).find(({ message }) =>
        message.endsWith(' jobs wait in webhook-retry-2s'),
      );
      return Number(finding?.message.split(' ')[0]);
    };
    const before = await waiting();
    const producer = foreignKafka([engines.kafkaBrokers]).producer();
    await producer.connect();
    await producer.send({
      topic: 'webhook-retry-2s',
      messages: Array.from({ length: 1_200 }, (_, n) => ({ key: String(n), value: 'of nobody' })),
    });
    await producer.disconnect();
    expect((await waiting()) - before).to.equal(1_200);
    const finding = (await doctor()).find(({ message }) => message.endsWith('webhook-retry-2s'));
    expect(finding?.status).to.equal('warning');
    // As the group that did the work would; no other test may meet these jobs.
    await withAdmin(async (admin) => {
      const ends = await admin.fetchTopicOffsets('webhook-retry-2s');
      const partitions = ends.map(({ partition, high }) => ({ partition, offset: high }));
      const groupId = 'roomwire.webhook-retry-2s';
      // A member of the group that was killed in a file before is one until its session ends.
      await eventually(
        async () => {
          const { groups } = await admin.describeGroups([groupId]);
          return groups.every(({ state }) => state !== 'Stable' && state !== 'PreparingRebalance');
        },
        { withinMs: 45_000 },
      );
      await admin.setOffsets({ groupId, topic: 'webhook-retry-2s', partitions });
    });
    expect(await waiting()).to.equal(0);
  });

  it('reports read models that no process updates', async () => {
    await cluster.stop(projections);
    const created = await cluster.operator(api).post('/organizations', { name: 'Late' });
    expect(created.status).to.equal(201);
    // By a clock that a minute and more has passed on: the doctor's own.
    await eventually(async () => (await faults()).some((line) => line.startsWith('warning read models')), {
      withinMs: 30_000,
    });
    const lag = (await doctor()).find(({ check }) => check === 'read models');
    expect(lag?.message).to.match(/^behind the event log for \d+ s$/);
    projections = await cluster.add('projections');
    await eventually(async () => (await faults()).length === 0, { withinMs: 30_000 });
  });
});
