import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { JobWorker } from '../support/jobWorker.js';
import type { ApiClient } from '../support/apiClient.js';
import { enginesOfTheRun, startCluster, type Cluster, type Member } from '../support/cluster.js';

const environment = { ROOMWIRE_PUBLISH_RATE: '0' };
const jobs = { prefetch: 1_000, ackSeconds: 3_600, maxDeliveries: 2 };
/** Their shards are divided among the gateways. */
const rooms = 6;
const perRoom = 40;

const numbers = (from: number, count: number): number[] => Array.from({ length: count }, (_, n) => from + n);

const trial = 'trial';

/** Without trials. */
const sorted = (values: readonly unknown[]): readonly number[] =>
  values.filter((value) => typeof value === 'number').sort((one, other) => one - other);

describe('jobs over many processes on engines', function () {
  this.timeout(180_000);
  let engines: Awaited<ReturnType<typeof enginesOfTheRun>>;
  let cluster: Cluster;
  let project: ApiClient;
  let gateways: Member[];
  let topics: string[];
  const workers: JobWorker[] = [];

  before(async () => {
    engines = await enginesOfTheRun();
    cluster = await startCluster(engines);
    const [api] = await Promise.all([cluster.add('command-api'), cluster.add('projections')]);
    [project] = (await cluster.newProject({}, api)).clients as [ApiClient];
    gateways = [await cluster.add('gateway', environment), await cluster.add('gateway', environment)];
    const { appId, slug } = (await project.post('/apps', { name: 'app', topics: ['jobs'] })).body;
    const names = numbers(0, rooms).map((n) => `hall-${n}`);
    for (const name of names) await project.post(`/apps/${appId}/rooms`, { name });
    topics = names.map((name) => `${slug}/${name}/jobs`);
  });
  after(async () => {
    for (const worker of workers) worker.end();
    await cluster.close();
    await engines.close();
  });

  const join = async ({ socketUrl }: Member, topic: string): Promise<JobWorker> => {
    const { accessToken } = (await project.post('/actors', { name: 'x', actorType: 'user' })).body;
    const worker = await JobWorker.join(socketUrl, accessToken, topic, jobs);
    workers.push(worker);
    return worker;
  };

  /** `subscribed` is answered a moment before the owner of the group hears that its client may have jobs. */
  const allTakePart = (members: readonly JobWorker[]): Promise<void> =>
    eventually(
      async () => {
        if (members.every(({ got }) => got.length > 0)) return true;
        await project.post('/publish', { messages: topics.map((topic) => ({ topic, data: trial })) });
        return false;
      },
      { what: 'a job for each member', withinMs: 60_000 },
    );

  const publish = async (from: number): Promise<void> => {
    for (const topic of topics) {
      const messages = numbers(from, perRoom).map((data) => ({ topic, data }));
      const { body } = await project.post('/publish', { messages });
      for (const result of body.results) expect(result).to.have.property('id');
    }
  };

  it('[WS-JOB-4] [WS-JOB-5] hands out again what members on a killed gateway had, and keeps what others have', async () => {
    const [doomed, other] = gateways as [Member, Member];
    const lost = await Promise.all(topics.map((topic) => join(doomed, topic)));
    const kept = await Promise.all(topics.map((topic) => join(other, topic)));
    await allTakePart([...lost, ...kept]);
    await publish(0);
    const inRoom = (n: number) => sorted([lost[n], kept[n]].flatMap((worker) => worker?.got ?? []));
    const isComplete = (n: number) => inRoom(n).length >= perRoom;
    await eventually(async () => topics.every((_, n) => isComplete(n)), {
      what: 'all jobs',
      withinMs: 60_000,
    });
    for (const n of topics.keys()) expect(inRoom(n), `jobs of room ${n}`).to.eql(numbers(0, perRoom));
    for (const { got } of [...lost, ...kept]) expect(sorted(got)).to.not.be.empty;
    await cluster.stop(doomed, 'SIGKILL');
    await publish(perRoom);
    const all = numbers(0, 2 * perRoom);
    const isThere = ({ got }: JobWorker) => all.every((n) => got.includes(n));
    await eventually(async () => kept.every(isThere), { what: 'the jobs of the others', withinMs: 60_000 });
    // Once each: what a member has stays with it when its group has another owner.
    for (const { got } of kept) expect(sorted(got)).to.eql(all);
    for (const worker of kept) worker.acknowledgeAll();
    const { appId } = ((await project.get('/apps')).body.data as { appId: string }[])[0] ?? {};
    for (const { roomId } of (await project.get(`/apps/${appId}/rooms`)).body as { roomId: string }[]) {
      const depths = async (): Promise<number[]> => {
        const { data } = (await project.get(`/apps/${appId}/rooms/${roomId}/groups`)).body;
        return (data as { depth: number }[]).map(({ depth }) => depth);
      };
      await eventually(async () => (await depths()).join() === '0', { withinMs: 30_000 });
    }
  });
});
