import { decode } from '@msgpack/msgpack';
import { expect } from 'chai';
import type { QueueWorker } from '@roomwire/shared/ports/messageBus';
import { jobRedrives, type LostWork } from '@roomwire/shared/wire/bus/lostWork';
import { webhookReports, type WorkReport } from '@roomwire/shared/wire/bus/webhookReports';
import { StalledClient } from '@roomwire/testing/clients/stalledClient';
import { ShiftedClock } from '../../support/shiftedClock.js';
import { isOnEngines } from '@roomwire/testing/run/testProfile';
import { eventually } from '@roomwire/testing/run/eventually';
import type { FrameClient } from '@roomwire/testing/clients/frameClient';
import { World } from '../../support/world.js';

type Fields = Readonly<Record<string, unknown>>;

const work = (jobs: Fields = {}) => ({ loadBalance: true, loadBalanceGroup: 'workers', jobs });

/** So many requests of a connection are handled at once (WS-CONN-10); the next ones, and what is behind them, wait for some 10 ms each. */
const [atOnce, delayed] = [1_000, 28];

const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

/** What is reported of the jobs of a world. */
class Reports {
  private readonly world: World;
  private readonly got: WorkReport[] = [];
  private worker: QueueWorker | undefined;

  constructor(world: World) {
    this.world = world;
  }

  async start(): Promise<void> {
    this.worker = await this.world.bus.work(webhookReports, { concurrency: 1 }, async (report) => {
      if ('work' in report && report.work.projectId === this.world.projectId) this.got.push(report);
    });
  }

  async next(): Promise<WorkReport & { readonly error?: string }> {
    await eventually(async () => this.got.length > 0, { what: 'a report' });
    return this.got.shift() as WorkReport;
  }

  async close(): Promise<void> {
    await this.worker?.close();
  }
}

describe('jobs', () => {
  let world: World;
  let topic: string;

  let clock: ShiftedClock;

  beforeEach(async () => {
    clock = new ShiftedClock();
    world = await World.open({ publishRate: 0, clock });
    topic = await world.newsroom();
  });

  afterEach(() => world.close());

  const publishAll = async (writer: FrameClient, ...data: readonly unknown[]): Promise<void> => {
    for (const [n, one] of data.entries()) writer.publish(topic, one, { msgRef: String(n) });
    for (const n of data.keys())
      expect(await writer.next()).to.include({ type: 'published', msgRef: String(n) });
  };

  const publishAllTo = async (member: FrameClient, data: unknown): Promise<void> => {
    await publishAll(await world.join(), data);
    await next(member);
    member.webSocket.terminate();
  };

  const worker = async (jobs: Fields = {}, gateway = 0): Promise<FrameClient> => {
    const client = await world.join({}, gateway);
    await client.subscribe(topic, work(jobs));
    return client;
  };

  const next = async (client: FrameClient): Promise<Fields> => {
    const frame = await client.next();
    expect(frame).to.include({ type: 'message' });
    return frame as Fields;
  };

  it('[WS-JOB-1] [WS-JOB-2] have an id and are acknowledged, and each goes to one member', async () => {
    const members = [await worker(), await worker()];
    await publishAll(await world.join(), 'a', 'b');
    const jobs = [await next(members[0] as FrameClient), await next(members[1] as FrameClient)];
    expect(jobs.map(({ data }) => data)).to.deep.equal(['a', 'b']);
    for (const job of jobs) {
      expect(job).to.have.keys('type', 'topic', 'data', 'msgId', 'requiresAck');
      expect(job).to.include({ requiresAck: true });
    }
  });

  it('[WS-JOB-2] come within `prefetch`, further ones as others are acknowledged', async () => {
    const member = await worker({ prefetch: 2 });
    const writer = await world.join();
    await publishAll(writer, ...upTo(5));
    const first = await next(member);
    await next(member);
    expect(await member.ask({ type: 'getPresence' })).to.include({ type: 'presenceList' });
    member.send({ type: 'ack', msgId: first['msgId'] });
    expect(await next(member)).to.include({ data: 2 });
  });

  it('[WS-JOB-6] that are given back go out again, with their number', async () => {
    const member = await worker({ prefetch: 1 });
    await publishAll(await world.join(), 'a', 'b');
    const job = await next(member);
    member.send({ type: 'nack', msgId: job['msgId'] });
    const other = await next(member);
    expect(other).to.include({ data: 'b' });
    member.send({ type: 'ack', msgId: other['msgId'] });
    expect(await next(member)).to.deep.equal({ ...job, delivery: 2 });
  });

  it('[WS-JOB-5] of a member whose connection ends go to another', async () => {
    const [first, second] = [await worker({ prefetch: 10 }), await worker({ prefetch: 10 })];
    await publishAll(await world.join(), 'a');
    const job = await next(first);
    first.webSocket.terminate();
    expect(await next(second)).to.deep.equal({ ...job, delivery: 2 });
  });

  it('[WS-JOB-3] are not for members without them in one group', async () => {
    await worker();
    const other = await world.join();
    expect(
      await other.ask({ type: 'subscribe', topic, loadBalance: true, loadBalanceGroup: 'workers' }),
    ).to.include({
      type: 'error',
      error: 'invalid_frame',
    });
    await other.subscribe(topic, { loadBalance: true, loadBalanceGroup: 'others' });
    const third = await world.join();
    expect(await third.ask({ type: 'subscribe', topic, ...work(), loadBalanceGroup: 'others' })).to.include({
      type: 'error',
      error: 'invalid_frame',
    });
    expect(await third.ask({ type: 'subscribe', topic, jobs: {} })).to.include({ error: 'invalid_frame' });
  });

  it('[WS-JOB-4] are collected while the group has no member', async () => {
    const member = await worker();
    await publishAll(await world.join(), 'a');
    const job = await next(member);
    member.webSocket.terminate();
    const writer = await world.join();
    await publishAll(writer, 'b', 'c');
    const later = await worker();
    expect(await next(later)).to.deep.equal({ ...job, delivery: 2 });
    expect(await next(later)).to.include({ data: 'b' });
    expect(await next(later)).to.include({ data: 'c' });
  });

  it('[WS-JOB-4] that their only member publishes wait for one of another actor', async () => {
    const member = await worker();
    await publishAll(member, 'a', 'b');
    const later = await worker();
    expect(await next(later))
      .to.include({ data: 'a' })
      .and.not.have.property('delivery');
    expect(await next(later)).to.include({ data: 'b' });
    await publishAll(await world.join(), 'c');
    expect(await next(member)).to.include({ data: 'c' });
  });

  it('[WS-JOB-4] that their only member publishes wait until it asks for `own` elsewhere', async () => {
    const { token } = await world.actor();
    const hello = { type: 'auth', token, protocolVersion: 2 };
    const [member, other] = [await world.connect(), await world.connect()];
    for (const connection of [member, other]) await connection.ask(hello);
    await member.subscribe(topic, work());
    await publishAll(member, 'a');
    await other.subscribe(topic, { ...work(), own: true });
    expect(await next(other)).to.include({ data: 'a' });
  });

  it('[WS-JOB-4] are not what the filters of all members leave out', async () => {
    const member = await world.join();
    await member.subscribe(topic, { ...work(), filters: ['eu'] });
    const writer = await world.join();
    for (const filters of [['us'], ['eu']]) {
      writer.publish(topic, filters, { msgRef: 'm', filters });
      expect(await writer.next()).to.include({ type: 'published' });
    }
    expect(await next(member)).to.deep.include({ data: ['eu'] });
    const later = await worker();
    await publishAll(writer, 'marker');
    expect(await next(later)).to.include({ data: 'marker' });
  });

  it('[WS-JOB-4] outlive the end of every gateway', async () => {
    const member = await worker({ maxDeliveries: 3 });
    const writer = await world.join();
    await publishAll(writer, 'a', 'b', 'c');
    const [job] = [await next(member), await next(member), await next(member)];
    member.send({ type: 'ack', msgId: job['msgId'] });
    expect(await member.ask({ type: 'getPresence' })).to.include({ type: 'presenceList' });
    await world.gateway.close();
    await world.startGateway({ publishRate: 0 });
    const later = await worker({}, 1);
    expect(await next(later)).to.include({ data: 'b', delivery: 2 });
    expect(await next(later)).to.include({ data: 'c', delivery: 2 });
    await publishAll(await world.join({}, 1), 'd');
    expect(await next(later)).to.include({ data: 'd' });
  });

  it('[WS-JOB-5] come again when they are not acknowledged in time, and not before', async () => {
    const member = await worker({ ackSeconds: 5 });
    await publishAll(await world.join(), 'a');
    const job = await next(member);
    clock.forward(4_000);
    await publishAll(await world.join(), 'b');
    const other = await next(member);
    clock.forward(1_001);
    expect(await next(member)).to.deep.equal({ ...job, delivery: 2 });
    member.send({ type: 'batchAck', msgIds: [job['msgId'], other['msgId']] });
  });

  it('[WS-JOB-7] have more time with `progress`', async () => {
    const member = await worker({ ackSeconds: 5 });
    await publishAll(await world.join(), 'a');
    const job = await next(member);
    clock.forward(4_000);
    member.send({ type: 'progress', msgId: job['msgId'] });
    expect(await member.ask({ type: 'getPresence' })).to.include({ type: 'presenceList' });
    clock.forward(4_000);
    await publishAll(await world.join(), 'b');
    expect(await next(member)).to.include({ data: 'b' });
    clock.forward(1_001);
    expect(await next(member)).to.deep.equal({ ...job, delivery: 2 });
  });

  it('[WS-JOB-5] [WS-SUB-2] go to another member when theirs subscribes without a group', async () => {
    const member = await worker();
    await publishAll(await world.join(), 'job');
    await next(member);
    const other = await worker();
    await member.subscribe(topic);
    expect(await next(other)).to.include({ data: 'job', delivery: 2 });
    await publishAll(await world.join(), 'both');
    expect(await next(member)).to.include({ data: 'both' });
    expect(await next(other)).to.include({ data: 'both' });
  });

  it('[WS-JOB-6] are given back for a while', async () => {
    const member = await worker();
    await publishAll(await world.join(), 'a');
    const job = await next(member);
    member.send({ type: 'nack', msgId: job['msgId'], delaySeconds: 30 });
    expect(await member.ask({ type: 'getPresence' })).to.include({ type: 'presenceList' });
    clock.forward(20_000);
    await publishAll(await world.join(), 'b');
    expect(await next(member)).to.include({ data: 'b' });
    clock.forward(10_001);
    expect(await next(member)).to.deep.equal({ ...job, delivery: 2 });
  });

  it('[WS-JOB-8] are settled by a late acknowledgement, and by no other', async () => {
    const [slow, other] = [await worker({ ackSeconds: 5, prefetch: 1 }), await world.join()];
    await publishAll(await world.join(), 'a');
    const job = await next(slow);
    await other.subscribe(topic, work({ ackSeconds: 5, prefetch: 1 }));
    for (const type of ['ack', 'nack', 'progress']) other.send({ type, msgId: job['msgId'] });
    expect(await other.ask({ type: 'getPresence' })).to.include({ type: 'presenceList' });
    clock.forward(5_001);
    // The one that has waited longest is next.
    const holder = await Promise.race([next(slow).then(() => slow), next(other).then(() => other)]);
    expect(holder).to.equal(other);
    slow.send({ type: 'ack', msgId: job['msgId'] });
    expect(await slow.ask({ type: 'getPresence' })).to.include({ type: 'presenceList' });
    await publishAll(await world.join(), 'b', 'c');
    const jobs = [await next(slow).catch(() => undefined), await next(other)];
    expect(jobs.map((each) => each?.['data']).sort()).to.deep.equal(['b', 'c']);
  });

  it('[WS-ACK-4] are settled and given back by what waits behind other requests when the connection ends', async () => {
    const [hasty, other] = [await worker({ prefetch: 2 }), await world.join()];
    await publishAll(await world.join(), 'a', 'b');
    const jobs = [await next(hasty), await next(hasty)];
    await other.subscribe(topic, work({ prefetch: 2 }));
    const request = { type: 'unsubscribe', topic: 'a/b/c' };
    for (let asked = 0; asked < atOnce; asked++) hasty.send(request);
    for (let asked = 0; asked < atOnce; asked++) await hasty.next();
    for (let asked = 0; asked < delayed; asked++) hasty.send(request);
    hasty.send({ type: 'ack', msgId: jobs[0]?.['msgId'] });
    hasty.send({ type: 'nack', msgId: jobs[1]?.['msgId'], delaySeconds: 900 });
    hasty.webSocket.close();
    await eventually(async () => world.gateway.metrics.connectionsClosed === 1, { what: 'its end' });
    await publishAll(await world.join(), 'c');
    const first = await next(other);
    expect(first).to.include({ data: 'c' });
    other.send({ type: 'ack', msgId: first['msgId'] });
    expect(await other.ask({ type: 'getPresence' })).to.include({ type: 'presenceList' });
    clock.forward(900_001);
    expect(await next(other)).to.include({ data: 'b', delivery: 2 });
  });

  it('[WS-JOB-9] that fail again and again become dead letters, and can be redriven', async () => {
    const reports = new Reports(world);
    await reports.start();
    const member = await worker({ maxDeliveries: 2, ackSeconds: 5 });
    await publishAll(await world.join(), { n: 1 });
    const job = await next(member);
    member.send({ type: 'nack', msgId: job['msgId'] });
    expect(await next(member)).to.include({ delivery: 2 });
    clock.forward(5_001);
    const report = await reports.next();
    expect(report).to.deep.include({ outcome: 'lost', error: 'max_deliveries', status: 'pending' });
    const { work: lost } = report as unknown as { work: LostWork };
    expect(lost).to.include({
      kind: 'job',
      group: 'workers',
      attempts: 2,
      topicName: 'news',
      roomName: 'lobby',
    });
    expect(decode(lost.data)).to.deep.equal({ n: 1 });
    await world.bus.put(jobRedrives, { redriveId: 'again', work: lost });
    expect(await next(member)).to.deep.equal(job);
    expect(await reports.next()).to.deep.include({ outcome: 'redriven', redriveId: 'again' });
    await reports.close();
  });

  it('[WS-JOB-5] [WS-JOB-9] do not die of members that leave', async () => {
    await publishAllTo(await worker({ maxDeliveries: 1 }), 'a');
    for (const delivery of [2, 3, 4]) {
      const member = await worker({ maxDeliveries: 1 });
      expect(await next(member)).to.include({ data: 'a', delivery });
      if (delivery === 3) member.webSocket.terminate();
      else await member.ask({ type: 'unsubscribe', topic });
    }
  });

  it('[WS-JOB-10] beyond the bound of their group the oldest become dead letters', async () => {
    await world.close();
    world = await World.open({ publishRate: 0, groupJobs: 20 });
    topic = await world.newsroom();
    const reports = new Reports(world);
    await reports.start();
    const first = await worker({ prefetch: 1 });
    await publishAll(await world.join(), ...upTo(22));
    expect(await next(first)).to.include({ data: 0 });
    const lost = [await reports.next(), await reports.next()];
    expect(lost.map(({ error }) => error)).to.deep.equal(['group_full', 'group_full']);
    expect(lost.map(({ work: { data } }) => decode(data)).sort()).to.deep.equal([1, 2]);
    await reports.close();
  });

  it('[WS-JOB-11] wait for a slow reader', async () => {
    await world.startGateway({ publishRate: 0, outboxBytes: 2_000_000 });
    await world.shardsDivided('jobs');
    const { token } = await world.actor();
    const member = await StalledClient.connect(world.url(1));
    await member.ask({ type: 'auth', token, protocolVersion: 2 });
    await member.ask({ type: 'subscribe', topic, ...work({ prefetch: 1_000, ackSeconds: 3_600 }) });
    member.stall();
    const writer = await world.join();
    const large = 'x'.repeat(60_000);
    for (let n = 0; n < 150; n++) await publishAll(writer, large);
    expect(world.gatewayAt(1).metrics.slowConsumers).to.equal(0);
    member.socket.resume();
    await eventually(async () => member.received.length > 150 * large.length, { what: 'all jobs' });
    member.socket.destroy();
  });

  it('[WS-JOB-12] go with their group when it is deleted', async () => {
    const member = await world.connect();
    await member.ask({ type: 'auth', token: (await world.actor()).token, protocolVersion: 2, notices: true });
    await member.subscribe(topic, work());
    const room = await world.find('rooms');
    const { jobGroups } = world.gateway;
    const [group] = await jobGroups.list(world.projectId, room.roomId);
    expect(group).to.deep.include({ name: 'workers', topic: 'news', members: 1, depth: 0 });
    expect(await jobGroups.delete(world.projectId, room.roomId, group?.groupId ?? '')).to.equal(true);
    expect(await member.next()).to.deep.equal({ type: 'subscriptionEnded', topic, reason: 'group_deleted' });
    expect(await jobGroups.list(world.projectId, room.roomId)).to.deep.equal([]);
  });

  it('[WS-JOB-12] are collected by a group that was made before its members', async () => {
    const room = await world.find('rooms');
    const { jobGroups } = world.gateway;
    const { projectId, appId, roomId } = room;
    const made = await jobGroups.create({
      ...{ projectId, appId, roomId, accessScopeId: null, topic: 'news', name: 'workers' },
      room: `${projectId}/app-1/_/lobby`,
      options: { prefetch: 5, ackSeconds: 60, maxDeliveries: 3 },
    });
    expect(made).to.deep.include({ isNew: true });
    await publishAll(await world.join(), 'a', 'b');
    // Where the log is what is durable, its owner reads it in its own time.
    await eventually(async () => (await jobGroups.list(projectId, roomId))[0]?.depth === 2, {
      what: 'both jobs',
    });
    const [group] = await jobGroups.list(projectId, roomId);
    expect(group).to.deep.include({ depth: 2, inFlight: 0, members: 0 });
    const peeked = await jobGroups.peek(projectId, roomId, group?.groupId ?? '', 1);
    expect(peeked?.map(({ deliveries }) => deliveries)).to.deep.equal([0]);
    const member = await worker();
    expect(await next(member)).to.include({ data: 'a' });
    expect(await next(member)).to.include({ data: 'b' });
  });

  it('[WS-JOB-13] are restored with a persistent session', async () => {
    const { token } = await world.actor({ actorType: 'agent' });
    const hello = { type: 'auth', token, protocolVersion: 2, reconnect: true };
    const first = await world.connect();
    await first.ask(hello);
    await first.subscribe(topic, work({ prefetch: 7 }));
    await publishAll(await world.join(), 'a');
    const job = await next(first);
    await first.close();
    const second = await world.connect();
    const reply = (await second.ask(hello)) as { restoredSubscriptions: unknown };
    expect(reply.restoredSubscriptions).to.deep.include.members([
      {
        pattern: topic,
        topic: `${world.projectId}/app-1/_/lobby/news`,
        ...{ load_balance: true, load_balance_group: 'workers', filters: [] },
        jobs: { prefetch: 7, ackSeconds: 60, maxDeliveries: 5 },
      },
    ]);
    expect(await next(second)).to.deep.equal({ ...job, delivery: 2 });
  });

  describe('on several gateways', () => {
    beforeEach(async () => {
      await world.startGateway({ publishRate: 0 });
      await world.startGateway({ publishRate: 0 });
      await world.shardsDivided('jobs');
    });

    it('[WS-JOB-1] go to members on all of them, and are acknowledged there', async () => {
      const members = [
        await worker({ prefetch: 1 }, 0),
        await worker({ prefetch: 1 }, 1),
        await worker({ prefetch: 1 }, 2),
      ];
      const writer = await world.join({}, 1);
      await publishAll(writer, ...upTo(9));
      const got = members.map((): unknown[] => []);
      const readers = members.map(async (member, at) => {
        for (let frame = await member.next(); frame !== 'heartbeat'; frame = await member.next()) {
          got[at]?.push(frame['data']);
          member.send({ type: 'ack', msgId: frame['msgId'] });
        }
      });
      await eventually(async () => got.flat().length === 9, { what: 'all jobs' });
      for (const member of members) member.webSocket.send(new Uint8Array());
      await Promise.all(readers);
      expect(got.flat().sort()).to.deep.equal(upTo(9));
      for (const each of got) expect(each).to.not.be.empty;
    });

    it('[WS-JOB-6] are given back there', async () => {
      for (const gateway of [0, 1, 2]) {
        const member = await worker({ prefetch: 2 }, gateway);
        await publishAll(await world.join(), gateway);
        const job = await next(member);
        expect(job).to.include({ data: gateway });
        member.send({ type: 'nack', msgId: job['msgId'] });
        const again = await next(member);
        expect(again).to.deep.equal({ ...job, delivery: 2 });
        member.send({ type: 'ack', msgId: job['msgId'] });
        await member.ask({ type: 'unsubscribe', topic });
      }
    });

    it('[WS-JOB-4] [WS-JOB-5] stay with their members when their owner ends, and go on with the next one', async () => {
      const idle = { prefetch: 10 };
      const first = await worker(idle);
      await publishAll(await world.join(), 'first');
      const { msgId } = await next(first);
      const owner = await world.gatewayThat('roomwire_jobs_in_flight', 1);
      first.send({ type: 'ack', msgId });
      await first.ask({ type: 'unsubscribe', topic });
      const [other, third] = [0, 1, 2].filter((at) => at !== owner) as [number, number];
      const member = await worker(idle, other);
      const writer = await world.join({}, third);
      await publishAll(writer, 'a', 'b', 'c');
      const jobs = [await next(member), await next(member), await next(member)];
      member.send({ type: 'ack', msgId: jobs[0]?.['msgId'] });
      await world.gatewayAt(owner).close();
      member.send({ type: 'ack', msgId: jobs[1]?.['msgId'] });
      // Files have no log of what is published while nobody owns the group: it has the same owner as long as the process lives.
      const isOwned = () =>
        world.gatewayThat('roomwire_job_groups', 1).then(
          () => true,
          () => false,
        );
      if (!isOnEngines()) await eventually(isOwned, { what: 'an owner' });
      await publishAll(writer, 'd');
      expect(await next(member))
        .to.include({ data: 'd' })
        .and.not.have.property('delivery');
      const second = await worker(idle, third);
      member.webSocket.terminate();
      const left = [await next(second), await next(second)];
      expect(left.map(({ data, delivery }) => ({ data, delivery }))).to.have.deep.members([
        { data: 'c', delivery: 2 },
        { data: 'd', delivery: 2 },
      ]);
    });
  });
});
