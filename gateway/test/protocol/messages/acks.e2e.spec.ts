import { expect } from 'chai';
import type { Frame, FrameClient } from '@roomwire/testing/clients/frameClient';
import { createMetrics } from '../../../src/metrics.js';
import { createFrameHandler, type FrameHandlerDeps } from '../../../src/session/frameHandlers.js';
import type { Session } from '../../../src/session/session.js';
import { HeldJobs } from '../../../src/jobs/members/heldJobs.js';
import { PendingAcks } from '../../../src/subscriptions/pendingAcks.js';
import { World } from '../../support/world.js';

describe('acknowledgements', () => {
  describe('of an ordinary subscriber', () => {
    let world: World;

    before(async () => (world = await World.open()));
    after(() => world.close());

    const marker = { type: 'unsubscribe', topic: 'a/b/c' };
    const unsubscribed = { type: 'unsubscribed', topic: 'a/b/c' };

    it('[WS-ACK-1] [WS-ACK-2] are accepted, counted and not answered, whatever the ids', async () => {
      const client = await world.join();
      const before = world.gateway.metrics.acks;
      client.send({ type: 'ack', msgId: 'unknown' }).sendJson({ type: 'ack', msgId: '' });
      client.send({ type: 'batchAck', msgIds: [] }).send({ type: 'batchAck', msgIds: ['a', 'a', 'b'] });
      expect(await client.ask(marker)).to.deep.equal(unsubscribed);
      expect(world.gateway.metrics.acks - before).to.equal(5);
    });

    it('[WS-ACK-2] are refused if they are not texts, or more than 10,000', async () => {
      const client = await world.join();
      const invalid = { type: 'error', error: 'invalid_frame' };
      expect(await client.ask({ type: 'ack' })).to.deep.equal(invalid);
      expect(await client.ask({ type: 'ack', msgId: 7 })).to.deep.equal(invalid);
      expect(await client.ask({ type: 'batchAck', msgIds: 'a' })).to.deep.equal(invalid);
      const many = Array.from({ length: 10_001 }, (_, n) => String(n));
      expect(await client.ask({ type: 'batchAck', msgIds: many })).to.deep.equal(invalid);
      client.send({ type: 'batchAck', msgIds: many.slice(1) });
      expect(await client.ask(marker)).to.deep.equal(unsubscribed);
    });

    it('[WS-AUTH-1] are refused before authentication', async () => {
      const client = await world.connect();
      const refused = { type: 'error', error: 'not_authenticated' };
      expect(await client.ask({ type: 'ack', msgId: 'a' })).to.deep.equal(refused);
      expect(await client.ask({ type: 'batchAck', msgIds: ['a'] })).to.deep.equal(refused);
    });
  });

  it('[WS-ACK-3] of a member of a worker group find its subscription', async () => {
    const acknowledged: string[] = [];
    const subscription = { done: (msgId: string) => void acknowledged.push(msgId) };
    const acks = new PendingAcks();
    const session = { subscriptions: { acks, jobs: new HeldJobs() } } as Session;
    const metrics = createMetrics();
    const handle = createFrameHandler({ metrics, presence: {} } as FrameHandlerDeps);
    for (const msgId of ['a', 'b', 'c']) acks.delivered(subscription, msgId);
    void handle(session, { type: 'ack', msgId: 'b' });
    void handle(session, { type: 'batchAck', msgIds: ['x', 'c', 'c', 'a'] });
    expect(acknowledged).to.deep.equal(['b', 'c', 'a']);
    expect(metrics.acks).to.equal(5);
  });
});

const work = { loadBalance: true, loadBalanceGroup: 'workers' };

describe('worker groups whose messages are acknowledged', () => {
  let world: World;
  let topic: string;

  beforeEach(async () => {
    const options = { publishRate: 0, messageStore: <T>(record: T): T => record };
    world = await World.open(options);
    await world.startGateway(options);
    topic = await world.newsroom();
  });

  afterEach(() => world.close());

  const next = async (client: FrameClient): Promise<Frame> => {
    const frame = await client.next();
    if (frame === 'heartbeat') throw new Error('A heartbeat');
    return frame;
  };
  const publish = async (writer: FrameClient, ...all: readonly unknown[]): Promise<void> => {
    for (const data of all) {
      expect(await writer.publish(topic, data, { msgRef: 'r' }).next()).to.include({ type: 'published' });
    }
  };
  /** Handled when this resolves. */
  const ack = async (client: FrameClient, ...frames: readonly Frame[]): Promise<void> => {
    const msgIds = frames.map(({ msgId }) => msgId);
    client.send(msgIds.length === 1 ? { type: 'ack', msgId: msgIds[0] } : { type: 'batchAck', msgIds });
    expect(await client.ask({ type: 'unsubscribe', topic: 'a/b/c' })).to.include({ type: 'unsubscribed' });
  };

  for (const place of [0, 1]) {
    it(`[WS-GROUP-2] [WS-ACK-3] receive most messages when they acknowledge, with gateways ${place + 1}`, async () => {
      const [slow, fast] = [await world.join({}, 0), await world.join({}, place)];
      for (const client of [slow, fast]) await client.subscribe(topic, work);
      const writer = await world.join();
      await publish(writer, 0);
      const first = await next(slow);
      expect(first).to.include({ data: 0, requiresAck: true });
      for (let n = 1; n <= 10; n++) {
        await publish(writer, n);
        const frame = await next(fast);
        expect(frame).to.include({ data: n });
        await ack(fast, frame);
        await world.undone(1, 0, place);
      }
      await publish(writer, 11);
      const held = await next(fast);
      await ack(slow, first);
      await world.undone(1, 0, place);
      await publish(writer, 12);
      expect(await next(slow)).to.include({ data: 12 });
      await ack(fast, held, held);
    });

    it(`[WS-GROUP-4] reassign what was not acknowledged, with gateways ${place + 1}`, async () => {
      const [leaver, stayer] = [await world.join({}, 0), await world.join({}, place)];
      for (const client of [leaver, stayer]) await client.subscribe(topic, work);
      const writer = await world.join();
      await publish(writer, 0, 1, 2, 3);
      const [, third] = [await next(leaver), await next(leaver)];
      for (const data of [1, 3]) expect(await next(stayer)).to.include({ data });
      await ack(leaver, third);
      await leaver.close();
      const again = await next(stayer);
      expect(again).to.include({ data: 0 });
      await publish(writer, 4);
      expect(await next(stayer)).to.include({ data: 4 });
    });
  }

  it('[WS-GROUP-4] reassign to a member that joins another gateway later', async () => {
    const leaver = await (await world.join({}, 0)).subscribe(topic, work);
    const writer = await world.join();
    await publish(writer, 0, 1);
    await next(leaver);
    await ack(leaver, await next(leaver));
    const later = await (await world.join({}, 1)).subscribe(topic, work);
    await leaver.close();
    expect(await next(later)).to.include({ data: 0 });
    await publish(writer, 2);
    expect(await next(later)).to.include({ data: 2 });
  });

  for (const [how, between] of [
    ['directly', []],
    ['over none', [{}]],
  ] as const) {
    it(`[WS-GROUP-6] do not count in another group to which their subscription has moved ${how}`, async () => {
      const [worker, mover] = [await world.join(), await world.join()];
      await worker.subscribe(topic, { loadBalance: true, loadBalanceGroup: 'others' });
      await mover.subscribe(topic, work);
      const writer = await world.join();
      await publish(writer, 0);
      const late = await next(mover);
      expect(await next(worker)).to.include({ data: 0, msgId: late.msgId });
      const others = { loadBalance: true, loadBalanceGroup: 'others' };
      for (const options of [...between, others]) await mover.subscribe(topic, options);
      await ack(mover, late);
      await worker.close();
      expect(await next(mover)).to.include({ data: 0 });
    });
  }

  it('[WS-GROUP-8] drop the oldest of too many, and count them', async () => {
    const small = await World.open({ publishRate: 0, groupMessages: 5, messageStore: (record) => record });
    const at = await small.newsroom();
    const [one, other] = [await small.join(), await small.join()];
    await one.subscribe(at, work);
    const writer = await small.join();
    for (let n = 0; n < 8; n++) await writer.publish(at, n, { msgRef: 'r' }).next();
    await other.subscribe(at, work);
    await one.close();
    for (let n = 3; n < 8; n++) expect(await next(other)).to.include({ data: n });
    expect(small.gateway.metrics.groupMessagesDropped).to.equal(3);
    await small.close();
  });
});
