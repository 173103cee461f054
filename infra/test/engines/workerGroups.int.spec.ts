import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { connect, type Client } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import type { ApiClient } from '../support/apiClient.js';
import { patient } from '../support/patientClient.js';
import { enginesOfTheRun, startCluster, type Cluster, type Member } from '../support/cluster.js';

const environment = { ROOMWIRE_PUBLISH_RATE: '0' };
const recording = { ...environment, ROOMWIRE_MESSAGE_RECORDING: 'true' };
const options = { loadBalance: true, loadBalanceGroup: 'workers' } as const;

describe('worker groups over many processes on engines', function () {
  this.timeout(180_000);
  let engines: Awaited<ReturnType<typeof enginesOfTheRun>>;
  let cluster: Cluster;
  let project: ApiClient;
  let mongodb: MongoClient;
  let projectId: string;
  let appId: string;
  let slug: string;
  let rooms = 0;
  const clients: Client[] = [];

  before(async () => {
    engines = await enginesOfTheRun();
    cluster = await startCluster(engines);
    const [api] = await Promise.all([cluster.add('command-api'), cluster.add('projections')]);
    project = patient((await cluster.newProject({}, api)).clients[0] as ApiClient);
    const topicConfigs = { jobs: { logging: { enabled: true, retention: '1d' } } };
    const app = { name: 'app', topics: ['jobs'], topicConfigs };
    ({ projectId, appId, slug } = (await project.post('/apps', app)).body);
    mongodb = await new MongoClient(cluster.mongodbUrl).connect();
  });
  after(async () => {
    await mongodb.close();
    await cluster.close();
    await engines.close();
  });
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

  /** What the group has acknowledged, by its checkpoint; 0 while there is none. */
  const acknowledgedUntilMs = async (topic: string): Promise<number> => {
    const address = topic.replace(/(?=\/)/, '/_');
    const _id: unknown = JSON.stringify([`${projectId}/${address}`, options.loadBalanceGroup]);
    const found = await mongodb
      .db()
      .collection<{ readonly group: string }>('workerGroups')
      .findOne({ _id: _id as never });
    return found === null ? 0 : (JSON.parse(found.group) as { readonly sinceMs: number }).sinceMs;
  };

  const newTopic = async (): Promise<string> => {
    const { body } = await project.post(`/apps/${appId}/rooms`, { name: `hall-${++rooms}` });
    return `${slug}/${body.slug}/jobs`;
  };

  const join = async ({ socketUrl }: Member, actorType = 'user'): Promise<Client> => {
    const { body } = await project.post('/actors', { name: 'x', actorType });
    const client = connect({ url: socketUrl, token: body.accessToken, reconnect: false });
    client.on('error', () => undefined);
    clients.push(client);
    await client.ready();
    return client;
  };

  const work = async (
    member: Member,
    topic: string,
    actorType?: string,
  ): Promise<{ client: Client; got: number[] }> => {
    const client = await join(member, actorType);
    const got: number[] = [];
    await client.subscribe(topic, ({ data }) => void got.push(data as number), options);
    return { client, got };
  };

  /** A hundred under way at a time. */
  const publish = async (writer: Client, topic: string, from: number, to: number): Promise<void> => {
    for (let at = from; at < to; at += 100) {
      const numbers = Array.from({ length: Math.min(100, to - at) }, (_, n) => at + n);
      await Promise.all(numbers.map((n) => writer.publish(topic, n)));
    }
  };
  const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
  const sorted = (workers: readonly { got: number[] }[]): number[] =>
    workers.flatMap(({ got }) => got).sort((one, other) => one - other);

  it('[WS-GROUP-2] assign each of 2,000 messages to exactly one of three members on two gateways', async () => {
    const gateways = [
      await cluster.add('gateway', environment),
      await cluster.add('gateway', environment),
    ] as const;
    const topic = await newTopic();
    const workers = [
      await work(gateways[0], topic),
      await work(gateways[1], topic),
      await work(gateways[1], topic),
    ];
    const writers = [await join(gateways[0]), await join(gateways[1])] as const;
    await Promise.all([publish(writers[0], topic, 0, 1_000), publish(writers[1], topic, 1_000, 2_000)]);
    await eventually(() => sorted(workers).length >= 2_000, { withinMs: 20_000 });
    await publish(writers[0], topic, 2_000, 2_001);
    await eventually(() => sorted(workers).includes(2_000));
    expect(sorted(workers)).to.eql(upTo(2_001));
    for (const { got } of workers) expect(got.length).to.be.above(500);
    await Promise.all(clients.splice(0).map((client) => client.close()));
    for (const gateway of gateways) await cluster.stop(gateway);
  });

  it('[WS-GROUP-4] lose nothing when the gateway of a member is killed under load', async () => {
    const gateways = [
      await cluster.add('gateway', recording),
      await cluster.add('gateway', recording),
    ] as const;
    const topic = await newTopic();
    // The one that is killed has been there for longest, and says who gets what.
    const doomed = await work(gateways[1], topic);
    const workers = [await work(gateways[0], topic), await work(gateways[0], topic)];
    const writer = await join(gateways[0]);
    const publishing = publish(writer, topic, 0, 2_000);
    await eventually(() => doomed.got.length > 150, { withinMs: 20_000 });
    await cluster.stop(gateways[1], 'SIGKILL');
    const killedAt = performance.now();
    await publishing;
    const missing = () => upTo(2_000).filter((n) => !got().has(n));
    const got = () => new Set([...sorted(workers), ...doomed.got]);
    await eventually(() => missing().length === 0, { withinMs: 30_000 }).catch(() => undefined);
    expect(missing()).to.eql([]);
    expect(performance.now() - killedAt).to.be.below(25_000);
    await publish(writer, topic, 2_000, 2_100);
    await eventually(() =>
      upTo(2_100)
        .slice(2_000)
        .every((n) => sorted(workers).includes(n)),
    );
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await cluster.stop(gateways[0]);
  });

  it('[WS-GROUP-9] sleep when all of their gateways are killed, and wake on another one', async () => {
    const [doomed, staying] = [
      await cluster.add('gateway', recording),
      await cluster.add('gateway', recording),
    ];
    const topic = await newTopic();
    const agents = [await work(doomed, topic, 'agent'), await work(doomed, topic, 'agent')];
    const writer = await join(staying);
    await publish(writer, topic, 0, 50);
    await eventually(() => sorted(agents).length === 50);
    // Done for good is what no copy may come of any more: what is older than a minute, or than 2,000 others.
    const doneAt = Date.now();
    await eventually(
      async () => {
        await Promise.all(Array.from({ length: 100 }, () => writer.publish(topic, 50)));
        return (await acknowledgedUntilMs(topic)) > doneAt;
      },
      { withinMs: 90_000, what: 'the group to have done the first messages' },
    );
    await cluster.stop(doomed, 'SIGKILL');
    await publish(writer, topic, 51, 151);
    const woken = await work(staying, topic, 'agent');
    await eventually(() => woken.got.includes(150), { withinMs: 30_000 });
    expect(woken.got.filter((n) => n > 50)).to.eql(upTo(151).slice(51));
    expect(woken.got.filter((n) => n < 50)).to.eql([]);
    await publish(writer, topic, 151, 152);
    await eventually(() => woken.got.at(-1) === 151);
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await cluster.stop(staying);
  });
});
