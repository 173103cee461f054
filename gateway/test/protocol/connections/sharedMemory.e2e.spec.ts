import { expect } from 'chai';
import { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import type { MessageStore } from '@roomwire/shared/ports/messageStore';
import { collectedMetrics } from '@roomwire/testing/run/collectedMetrics';
import { isOnEngines } from '@roomwire/testing/run/testProfile';
import { eventually, settled } from '@roomwire/testing/run/eventually';
import type { Frame, FrameClient } from '@roomwire/testing/clients/frameClient';
import { StalledClient } from '@roomwire/testing/clients/stalledClient';
import { World } from '../../support/world.js';

describe('shared memory', () => {
  let world: World;
  afterEach(() => world.close());

  /** Retains a value in each of so many rooms of the project; gives the first topic. */
  const retain = async (values: number, projectId: string): Promise<string> => {
    const app = await world.app(`app-${projectId.slice(0, 8)}`, {}, projectId);
    const client = await world.joinAs((await world.actor({}, projectId)).token);
    const topicOf = (n: number) => `${app.slug}/room-${n}/news`;
    for (let n = 0; n < values; n++) {
      await world.room(app, `room-${n}`);
      const frame = { type: 'publish', topic: topicOf(n), data: 'x'.repeat(1_000), retain: true };
      expect(await client.ask({ ...frame, msgRef: `${n}` })).to.include({ type: 'published' });
    }
    return topicOf(0);
  };

  it('[WS-MEM-1] keeps the last value of a project while another one floods the gateway with values', async () => {
    world = await World.open({ retainedBytes: 20_000, publishRate: 0 });
    const kept = await retain(1, world.projectId);
    await retain(50, await world.project());
    await eventually(() => world.gateway.metrics.retainedDropped > 25);
    const reader = await (await world.join()).subscribe(kept);
    expect(await reader.next()).to.include({ type: 'message', topic: kept });
  });

  /** Rooms with the topic `news` in an app of the project. */
  const rooms = async (count: number, projectId = world.projectId): Promise<(n: number) => string> => {
    const app = await world.app(`app-${projectId.slice(0, 8)}`, {}, projectId);
    for (let n = 0; n < count; n++) await world.room(app, `room-${n}`);
    return (n) => `${app.slug}/room-${n}/news`;
  };

  it('[WS-MEM-2] refuses one subscription more than a connection may have, and changes those that it has', async () => {
    world = await World.open({ maxSubscriptions: 2 });
    const topicOf = await rooms(3);
    const client = await world.join();
    for (const n of [0, 1, 0]) await client.subscribe(topicOf(n), { filters: [`v${n}`] });
    const refusal = { type: 'error', error: 'subscription_limit', code: 42970, topic: topicOf(2) };
    expect(await client.ask({ type: 'subscribe', topic: topicOf(2) })).to.deep.equal(refusal);
    await client.ask({ type: 'unsubscribe', topic: topicOf(0) });
    await client.subscribe(topicOf(2));
  });

  const filters = (count: number, seed: string) => Array.from({ length: count }, (_, n) => `${seed}-${n}`);
  const refused = { type: 'error', error: 'memory_limit_exceeded', code: 42980 };

  it('[WS-MEM-3] refuses filters beyond the memory of a connection, and gives back what has ended', async () => {
    world = await World.open({ subscriptionBytesPerConnection: 60_000 });
    const topicOf = await rooms(3);
    const client = await world.join();
    await client.subscribe(topicOf(0), { filters: filters(100, 'a') });
    await client.subscribe(topicOf(1), { filters: filters(100, 'b') });
    const third = { topic: topicOf(2), filters: filters(100, 'c') };
    expect(await client.ask({ type: 'subscribe', ...third })).to.deep.equal({
      ...refused,
      topic: third.topic,
    });
    await client.subscribe(third.topic);
    expect(await client.ask({ type: 'setFilters', ...third })).to.deep.equal({
      ...refused,
      topic: third.topic,
    });
    await client.ask({ type: 'setFilters', topic: topicOf(0), filters: [] });
    expect(await client.ask({ type: 'setFilters', ...third })).to.include({ type: 'filtersUpdated' });
    await client.ask({ type: 'unsubscribe', topic: topicOf(1) });
    await client.subscribe(topicOf(0), { filters: filters(100, 'd') });
  });

  it('[WS-MEM-3] gives a project half of it, and other projects still have room', async () => {
    world = await World.open({ subscriptionBytes: 200_000 });
    const topicOf = await rooms(10);
    const flooding = await world.join();
    const answers: unknown[] = [];
    for (let n = 0; n < 10; n++) {
      const reply = await flooding.ask({
        type: 'subscribe',
        topic: topicOf(n),
        filters: filters(100, `${n}`),
      });
      answers.push((reply as { readonly type: string }).type);
    }
    expect(answers).to.deep.equal([
      ...Array<string>(4).fill('subscribed'),
      ...Array<string>(6).fill('error'),
    ]);
    const other = await world.project();
    const otherTopic = await rooms(1, other);
    const neighbour = await world.joinAs((await world.actor({}, other)).token);
    await neighbour.subscribe(otherTopic(0), { filters: filters(100, 'x') });
    flooding.webSocket.terminate();
    const next = await world.join();
    await eventually(async () => {
      const reply = await next.ask({ type: 'subscribe', topic: topicOf(9), filters: filters(100, 'z') });
      return (reply as { readonly type: string }).type === 'subscribed';
    });
    for (let n = 0; n < 3; n++) await next.subscribe(topicOf(n), { filters: filters(100, `again-${n}`) });
  });

  it('[WS-MEM-3] closes the largest connection of the project that holds the most for one that holds less', async () => {
    world = await World.open({ subscriptionBytes: 200_000 });
    const clients: FrameClient[] = [];
    const topics: ((n: number) => string)[] = [];
    for (const [count, projectId] of [
      [4, world.projectId],
      [3, await world.project()],
    ] as const) {
      topics.push(await rooms(8, projectId));
      const client = await world.joinAs((await world.actor({}, projectId)).token);
      clients.push(client);
      const topicOf = topics.at(-1) as (n: number) => string;
      for (let n = 0; n < count; n++) await client.subscribe(topicOf(n), { filters: filters(100, `${n}`) });
    }
    const [largest, second] = clients as [FrameClient, FrameClient];
    const third = await world.project();
    const thirdTopic = await rooms(2, third);
    const small = await world.joinAs((await world.actor({}, third)).token);
    for (let n = 0; n < 2; n++) await small.subscribe(thirdTopic(n), { filters: filters(100, `${n}`) });
    expect(await largest.closed).to.deep.equal({ code: 1013, reason: 'memory_limit_exceeded' });
    expect(await second.ask({ type: 'unsubscribe', topic: 'a/b/c' })).to.include({ type: 'unsubscribed' });
    await second.subscribe((topics[1] as (n: number) => string)(7));
  });

  it('[WS-MEM-3] gets everything back, however subscriptions end', async () => {
    world = await World.open({ subscriptionBytesPerConnection: 100_000 });
    const app = await world.app('app-1');
    const [first, second] = [await world.room(app, 'first'), await world.room(app, 'second')];
    const topics = [first, second].map(({ slug }) => `app-1/${slug}/news`) as [string, string];
    const held = async (): Promise<number | undefined> =>
      (await collectedMetrics(world.gateway.collect)).get('roomwire_shared_memory_bytes subscriptions');
    expect(await held()).to.equal(0);

    const client = await world.join({ actorType: 'agent' });
    for (const topic of topics) {
      await client.subscribe(topic, { filters: filters(50, 'a') });
      await client.subscribe(topic, {
        filters: [['one', 'two']],
        loadBalance: true,
        loadBalanceGroup: 'group',
      });
      await client.ask({ type: 'setFilters', topic, filters: filters(20, 'b') });
    }
    expect(await held()).to.be.within(20_000, 40_000);
    const { roomId, appId } = second;
    await world.happened({ type: 'RoomDeleted', data: { appId, roomId } }, { remove: 'rooms', id: roomId });
    await eventually(async () => ((await held()) ?? 0) < 20_000, { what: 'the memory of the deleted room' });
    await client.ask({ type: 'unsubscribe', topic: topics[0] });
    await eventually(async () => (await held()) === 0, { what: 'the memory of both' });

    await client.subscribe(topics[0]);
    for (let n = 0; n < 20; n++)
      client.send({ type: 'subscribe', topic: topics[0], filters: filters(n, 'c') });
    client.terminate();
    await eventually(async () => (await held()) === 0, { what: 'the memory of a connection that broke' });
  });

  it('[WS-MEM-3] does not restore subscriptions for which there is no memory', async () => {
    world = await World.open();
    await world.startGateway({ subscriptionBytesPerConnection: 40_000 });
    const topicOf = await rooms(2);
    const { token, record } = await world.actor({ actorType: 'agent' });
    const first = await world.joinAs(token);
    for (const n of [0, 1]) await first.subscribe(topicOf(n), { filters: filters(100, `${n}`) });
    await eventually(
      async () => (await world.sessions.load(record.actorTokenId, ''))?.subscriptions.length === 2,
    );
    await first.close();
    const second = await world.connect(1);
    const reply = await second.ask({ type: 'auth', token, protocolVersion: 2, reconnect: true });
    expect((reply as Frame)['restoredSubscriptions']).to.have.length(1);
  });

  it('[WS-GROUP-11] holds for the messages of many groups, on all gateways alike', async () => {
    const options = {
      groupMemoryBytes: 200_000,
      messageStore: (store: MessageStore) => store,
      publishRate: 0,
    };
    world = await World.open(options);
    await world.startGateway(options);
    const topic = (await rooms(1))(0);
    const { token } = await world.actor();
    for (let n = 0; n < 10; n++) {
      for (const gateway of [0, 1]) {
        const client = await world.joinAs(token, gateway);
        await client.subscribe(topic, { loadBalance: true, loadBalanceGroup: `group-${n}` });
      }
    }
    const writer = await world.join();
    for (let n = 0; n < 50; n++) {
      const reply = await writer.ask({
        type: 'publish',
        topic,
        data: 'x'.repeat(1_000),
        qos: 1,
        msgRef: `${n}`,
      });
      expect(reply).to.include({ type: 'published' });
    }
    const shown = async (gateway: number, name: string): Promise<number> =>
      (await collectedMetrics(world.gatewayAt(gateway).collect)).get(`roomwire_${name}`) ?? 0;
    const dropped = async (): Promise<number> =>
      (await shown(0, 'group_messages_dropped_total')) + (await shown(1, 'group_messages_dropped_total'));
    await eventually(async () => (await dropped()) >= 380, { what: 'what does not fit' });
    await eventually(async () => (await shown(0, 'group_messages_open')) <= 110, {
      what: 'the first gateway',
    });
    await eventually(
      async () => (await shown(1, 'group_messages_open')) === (await shown(0, 'group_messages_open')),
      { what: 'the same on the second' },
    );
    for (const gateway of [0, 1])
      expect(await shown(gateway, 'shared_memory_bytes group_messages')).to.be.within(100_000, 200_000);
  });

  it('[WS-MEM-4] is limited for what slow readers have not received, and the largest project gives way', async () => {
    const outboxMemoryBytes = 3_000_000;
    world = await World.open({ outboxMemoryBytes, outboxBytes: 1_000_000_000, publishRate: 0 });
    const { metrics, collect } = world.gateway;
    const stalledOn = async (topic: string, projectId: string): Promise<void> => {
      const stalled = await StalledClient.connect(world.url());
      await stalled.ask({ type: 'auth', token: (await world.actor({}, projectId)).token });
      await stalled.ask({ type: 'subscribe', topic });
      stalled.stall();
    };
    const waiting = async (): Promise<number> =>
      (await collectedMetrics(collect)).get('roomwire_outbox_bytes') ?? 0;
    /** When the system has taken what it takes for readers that have stalled. */
    const waitingAtLast = () => settled(waiting, 5);
    const data = 'x'.repeat(200_000);

    const other = await world.project();
    const quiet = (await rooms(1, other))(0);
    await stalledOn(quiet, other);
    const neighbour = await world.joinAs((await world.actor({}, other)).token);
    while ((await waitingAtLast()) < 500_000) await neighbour.publish(quiet, data, { msgRef: 'm' }).next();
    expect(metrics.slowConsumers).to.equal(0);

    const topicOf = await rooms(3);
    for (let n = 0; n < 3; n++) await stalledOn(topicOf(n), world.projectId);
    const writer = await world.join();
    for (let n = 0; metrics.slowConsumers < 3; n++)
      await writer.publish(topicOf(n % 3), data, { msgRef: 'm' }).next();
    await eventually(() => world.gateway.connections === 3, { what: 'that the three are cut off' });
    expect(await waiting()).to.be.greaterThan(500_000);
  });

  it('[WS-MEM-5] refuses presences beyond half of it for a project, and closes the largest for a smaller one', async () => {
    const options = { presenceMemoryBytes: 100_000 };
    world = await World.open(options);
    await world.startGateway(options);
    const projects = [world.projectId, await world.project(), await world.project()];
    const room = async (projectId: string): Promise<string> =>
      (await rooms(1, projectId))(0).split('/').slice(0, 2).join('/');
    const [first, second, third] = (await Promise.all(projects.map(room))) as [string, string, string];
    const join = async (place: number, gateway: number): Promise<FrameClient> =>
      world.joinAs((await world.actor({}, projects[place])).token, gateway);
    const enter = async (client: FrameClient, roomId: string, bytes: number): Promise<void> =>
      world.announce(client, roomId, { text: 'x'.repeat(bytes) });

    const largest = await join(0, 0);
    await enter(largest, first, 16_000);
    await enter(await join(0, 1), first, 15_000);
    for (const gateway of [0, 1]) {
      const refusedOne = await join(0, gateway);
      const frame = { type: 'presence', roomId: first, data: { text: 'x'.repeat(16_000) } };
      expect(await refusedOne.ask(frame)).to.deep.equal({ ...refused, topic: first });
    }
    for (const gateway of [0, 1]) await enter(await join(1, gateway), second, 15_000);
    await enter(await join(2, 0), third, 14_000);
    await enter(await join(2, 1), third, 16_000);
    expect(await largest.closed).to.deep.equal({ code: 1013, reason: 'memory_limit_exceeded' });
    const held = async (gateway: number): Promise<number> =>
      (await collectedMetrics(world.gatewayAt(gateway).collect)).get(
        'roomwire_shared_memory_bytes presences',
      ) ?? 0;
    for (const gateway of [0, 1])
      await eventually(async () => (await held(gateway)) < 90_000, { what: `the rest at ${gateway}` });
  });

  it('[WS-MEM-1] is limited for the addresses that connections use, which are only resolved anew', async () => {
    world = await World.open({ addressMemoryBytes: 30_000, publishRate: 0 });
    const held = async (): Promise<number> =>
      (await collectedMetrics(world.gateway.collect)).get('roomwire_shared_memory_bytes addresses') ?? 0;
    const topicOf = await rooms(20);
    const clients = [await world.join(), await world.join(), await world.join({ actorType: 'agent' })];
    for (const client of clients) {
      for (let n = 0; n < 20; n++) {
        const reply = await client.ask({ type: 'publish', topic: topicOf(n), data: n, msgRef: `${n}` });
        expect(reply).to.include({ type: 'published' });
      }
    }
    expect(await held()).to.be.within(15_000, 30_000);
    for (const client of clients) client.terminate();
    await eventually(async () => (await held()) === 0, { what: 'that nothing is held' });
  });

  it('[WS-MEM-1] counts a connection that uses more addresses than it may remember', async function () {
    // The same on engines, where a thousand rooms take longer to make and to look up than a test may.
    if (isOnEngines()) return this.skip();
    const { logger } = createRecordingLogger();
    const limits = new LimitReports({ clock: new ManualClock(), logger });
    world = await World.open({ publishRate: 0, limits });
    const topicOf = await rooms(1_001);
    const client = await world.join();
    for (let n = 0; n < 1_001; n++)
      await client.ask({ type: 'publish', topic: topicOf(n), data: 1, msgRef: `${n}` });
    const counted = await collectedMetrics(limits.collect);
    expect(counted.get('roomwire_limit_reached_total knownAddresses')).to.equal(1);
  });
});
