import { expect } from 'chai';
import { gatewayNews } from '@roomwire/shared/wire/bus/gatewayNews';
import { collectedMetrics } from '@roomwire/testing/run/collectedMetrics';
import { eventually } from '@roomwire/testing/run/eventually';
import type { Frame, FrameClient } from '@roomwire/testing/clients/frameClient';
import { World } from '../../support/world.js';

describe('own messages', () => {
  let world: World;
  let topic: string;
  let token: string;
  let others: FrameClient;

  beforeEach(async () => {
    world = await World.open();
    await world.startGateway();
    topic = await world.newsroom();
    ({ token } = await world.actor());
    others = await world.join();
  });
  afterEach(() => world.close());

  const next = async (client: FrameClient): Promise<Frame> => (await client.next()) as Frame;
  const publish = (client: FrameClient, data: unknown, options: Frame = {}) =>
    client.ask({ type: 'publish', topic, data, msgRef: String(data), ...options });

  it('[WS-OWN-1] are confirmed only where they were asked for', async () => {
    const client = await world.joinAs(token);
    const subscribed = { type: 'subscribed', topic, loadBalance: false };
    const ask = { type: 'subscribe', topic };
    expect(await client.ask({ ...ask, own: true })).to.deep.equal({ ...subscribed, own: true });
    expect(await client.ask(ask)).to.deep.equal(subscribed);
    expect(await client.ask({ ...ask, own: 1 })).to.include({ error: 'invalid_frame' });
  });

  it('[WS-OWN-1] come from another connection, on either gateway, and never from the same one', async () => {
    const near = await (await world.joinAs(token, 0)).subscribe(topic, { own: true });
    const far = await (await world.joinAs(token, 1)).subscribe(topic, { own: true });
    const silent = await (await world.joinAs(token, 1)).subscribe(topic);
    expect(await publish(near, 'mine')).to.include({ type: 'published' });
    expect(await next(far)).to.deep.equal({ type: 'message', topic, data: 'mine' });
    await publish(others, 'marker');
    for (const client of [near, silent, far]) expect(await next(client)).to.include({ data: 'marker' });
  });

  it('[WS-OWN-1] are filtered like others, and stay when filters are set', async () => {
    const reader = await (await world.joinAs(token)).subscribe(topic, { own: true, filters: ['a'] });
    const writer = await world.joinAs(token);
    await publish(writer, 1);
    await publish(writer, 2, { filter: 'a' });
    expect(await next(reader)).to.include({ data: 2 });
    await reader.ask({ type: 'setFilters', topic, filters: [] });
    await publish(writer, 3);
    expect(await next(reader)).to.include({ data: 3 });
    await reader.subscribe(topic);
    await publish(writer, 4);
    await publish(others, 'marker');
    expect(await next(reader)).to.include({ data: 'marker' });
  });

  it('[WS-OWN-1] are last values too, whichever connection has published them', async () => {
    const client = await world.joinAs(token);
    await publish(client, 'kept', { retain: true });
    await eventually(async () => {
      await client.ask({ type: 'unsubscribe', topic });
      await client.subscribe(topic, { own: true });
      others.publish(topic, 'marker');
      const first = await next(client);
      if (first['data'] === 'kept') await next(client);
      return first['data'] === 'kept';
    });
  });

  it('[WS-OWN-1] that are retained come live to other connections once', async () => {
    const reader = await (await world.joinAs(token, 1)).subscribe(topic, { own: true });
    const writer = await (await world.joinAs(token, 0)).subscribe(topic, { own: true });
    await publish(writer, 'kept', { retain: true });
    await publish(others, 'marker');
    expect(await next(reader)).to.include({ data: 'kept' });
    for (const client of [reader, writer]) expect(await next(client)).to.include({ data: 'marker' });
  });

  it('[WS-OWN-1] go to members of worker groups on other connections', async () => {
    const group = { loadBalance: true, loadBalanceGroup: 'workers' };
    const member = await (await world.joinAs(token, 1)).subscribe(topic, { ...group, own: true });
    const writer = await (await world.joinAs(token, 0)).subscribe(topic, { ...group, own: true });
    const seen: unknown[] = [];
    for (const data of [1, 2, 3, 4]) await publish(writer, data);
    for (const data of [1, 2, 3, 4]) {
      expect(await next(member)).to.include({ data });
      seen.push(data);
    }
    expect(seen).to.have.length(4);
    await writer.ask({ type: 'unsubscribe', topic });
  });

  it('[WS-GROUP-3] go to no member that does not ask', async () => {
    const group = { loadBalance: true, loadBalanceGroup: 'workers' };
    const member = await (await world.joinAs(token, 1)).subscribe(topic, group);
    const writer = await world.joinAs(token, 0);
    await publish(writer, 'mine');
    await publish(others, 'marker');
    expect(await next(member)).to.include({ data: 'marker' });
  });
});

describe('own messages beside gateways of an earlier version', () => {
  it('[WS-OWN-2] do not go to members of worker groups', async () => {
    const world = await World.open();
    const report = { connections: {}, presenceSequence: 0 };
    await world.bus.send(gatewayNews, { kind: 'beat', gatewayId: 'earlier', number: 1, report }, 'stored');
    const gateways = async () => (await collectedMetrics(world.gateway.collect)).get('roomwire_gateways');
    await eventually(async () => (await gateways()) === 2);
    const topic = await world.newsroom();
    const { token } = await world.actor();
    const group = { loadBalance: true, loadBalanceGroup: 'workers', own: true };
    const member = await (await world.joinAs(token)).subscribe(topic, group);
    (await world.joinAs(token)).publish(topic, 'mine');
    (await world.join()).publish(topic, 'marker');
    expect(await member.next()).to.include({ data: 'marker' });
    await world.close();
  });
});
