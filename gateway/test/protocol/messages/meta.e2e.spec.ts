import type { Buffer } from 'node:buffer';
import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import type { Frame, FrameClient } from '@roomwire/testing/clients/frameClient';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { World } from '../../support/world.js';

describe('meta', () => {
  let world: World;
  let topic: string;
  const chat = 'app-1/lobby/chat';
  const clock = new ManualClock();

  before(async () => {
    world = await World.open({ clock });
    await world.startGateway({ clock });
    topic = await world.newsroom();
  });
  after(() => world.close());

  const next = async (client: FrameClient): Promise<Frame> => (await client.next()) as Frame;
  const metaOf = async (client: FrameClient): Promise<Frame> => (await next(client))['meta'] as Frame;
  const ask = { type: 'subscribe', meta: true } as const;

  it('[WS-AUTH-19] is among the features that a client asks for', async () => {
    const { token } = await world.actor();
    const asking = await world.connect();
    const reply = await asking.ask({ type: 'auth', token, features: true });
    expect((reply as Frame)['features']).to.include.members(['meta', 'own']);
    const other = await world.connect();
    expect(await other.ask({ type: 'auth', token })).not.to.have.property('features');
  });

  it('[WS-AUTH-14] features of the wrong type make the frame invalid', async () => {
    const { token } = await world.actor();
    const client = await world.connect();
    const reply = await client.ask({ type: 'auth', token, features: 'yes', protocolVersion: 2 });
    expect(reply).to.deep.include({ type: 'error', error: 'invalid_frame' });
    await client.authenticate(token);
  });

  it('[WS-META-1] is confirmed only where it was asked for', async () => {
    const client = await world.join();
    expect(await client.ask({ ...ask, topic })).to.deep.equal({
      type: 'subscribed',
      ...{ topic, loadBalance: false, meta: true },
    });
    expect(await client.ask({ type: 'subscribe', topic })).to.deep.equal({
      type: 'subscribed',
      ...{ topic, loadBalance: false },
    });
    for (const wrong of ['yes', 1])
      expect(await client.ask({ ...ask, topic, meta: wrong })).to.include({ error: 'invalid_frame' });
  });

  it('[WS-META-2] says who published a message and when, the same on all gateways, and has an id of each', async () => {
    const { record, token } = await world.actor();
    const readers = [
      await (await world.join({}, 0)).subscribe(topic, { meta: true }),
      await (await world.join({}, 1)).subscribe(topic, { meta: true }),
    ];
    const writer = await world.joinAs(token, 1);
    writer.publish(topic, 'one', { filter: 'f' }).publish(topic, 'two', { meta: { id: 'forged' } });
    const [first, second] = [await next(readers[0] as FrameClient), await next(readers[0] as FrameClient)];
    expect(first).to.deep.equal({
      ...{ type: 'message', topic, data: 'one', filter: 'f' },
      meta: { id: (first['meta'] as Frame)['id'], at: clock.now(), from: record.actorTokenId },
    });
    expect(second['meta']).to.include({ at: clock.now(), from: record.actorTokenId });
    expect((second['meta'] as Frame)['id']).not.to.be.oneOf(['forged', (first['meta'] as Frame)['id']]);
    for (const message of [first, second])
      expect(await next(readers[1] as FrameClient)).to.deep.equal(message);
  });

  it('[WS-META-1] stays when filters are set, and ends when it is not asked for again', async () => {
    const client = await (await world.join()).subscribe(topic, { meta: true, filters: ['a'] });
    const writer = await world.join();
    expect(await client.ask({ type: 'setFilters', topic, filters: ['b'] })).to.include({
      type: 'filtersUpdated',
    });
    writer.publish(topic, 1, { filter: 'b' });
    expect(await next(client)).to.include.keys('meta');
    await client.subscribe(topic);
    writer.publish(topic, 2);
    expect(await next(client)).to.deep.equal({ type: 'message', topic, data: 2 });
  });

  it('[WS-META-3] changes no byte for those who do not ask', async () => {
    const without = await (await world.join()).subscribe(topic);
    const writer = await world.join();
    const bytes = (): Promise<Buffer> =>
      new Promise((resolve) => without.webSocket.once('message', (data: Buffer) => resolve(data)));
    const alone = bytes();
    writer.publish(topic, { text: 'hello' });
    const before = await alone;
    const asking = await (await world.join()).subscribe(topic, { meta: true });
    const beside = bytes();
    writer.publish(topic, { text: 'hello' });
    expect((await beside).equals(before)).to.equal(true);
    expect(await metaOf(asking)).to.have.keys('id', 'at', 'from');
  });

  it('[WS-META-1] comes with the last value, with the time of its publish', async () => {
    const { record, token } = await world.actor();
    const at = clock.now();
    const writer = await world.joinAs(token, 0);
    await writer.ask({ type: 'publish', topic, data: 'kept', retain: true, msgRef: 'r' });
    clock.pass(5_000);
    await eventually(async () => {
      const late = await (await world.join({}, 1)).subscribe(topic, { meta: true });
      writer.publish(topic, 'marker');
      const message = await next(late);
      if (message['data'] !== 'kept') return false;
      expect(message['meta']).to.deep.include({ at, from: record.actorTokenId });
      return true;
    });
  });

  it('[WS-META-1] comes to members of worker groups', async () => {
    const group = { loadBalance: true, loadBalanceGroup: 'readers', meta: true };
    const member = await world.join({}, 1);
    expect(await member.ask({ type: 'subscribe', topic, ...group })).to.include({
      loadBalance: true,
      meta: true,
    });
    (await world.join({}, 0)).publish(topic, 'work');
    const message = await next(member);
    expect(message).to.include({ data: 'work' });
    expect(message['meta']).to.have.keys('id', 'at', 'from');
  });

  it('[WS-RESUME-2] is restored with the session', async () => {
    const { record, token } = await world.actor({ actorType: 'agent' });
    const first = await world.connect();
    await first.ask({ type: 'auth', token, protocolVersion: 2 });
    await first.subscribe(chat, { meta: true, own: true });
    await eventually(
      async () => (await world.sessions.load(record.actorTokenId, ''))?.subscriptions.length === 1,
    );
    const second = await world.connect(1);
    const reply = (await second.ask({ type: 'auth', token, protocolVersion: 2, reconnect: true })) as Frame;
    const [restored] = reply['restoredSubscriptions'] as Frame[];
    expect(restored).to.include({ pattern: chat, meta: true, own: true });
    (await world.joinAs(token, 0)).publish(chat, 'from another connection');
    const message = await next(second);
    expect(message).to.include({ data: 'from another connection' });
    expect(message['meta']).to.include({ from: record.actorTokenId });
  });
});

describe('meta of recorded messages', () => {
  it('[WS-META-2] has the id that the message shows', async () => {
    const world = await World.open({ messageStore: (store) => store });
    const topic = await world.newsroom();
    const reader = await (await world.join()).subscribe(topic, { meta: true });
    (await world.join()).publish(topic, 'recorded');
    const message = (await reader.next()) as Frame;
    expect((message['meta'] as Frame)['id']).to.equal(message['msgId']);
    await world.close();
  });
});
