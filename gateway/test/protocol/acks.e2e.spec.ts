import { expect } from 'chai';
import type { GatewayCore } from '../../src/core.js';
import type { Subscription } from '../../src/fanout/subscription.js';
import { ack, batchAck } from '../../src/handlers/ack.js';
import { createMetrics } from '../../src/metrics.js';
import { Outstanding } from '../../src/recording/outstanding.js';
import type { Session } from '../../src/session/session.js';
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
    const subscription = { name: 'member' } as unknown as Subscription;
    const heard: unknown[] = [];
    const outstanding = new Outstanding({
      onAcked: (of, msgId) => void heard.push([of, msgId]),
      onForgotten: () => undefined,
    });
    const session = { outstanding } as Session;
    const core = { metrics: createMetrics() } as GatewayCore;
    for (const msgId of ['a', 'b', 'c']) outstanding.delivered(subscription, msgId);
    void ack(session, { type: 'ack', msgId: 'b' }, core);
    void batchAck(session, { type: 'batchAck', msgIds: ['x', 'c', 'c', 'a'] }, core);
    expect(heard).to.deep.equal([
      [subscription, 'b'],
      [subscription, 'c'],
      [subscription, 'a'],
    ]);
    expect(core.metrics.acks).to.equal(5);
  });
});
