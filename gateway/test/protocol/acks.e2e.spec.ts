import { expect } from 'chai';
import { createMetrics } from '../../src/metrics.js';
import { createFrameHandler, type FrameHandlerDeps } from '../../src/session/frameHandlers.js';
import type { Session } from '../../src/session/session.js';
import { PendingAcks } from '../../src/subscriptions/pendingAcks.js';
import { World } from '../support/world.js';

describe('acknowledgements', () => {
  describe('of an ordinary subscriber', () => {
    let world: World;

    before(async () => (world = await World.open()));
    after(() => world.close());

    const marker = { type: 'unsubscribe', topic: 'a/b/c' };
    const unsubscribed = { type: 'unsubscribed', topic: 'a/b/c' };

    it('[WS-ACK-1] [WS-ACK-2] are taken, counted and not answered, whatever the ids', async () => {
      const client = await world.join();
      const before = world.gateway.metrics.acks;
      client.send({ type: 'ack', msgId: 'unknown' }).sendJson({ type: 'ack', msgId: '' });
      client.send({ type: 'batchAck', msgIds: [] }).send({ type: 'batchAck', msgIds: ['a', 'a', 'b'] });
      expect(await client.ask(marker)).to.deep.equal(unsubscribed);
      expect(world.gateway.metrics.acks - before).to.equal(5);
    });

    it('[WS-ACK-2] are refused where they are no texts, or more than 10,000', async () => {
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
    const session = { subscriptions: { acks } } as Session;
    const metrics = createMetrics();
    const handle = createFrameHandler({ metrics, presence: {} } as FrameHandlerDeps);
    for (const msgId of ['a', 'b', 'c']) acks.delivered(subscription, msgId);
    void handle(session, { type: 'ack', msgId: 'b' });
    void handle(session, { type: 'batchAck', msgIds: ['x', 'c', 'c', 'a'] });
    expect(acknowledged).to.deep.equal(['b', 'c', 'a']);
    expect(metrics.acks).to.equal(5);
  });
});
