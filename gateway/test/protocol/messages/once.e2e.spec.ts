import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { PublishIds } from '@roomwire/shared/ports/publishIds';
import { liveMessages, type LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { Frame, FrameClient } from '@roomwire/testing/clients/frameClient';
import { eventually } from '@roomwire/testing/run/eventually';
import * as records from '@roomwire/testing/builders/records';
import { overlaid } from '../../support/overlaid.js';
import { World } from '../../support/world.js';

describe('publishing once', () => {
  let world: World;
  let topic: string;
  let token: string;
  let reader: FrameClient;

  beforeEach(async () => {
    world = await World.open({ publishRate: 0 });
    await world.startGateway({ publishRate: 0 });
    topic = await world.newsroom();
    ({ token } = await world.actor());
    reader = await (await world.join({}, 1)).subscribe(topic, { meta: true });
  });
  afterEach(() => world.close());

  const publish = (client: FrameClient, id: string, data: unknown, options: Frame = {}) =>
    client.ask({ type: 'publish', topic, data, id, msgRef: 'r', ...options });
  const published = (id: string, options: Frame = {}) => ({
    type: 'published',
    topic,
    msgRef: 'r',
    id,
    ...options,
  });
  const next = async (client = reader): Promise<Frame> => (await client.next()) as Frame;
  /** What the reader gets up to a message of somebody else. */
  const untilMarker = async (): Promise<unknown[]> => {
    (await world.join({}, 1)).publish(topic, 'marker');
    const got: unknown[] = [];
    for (let frame = await next(); frame['data'] !== 'marker'; frame = await next()) got.push(frame['data']);
    return got;
  };

  it('[WS-AUTH-19] is a feature', async () => {
    const reply = (await (await world.connect()).ask({ type: 'auth', token, features: true })) as Frame;
    expect(reply['features']).to.include('idempotency');
  });

  it('[WS-ONCE-1] [WS-ONCE-2] delivers one of those with one id, on any connection and gateway, and answers the others like it', async () => {
    const [here, there] = [await world.joinAs(token, 0), await world.joinAs(token, 1)];
    expect(await publish(here, 'order-1', 'x')).to.deep.equal(published('order-1'));
    expect(await publish(there, 'order-1', 'x')).to.deep.equal(published('order-1', { duplicate: true }));
    expect(await publish(here, 'order-1', 'x')).to.deep.equal(published('order-1', { duplicate: true }));
    expect(await untilMarker()).to.deep.equal(['x']);
  });

  it('[WS-META-2] shows the id to subscribers that ask for meta', async () => {
    await publish(await world.joinAs(token), 'order-1', 'x');
    expect((await next())['meta']).to.include({ id: 'order-1' });
  });

  it('[WS-ONCE-1] means the id of one actor, and of one address', async () => {
    const chat = 'app-1/lobby/chat';
    const client = await world.joinAs(token);
    await publish(client, 'a', 1);
    expect(await publish(await world.join(), 'a', 1)).not.to.have.property('duplicate');
    expect(await publish(client, 'a', 1, { topic: chat })).not.to.have.property('duplicate');
    expect(await untilMarker()).to.deep.equal([1, 1]);
  });

  it('[WS-ONCE-1] refuses other ids as invalid frames', async () => {
    const client = await world.joinAs(token);
    for (const id of ['', 'a b', 'ü', 'a/b', 'x'.repeat(129), 7])
      expect(await publish(client, id as string, 1)).to.include({ error: 'invalid_frame', msgRef: 'r' });
    for (const id of ['x'.repeat(128), 'A-z_0.9:'])
      expect(await publish(client, id, 1)).to.deep.equal(published(id));
  });

  it('[WS-ONCE-1] holds for many at once on two gateways: one is delivered, all are answered', async () => {
    const clients = await Promise.all([0, 1, 0, 1, 0, 1].map((gateway) => world.joinAs(token, gateway)));
    for (const [at, client] of clients.entries())
      for (const [id, data] of [['same', 'x'] as const, [`own-${at}`, at] as const])
        client.publish(topic, data, { id, msgRef: 'r' });
    const answers: Frame[] = [];
    for (const client of clients) answers.push(await next(client), await next(client));
    const ofTheSame = answers.filter(({ id }) => id === 'same');
    expect(ofTheSame).to.have.length(6);
    expect(ofTheSame.filter(({ duplicate }) => duplicate !== true)).to.have.length(1);
    expect((await untilMarker()).filter((data) => data === 'x')).to.deep.equal(['x']);
  });

  it('[WS-PUB-3] keeps the order of those with an id, and of those without behind them', async () => {
    const client = await world.joinAs(token);
    for (let n = 0; n < 30; n++)
      client.publish(topic, n, n % 3 === 0 ? {} : { id: `id-${n}`, ...(n % 5 === 0 && { retain: true }) });
    const got: unknown[] = [];
    for (let n = 0; n < 30; n++) got.push((await next())['data']);
    expect(got).to.deep.equal(Array.from({ length: 30 }, (_, n) => n));
  });

  it('[WS-ONCE-3] answers other data with a conflict, and delivers none of it', async () => {
    const client = await world.joinAs(token);
    await publish(client, 'a', { n: 1 });
    const refused = { type: 'error', error: 'publish_conflict', code: 42960, topic, msgRef: 'r' };
    expect(await publish(client, 'a', { n: 2 })).to.include(refused);
    expect(await publish(client, 'a', { n: 1 }, { filter: 'f', qos: 2 })).to.deep.equal(
      published('a', { duplicate: true }),
    );
    expect(await untilMarker()).to.deep.equal([{ n: 1 }]);
  });

  it('[WS-ONCE-2] costs no quota, and is answered when there is none left', async () => {
    const organization = { ...records.organization(world.organizationId) };
    await world.put({
      put: 'organizations',
      id: world.organizationId,
      doc: { ...organization, plan: { ...organization.plan, monthlyMessages: 2 } },
    });
    const client = await world.joinAs(token);
    await publish(client, 'a', 1);
    for (let n = 0; n < 3; n++)
      expect(await publish(client, 'a', 1)).to.deep.equal(published('a', { duplicate: true }));
    expect(await publish(client, 'b', 2)).to.deep.equal(published('b'));
    expect(await publish(client, 'c', 3)).to.include({ error: 'monthly_quota_exceeded' });
    expect(await publish(client, 'b', 2)).to.deep.equal(published('b', { duplicate: true }));
  });

  it('[WS-ONCE-3] leaves the id of a refused publish free', async () => {
    const client = await world.joinAs(token);
    const bad = { filter: 'a/b' };
    expect(await publish(client, 'a', 1, bad))
      .to.have.property('error')
      .that.contains('invalid_filter');
    expect(await publish(client, 'a', 2)).to.deep.equal(published('a'));
  });
});

describe('publishing once, with faults', () => {
  let world: World;
  afterEach(() => world.close());

  const ask = (client: FrameClient, topic: string, options: Frame = {}) =>
    client.ask({ type: 'publish', topic, data: 'x', id: 'a', msgRef: 'r', ...options });

  it('[WS-ONCE-3] sends what did not reach the bus again, under the same message id, and what is new under another', async () => {
    const sent: LiveMessage[] = [];
    let fails = true;
    world = await World.open({
      bus: (bus) =>
        overlaid(bus, {
          send: async (channel, record, acknowledgement) => {
            if (channel.name !== liveMessages.name) return bus.send(channel, record, acknowledgement);
            sent.push(record as LiveMessage);
            if (fails) throw new EngineUnavailable('message bus');
            return bus.send(channel, record, acknowledgement);
          },
        }),
    });
    const topic = await world.newsroom();
    const client = await world.join();
    expect(await ask(client, topic)).to.include({ error: 'broker_unavailable' });
    expect(await ask(client, topic)).to.include({ error: 'broker_unavailable' });
    expect(await ask(client, topic, { data: 'y' })).to.include({ error: 'broker_unavailable' });
    fails = false;
    expect(await ask(client, topic, { data: 'y' })).to.deep.include({ type: 'published', id: 'a' });
    const [first, second, third, fourth] = sent.map(({ id }) => id);
    expect(second).to.equal(first);
    expect(third).not.to.equal(first);
    expect(fourth).to.equal(third);
  });

  it('[WS-ONCE-4] drops the second copy of a message whose gateway could not say that it was sent', async () => {
    let isLost = true;
    world = await World.open({
      publishIds: (ids) =>
        overlaid<PublishIds>(ids, { sent: (claims) => (isLost ? ids.giveUp(claims) : ids.sent(claims)) }),
    });
    const topic = await world.newsroom();
    const reader = await (await world.join()).subscribe(topic);
    const client = await world.join();
    await ask(client, topic);
    isLost = false;
    await ask(client, topic);
    expect(await ask(client, topic)).to.include({ duplicate: true });
    (await world.join()).publish(topic, 'marker');
    expect(await reader.next()).to.include({ data: 'x' });
    expect(await reader.next()).to.include({ data: 'marker' });
  });

  it('[WS-ONCE-3] is unavailable without the store, while other publishes go on', async () => {
    world = await World.open({
      publishIds: (ids) =>
        overlaid<PublishIds>(ids, { claim: () => Promise.reject(new EngineUnavailable('publish ids')) }),
    });
    const topic = await world.newsroom();
    const client = await world.join();
    expect(await ask(client, topic)).to.include({ error: 'broker_unavailable', msgRef: 'r' });
    expect(await client.ask({ type: 'publish', topic, data: 1, msgRef: 'p' })).to.deep.equal({
      ...{ type: 'published', topic, msgRef: 'p' },
    });
  });

  it('[WS-PUB-6] counts publishes that wait for their ids at once', async () => {
    world = await World.open({ publishRate: 5 });
    const topic = await world.newsroom();
    const client = await world.join();
    for (let n = 0; n < 12; n++)
      client.send({ type: 'publish', topic, data: n, id: `i${n}`, msgRef: `r${n}` });
    const answers: Frame[] = [];
    for (let n = 0; n < 12; n++) answers.push((await client.next()) as Frame);
    expect(answers.filter(({ type }) => type === 'published')).to.have.length(5);
    expect(answers.filter(({ error }) => error === 'rate_limit_exceeded')).to.have.length(7);
    await eventually(() => world.gateway.metrics.publishes === 5);
  });
});
