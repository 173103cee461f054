import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { scheduleRedrives } from '@roomwire/shared/wire/bus/lostWork';
import { webhookReports, type WorkReport } from '@roomwire/shared/wire/bus/webhookReports';
import type { QueueWorker } from '@roomwire/shared/ports/messageBus';
import type { AcceptedMessage, PublishResult } from '@roomwire/shared/ports/publishing';
import type { NewSchedule } from '@roomwire/shared/ports/scheduleStore';
import type { Frame, FrameClient } from '@roomwire/testing/clients/frameClient';
import { eventually } from '@roomwire/testing/run/eventually';
import { isOnEngines } from '@roomwire/testing/run/testProfile';
import * as records from '@roomwire/testing/builders/records';
import { overlaid } from '../../support/overlaid.js';
import { World, type WorldOptions } from '../../support/world.js';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('publishes for later', () => {
  let world: World;
  let topic: string;
  let reading: QueueWorker | undefined;

  const open = async (options: WorldOptions = {}): Promise<void> => {
    world = await World.open({ scheduleLookMs: 50, publishRate: 0, ...options });
    topic = await world.newsroom();
  };
  beforeEach(() => open());
  afterEach(async () => {
    await reading?.close();
    reading = undefined;
    await world.close();
  });

  const publish = async (client: FrameClient, data: unknown, options: Frame = {}): Promise<Frame> =>
    (await client.ask({ type: 'publish', topic, data, msgRef: 'r', ...options })) as Frame;
  const soon = (ms = 300): number => Date.now() + ms;
  const next = async (client: FrameClient): Promise<Frame> => (await client.next()) as Frame;
  const waiting = () => world.schedules.list(world.projectId, { limit: 100 });
  /** The reports of this world's project. */
  const reported = async (): Promise<WorkReport[]> => {
    const reports: WorkReport[] = [];
    reading = await world.bus.work(webhookReports, { concurrency: 1 }, async (report) => {
      if ('work' in report && report.work.projectId === world.projectId) reports.push(report);
    });
    return reports;
  };

  it('[WS-LATER-1] [WS-LATER-2] are stored, answered with an id, and delivered once when their time has come', async () => {
    const reader = await (await world.join()).subscribe(topic, { meta: true });
    const client = await world.join();
    const deliverAt = soon(600);
    const { scheduledId, ...answer } = await publish(client, { n: 1 }, { deliverAt });
    expect(answer).to.deep.equal({ type: 'published', topic, msgRef: 'r' });
    expect(scheduledId).to.match(uuid);
    expect(await waiting()).to.have.length(1);
    await publish(client, 'at once');
    expect(await next(reader)).to.include({ data: 'at once' });
    const message = await next(reader);
    expect(Date.now()).to.be.within(deliverAt, deliverAt + 5_000);
    expect(message['data']).to.deep.equal({ n: 1 });
    const meta = message['meta'] as Frame;
    // [WS-LATER-4]
    expect(meta['at']).to.be.at.least(deliverAt);
    expect(meta['id']).to.equal(scheduledId);
    await eventually(async () => (await world.schedules.held(world.projectId)).messages === 0);
    await publish(client, 'marker');
    expect(await next(reader)).to.include({ data: 'marker' });
  });

  it('[WS-LATER-2] come in the order of their times, and a past one now', async () => {
    const reader = await (await world.join()).subscribe(topic);
    const client = await world.join();
    const now = Date.now();
    for (const [data, at] of [
      ['c', 700],
      ['b', 500],
      ['a', -5_000],
    ] as const)
      expect(await publish(client, data, { deliverAt: now + at })).to.have.property('scheduledId');
    expect([
      (await next(reader))['data'],
      (await next(reader))['data'],
      (await next(reader))['data'],
    ]).to.deep.equal(['a', 'b', 'c']);
  });

  it('[WS-LATER-2] come in the order of their acceptance where their times are equal', async () => {
    const reader = await (await world.join()).subscribe(topic);
    const client = await world.join();
    const past = Date.now() - 60_000;
    const at = soon(2_000);
    const count = 200;
    for (const [deliverAt, kind] of [
      [at, 'soon'],
      [past, 'past'],
    ] as const) {
      for (let n = 0; n < count; n++)
        client.publish(topic, [kind, n], {
          deliverAt,
          msgRef: `${kind} ${n}`,
          ...(n % 3 && { id: `${kind}:${n}` }),
        });
    }
    const numbers = Array.from({ length: count }, (_, n) => n);
    const got = { past: [] as number[], soon: [] as number[] };
    while (got.past.length + got.soon.length < 2 * count) {
      const [kind, n] = (await next(reader))['data'] as [keyof typeof got, number];
      got[kind].push(n);
    }
    expect(got).to.deep.equal({ past: numbers, soon: numbers });
  });

  it('[WS-LATER-2] are refused as invalid frames more than 30 days ahead, and where the time is none', async () => {
    const client = await world.join();
    const ahead = limitTable.scheduleAhead.value;
    for (const deliverAt of [Date.now() + ahead + 60_000, 1.5, '2030-01-01', true])
      expect(await publish(client, 1, { deliverAt })).to.include({ error: 'invalid_frame', msgRef: 'r' });
    const last = await publish(client, 1, { deliverAt: Date.now() + ahead - 60_000 });
    expect(last).to.have.property('scheduledId');
    expect(await publish(client, 1, { deliverAt: null })).not.to.have.property('scheduledId');
  });

  it('[WS-LATER-3] are judged like others when they are accepted', async () => {
    const client = await world.join();
    const deliverAt = soon(60_000);
    expect(await publish(client, 1, { deliverAt, filter: 'a/b' })).to.have.property('error');
    expect(await publish(client, 1, { deliverAt, topic: 'app-1/lobby' })).to.include({
      error: 'unknown_topic',
    });
    expect(await publish(client, new Uint8Array(930_000), { deliverAt })).to.include({
      error: 'message_too_large',
    });
    expect(await waiting()).to.deep.equal([]);
  });

  it('[WS-LATER-3] that may not be made when they are due become dead letters', async () => {
    const reports = await reported();
    const { record, token } = await world.actor();
    const client = await world.joinAs(token);
    const { scheduledId } = await publish(client, { n: 1 }, { deliverAt: soon(400), filter: 'f' });
    await world.happened(
      { type: 'ActorDeleted', data: { actorTokenId: record.actorTokenId } },
      { remove: 'actors', id: record.actorTokenId },
    );
    await eventually(() => reports.length > 0, { withinMs: 20_000 });
    expect(reports).to.have.length(1);
    const [{ work, ...report } = {} as Extract<WorkReport, { outcome: 'lost' }>] = reports;
    expect(report).to.deep.equal({ outcome: 'lost', error: 'unknown_actor', status: 'failed' });
    expect(work).to.include({
      ...{ kind: 'schedule', scheduledId, dlqId: scheduledId, projectId: world.projectId },
      ...{ actorId: record.actorTokenId, roomName: 'lobby', topicName: 'news' },
    });
    await eventually(async () => (await world.schedules.held(world.projectId)).messages === 0);
  });

  it('[WS-LATER-3] are delivered once they are redriven, and stay dead letters while they are refused', async () => {
    const reports = await reported();
    const made = await world.actor();
    const { actorTokenId } = made.record;
    await publish(await world.joinAs(made.token), 'late', { deliverAt: soon(400) });
    await world.happened(
      { type: 'ActorDeleted', data: { actorTokenId } },
      { remove: 'actors', id: actorTokenId },
    );
    await eventually(() => reports.length === 1, { withinMs: 20_000 });
    const { work } = reports[0] as WorkReport;
    await world.bus.put(scheduleRedrives, { redriveId: 'redrive-1', work });
    await eventually(() => reports.length === 2, { withinMs: 20_000 });
    expect(reports[1]).to.include({ outcome: 'notRedriven', redriveId: 'redrive-1', error: 'unknown_actor' });
    await world.put({ put: 'actors', id: actorTokenId, doc: { ...made.record, createdPosition: '0' } });
    const reader = await (await world.join()).subscribe(topic, { meta: true });
    await world.bus.put(scheduleRedrives, { redriveId: 'redrive-2', work });
    const message = await next(reader);
    expect(message).to.include({ data: 'late' });
    expect((message['meta'] as Frame)['id']).to.equal(work.scheduledId);
    await eventually(() => reports.length === 3, { withinMs: 20_000 });
    expect(reports[2]).to.include({ outcome: 'redriven', redriveId: 'redrive-2' });
  });

  it('[WS-LATER-2] are delivered once although their redrive comes twice', async () => {
    await world.close();
    let isAway = true;
    await open({
      bus: (real) =>
        overlaid(real, {
          // The report cannot be put before the message was delivered, so that the redrive comes again.
          put: async (queue, job) => {
            const isReport = (job as { readonly outcome?: string }).outcome === 'redriven';
            if (isReport && isAway) throw new EngineUnavailable('message bus');
            return real.put(queue, job);
          },
        }),
    });
    const reports = await reported();
    const { record, token } = await world.actor();
    await publish(await world.joinAs(token), 'late', { deliverAt: soon(400) });
    await world.happened(
      { type: 'ActorDeleted', data: { actorTokenId: record.actorTokenId } },
      { remove: 'actors', id: record.actorTokenId },
    );
    await eventually(() => reports.length === 1, { withinMs: 20_000 });
    const { work } = reports[0] as WorkReport;
    await world.put({ put: 'actors', id: record.actorTokenId, doc: { ...record, createdPosition: '0' } });
    const reader = await (await world.join()).subscribe(topic);
    await world.bus.put(scheduleRedrives, { redriveId: 'redrive-1', work });
    expect(await next(reader)).to.include({ data: 'late' });
    await eventually(async () => (await world.schedules.held(world.projectId)).messages === 0);
    isAway = false;
    await eventually(() => reports.length === 2, { withinMs: 20_000 });
    expect(reports[1]).to.include({ outcome: 'redriven', redriveId: 'redrive-1' });
    await eventually(async () => (await world.schedules.held(world.projectId)).messages === 0);
    const client = await world.join();
    client.publish(topic, 'marker');
    expect(await next(reader)).to.include({ data: 'marker' });
  });

  it('[WS-LATER-4] count against the quota when they are accepted', async () => {
    const organization = { ...records.organization(world.organizationId) };
    const plan = { ...organization.plan, monthlyMessages: 1 };
    await world.put({ put: 'organizations', id: world.organizationId, doc: { ...organization, plan } });
    const reader = await (await world.join()).subscribe(topic);
    const client = await world.join();
    expect(await publish(client, 'later', { deliverAt: soon() })).to.have.property('scheduledId');
    for (const options of [{}, { deliverAt: soon() }])
      expect(await publish(client, 'more', options)).to.include({ error: 'monthly_quota_exceeded' });
    expect(await next(reader)).to.include({ data: 'later' });
  });

  it('[WS-LATER-4] keep their place among last values by the delivery, not by the acceptance', async () => {
    const reader = await (await world.join()).subscribe(topic);
    const client = await world.join();
    await publish(client, 'later', { deliverAt: soon(400), retain: true });
    await publish(client, 'before', { retain: true });
    expect([(await next(reader))['data'], (await next(reader))['data']]).to.deep.equal(['before', 'later']);
    const late = await (await world.join()).subscribe(topic);
    expect(await next(late)).to.include({ data: 'later' });
  });

  it('[WS-LATER-5] with an id are one from their acceptance on', async () => {
    const reader = await (await world.join()).subscribe(topic, { meta: true });
    const { token } = await world.actor();
    const client = await world.joinAs(token);
    const first = await publish(client, 1, { id: 'order-1', deliverAt: soon(500) });
    expect(first).to.deep.include({ type: 'published', id: 'order-1' }).and.to.have.property('scheduledId');
    const again = await publish(await world.joinAs(token), 1, { id: 'order-1', deliverAt: soon(60_000) });
    expect(again).to.deep.equal({ ...first, duplicate: true });
    expect(await publish(client, 1, { id: 'order-1' })).to.deep.equal({ ...first, duplicate: true });
    expect(await publish(client, 2, { id: 'order-1', deliverAt: soon() })).to.include({
      error: 'publish_conflict',
    });
    const message = await next(reader);
    expect(message).to.include({ data: 1 });
    expect((message['meta'] as Frame)['id']).to.equal('order-1');
    await publish(client, 'marker');
    expect(await next(reader)).to.include({ data: 'marker' });
    expect(await waiting()).to.deep.equal([]);
  });

  it('[WS-LATER-5] are not what is answered where the first with the id was published at once', async () => {
    const reader = await (await world.join()).subscribe(topic);
    const client = await world.join();
    const first = await publish(client, 1, { id: 'order-1' });
    expect(await publish(client, 1, { id: 'order-1', deliverAt: soon(60_000) })).to.deep.equal({
      ...{ ...first, duplicate: true },
    });
    expect(await next(reader)).to.include({ data: 1 });
    expect(await waiting()).to.deep.equal([]);
  });

  it('[WS-LATER-5] over HTTP are answered with the time of the first, as long as its id stands for it', async () => {
    const { organizationId, projectId } = world;
    const gateway = world.gateway.publishing;
    const order = async (deliverAt: number | undefined): Promise<PublishResult | undefined> => {
      const message = {
        ...{ topic, data: encode(1), scope: undefined, as: undefined, filter: undefined, filters: [] },
        ...{ retain: false, qos: 1 as const, id: 'order-1', trigger: undefined, deliverAt },
      };
      return (await gateway.publish({ organizationId, projectId }, [message]))[0];
    };
    const deliverAt = soon(60_000);
    const first = await order(deliverAt);
    expect(first).to.deep.include({ id: 'order-1', isDuplicate: false }).and.to.have.property('scheduled');
    const { scheduled } = first as AcceptedMessage;
    expect(scheduled?.deliverAt).to.equal(deliverAt);
    const again = { ...first, isDuplicate: true };
    for (const at of [soon(90_000), undefined]) expect(await order(at)).to.deep.equal(again);
    // [HTTP-LATER-3] Not brought back by one that is repeated.
    await world.schedules.cancel(projectId, scheduled?.scheduledId as string);
    expect(await order(deliverAt)).to.deep.equal(again);
    expect(await waiting()).to.deep.equal([]);
  });

  it('[WS-LATER-5] are known by their id although the gateway that took them was killed before it said so', async () => {
    await world.close();
    let saysSo = false;
    await open({
      publishIds: (ids) =>
        overlaid(ids, { sent: async (claims) => (saysSo ? ids.sent(claims) : new Promise(() => undefined)) }),
    });
    const { token } = await world.actor();
    const reader = await (await world.join()).subscribe(topic);
    const client = await world.joinAs(token);
    client.publish(topic, 1, { id: 'a', msgRef: 'r', deliverAt: soon(700) });
    await eventually(async () => (await waiting()).length === 1);
    saysSo = true;
    expect(await next(reader)).to.include({ data: 1 });
    await eventually(async () => (await world.schedules.held(world.projectId)).messages === 0);
    await world.startGateway({ scheduleLookMs: 50 });
    const again = await publish(await world.joinAs(token, 1), 1, { id: 'a', deliverAt: soon() });
    expect(again).to.include({ duplicate: true }).and.to.have.property('scheduledId');
  });

  it('[WS-LATER-5] are withdrawn when nobody was told that they are stored, and their id is published at once', async () => {
    await world.close();
    await open({
      schedules: (store) =>
        overlaid(store, {
          add: async (schedules) => {
            await store.add(schedules);
            throw new EngineUnavailable('schedules');
          },
        }),
    });
    const reader = await (await world.join()).subscribe(topic);
    const client = await world.join();
    const unknown = await publish(client, 1, { id: 'a', deliverAt: soon(60_000) });
    expect(unknown).to.include({ error: 'broker_unavailable' });
    expect(await waiting()).to.have.length(1);
    expect(await publish(client, 1, { id: 'a' })).to.deep.equal({
      ...{ type: 'published', topic, msgRef: 'r', id: 'a' },
    });
    expect(await next(reader)).to.include({ data: 1 });
    expect(await waiting()).to.deep.equal([]);
  });

  it('[WS-LATER-5] are stored for the time of the one that is answered, when nobody was told of one before it', async () => {
    await world.close();
    let isLost = true;
    await open({
      schedules: (store) =>
        overlaid(store, {
          add: async (schedules) => {
            await store.add(schedules);
            if (isLost) throw new EngineUnavailable('schedules');
          },
        }),
    });
    const client = await world.join();
    const first = await publish(client, 1, { id: 'a', deliverAt: soon(60_000) });
    expect(first).to.include({ error: 'broker_unavailable' });
    isLost = false;
    const deliverAt = soon(90_000);
    const { scheduledId } = await publish(client, 1, { id: 'a', deliverAt });
    expect(await waiting()).to.have.length(1);
    expect((await waiting())[0]).to.include({ scheduledId, deliverAt });
  });

  it('[WS-LATER-6] are bounded by project, and what is refused costs nothing', async () => {
    await world.close();
    const most = { messages: limitTable.scheduledMessages.value, bytes: 0 };
    await open({ schedules: (store) => overlaid(store, { held: async () => most }) });
    const client = await world.join();
    const refused = { error: 'schedule_limit_exceeded', code: 42990, msgRef: 'r' };
    expect(await publish(client, 1, { deliverAt: soon(60_000), id: 'a' })).to.include(refused);
    expect(await publish(client, 2, { id: 'a' })).to.deep.equal({
      ...{ type: 'published', topic, msgRef: 'r', id: 'a' },
    });
    most.messages = 0;
    most.bytes = limitTable.scheduledBytes.value;
    const other = await world.join();
    expect(await publish(other, 1, { deliverAt: soon(60_000) })).to.include({ error: refused.error });
  });

  it('[WS-LATER-2] are delivered by another gateway when theirs has ended', async () => {
    await world.startGateway({ scheduleLookMs: 50 });
    const reader = await (await world.join({}, 1)).subscribe(topic);
    const client = await world.join();
    for (let n = 0; n < 20; n++) await publish(client, n, { deliverAt: soon(900 + n) });
    await world.gateway.close();
    const got: unknown[] = [];
    while (got.length < 20) got.push((await next(reader))['data']);
    expect(got).to.deep.equal(Array.from({ length: 20 }, (_, n) => n));
  });

  it('[WS-LATER-2] of a long time without the service come in order, and let others through', async () => {
    const reader = await (await world.join()).subscribe(topic);
    const { scheduledId } = await publish(await world.join(), 'x', { deliverAt: Date.now() + 86_400_000 });
    const [made] = await waiting();
    await world.schedules.cancel(world.projectId, scheduledId as string);
    // FerretDB reads them all to find the first.
    const count = isOnEngines() ? 2_000 : 10_000;
    const backlog = Array.from({ length: count }, (_, n): NewSchedule => {
      const id = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
      const publish = {
        ...made,
        scheduledId: id,
        place: id,
        deliverAt: Date.now() - count + n,
      } as NewSchedule['publish'];
      return { publish, data: encode(n) };
    });
    for (let from = 0; from < count; from += 1_000)
      await world.schedules.add(backlog.slice(from, from + 1_000));
    const other = await world.newsroom('app-2');
    const lively = await (await world.join()).subscribe(other);
    const talker = await world.join();
    let slowestMs = 0;
    let isDone = false;
    const talking = (async () => {
      while (!isDone) {
        const from = performance.now();
        talker.publish(other, from);
        await next(lively);
        slowestMs = Math.max(slowestMs, performance.now() - from);
      }
    })();
    const got: unknown[] = [];
    while (got.length < count) got.push((await next(reader))['data']);
    isDone = true;
    await talking;
    expect(got).to.deep.equal(Array.from({ length: count }, (_, n) => n));
    expect(slowestMs).to.be.below(2_000);
  }).timeout(60_000);

  it('[WS-LATER-1] are refused where they cannot be stored', async () => {
    await world.close();
    await open({ schedules: (store) => overlaid(store, { add: () => Promise.reject(new Error('full')) }) });
    const client = await world.join();
    expect(await publish(client, 1, { deliverAt: soon() })).to.include({ error: 'broker_unavailable' });
  });
});
