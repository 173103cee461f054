import { expect } from 'chai';
import { liveMessages, retainedMessages } from '@roomwire/shared/wire/bus/liveMessage';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { Channel } from '@roomwire/shared/wire/bus/channel';
import { eventually } from '@roomwire/testing/run/eventually';
import type { FrameClient } from '@roomwire/testing/clients/frameClient';
import { overlaid } from '../../support/overlaid.js';
import { World, type WorldOptions } from '../../support/world.js';

describe('a retained message', () => {
  let world: World;
  let topic: string;
  let writer: FrameClient;

  const open = async (options: WorldOptions = {}): Promise<void> => {
    world = await World.open(options);
    topic = await world.newsroom();
    writer = await world.join();
  };

  beforeEach(() => open());
  afterEach(() => world.close());

  const published = { type: 'published' };
  const retain = async (data: unknown, options: object = {}, by = writer): Promise<void> => {
    expect(await by.ask({ type: 'publish', topic, data, retain: true, msgRef: 'r', ...options })).to.include(
      published,
    );
    await world.spread();
  };
  const subscribed = async (options: object = {}, gateway = 0): Promise<FrameClient> =>
    (await world.join({}, gateway)).subscribe(topic, options as Record<string, unknown>);

  /** What comes to a reader before a message that is published now. */
  const untilMarker = async (reader: FrameClient, options: object = {}): Promise<unknown[]> => {
    const marker = await world.join();
    marker.publish(topic, 'marker', options as Record<string, unknown>);
    const data: unknown[] = [];
    for (;;) {
      const frame = await reader.next();
      if (frame === 'heartbeat' || frame['data'] === 'marker') return data;
      data.push(frame['data']);
    }
  };

  it('[WS-RETAIN-1] is delivered live like any other', async () => {
    const reader = await subscribed();
    await retain('now');
    expect(await reader.next()).to.deep.equal({ type: 'message', topic, data: 'now' });
    expect(await untilMarker(reader)).to.deep.equal([]);
  });

  it('[WS-RETAIN-2] follows the answer to later subscribers, only the last one', async () => {
    await retain('old');
    await retain('last', { filter: 'eu' });
    writer.publish(topic, 'not retained');
    const reader = await subscribed();
    expect(await reader.next()).to.deep.equal({ type: 'message', topic, data: 'last', filter: 'eu' });
    expect(await untilMarker(reader)).to.deep.equal([]);
  });

  it('[WS-RETAIN-2] is sent again after unsubscribing, and not when the options are switched', async () => {
    await retain('last');
    const reader = await subscribed();
    expect(await reader.next()).to.include({ data: 'last' });
    await reader.subscribe(topic, { qos: 2 });
    expect(await reader.ask({ type: 'setFilters', topic, filters: [] })).to.include({
      type: 'filtersUpdated',
    });
    expect(await untilMarker(reader)).to.deep.equal([]);
    await reader.ask({ type: 'unsubscribe', topic });
    await reader.subscribe(topic);
    expect(await reader.next()).to.include({ data: 'last' });
  });

  it('[WS-RETAIN-2] is matched against the filters of the subscriber', async () => {
    await retain('last', { filters: ['eu', 'urgent'] });
    for (const filters of [['eu'], [['urgent', 'eu']]]) {
      expect(
        await untilMarker(await subscribed({ filters }), { filter: 'eu', filters: ['urgent'] }),
      ).to.deep.equal(['last']);
    }
    const other = await subscribed({ filters: ['us', ['eu', 'us']] });
    expect(await untilMarker(other, { filter: 'us' })).to.deep.equal([]);
    await retain('without values');
    expect(await untilMarker(await subscribed({ filters: ['eu'] }), { filter: 'eu' })).to.deep.equal([]);
  });

  it('[WS-RETAIN-2] is never sent to its publisher, on any connection', async () => {
    const { token } = await world.actor();
    const own = await world.joinAs(token);
    await retain('own', {}, own);
    const second = await (await world.joinAs(token)).subscribe(topic);
    expect(await untilMarker(await own.subscribe(topic))).to.deep.equal([]);
    expect(await untilMarker(second)).to.deep.equal([]);
    expect(await (await subscribed()).next()).to.include({ data: 'own' });
  });

  it('[WS-RETAIN-1] is known on a gateway without subscribers in the room', async () => {
    await world.startGateway();
    await retain('far', { qos: 0 });
    expect(await (await subscribed({}, 1)).next()).to.include({ data: 'far' });
  });

  it('[WS-RETAIN-1] belongs to its topic only', async () => {
    await retain('news');
    const reader = await (await world.join()).subscribe('app-1/lobby/chat');
    (await world.join()).publish('app-1/lobby/chat', 'marker');
    expect(await reader.next()).to.include({ data: 'marker' });
  });

  it('[WS-RETAIN-5] stays in its scope, also when another one gets its name later', async () => {
    const scope = await world.scope('acme');
    const inside = (accessScopeId: string) => world.join({ accessScopeId });
    await retain('inside', {}, await inside(scope.accessScopeId));
    expect(await untilMarker(await subscribed())).to.deep.equal([]);
    expect(await (await (await inside(scope.accessScopeId)).subscribe(topic)).next()).to.include({
      data: 'inside',
    });
    const { accessScopeId } = await world.scope('acme');
    const later = await (await inside(accessScopeId)).subscribe(topic);
    (await inside(accessScopeId)).publish(topic, 'marker');
    expect(await later.next()).to.include({ data: 'marker' });
  });

  it('[WS-RETAIN-5] is deleted with its room, and not restored for one of the same name', async () => {
    await retain('of the old room');
    const { appId, roomId } = await world.find('rooms', { slug: 'lobby' });
    await world.happened({ type: 'RoomDeleted', data: { appId, roomId } }, { remove: 'rooms', id: roomId });
    await world.room(await world.find('apps'), 'lobby');
    expect(await untilMarker(await subscribed())).to.deep.equal([]);
  });

  it('[WS-RETAIN-4] is evicted for others, which a metric counts', async () => {
    await world.close();
    await open({ retainedBytes: 3_000 });
    const chat = 'app-1/lobby/chat';
    await retain('x'.repeat(1_000));
    await retain('y'.repeat(1_000), { topic: chat });
    await eventually(() => world.gateway.metrics.retainedDropped === 1);
    expect(await untilMarker(await subscribed())).to.deep.equal([]);
    const reader = await (await world.join()).subscribe(chat);
    expect(await reader.next()).to.include({ data: 'y'.repeat(1_000) });
  });

  describe('on a bus whose channels differ in lag', () => {
    const gate = () => {
      let allow: () => void = () => undefined;
      const allowed = new Promise<void>((resolve) => (allow = resolve));
      return { allow, allowed };
    };
    const delaying = (what: { readonly name: string }, until: Promise<void>) => (real: MessageBus) =>
      overlaid(real, {
        send: async (channel, record, acknowledgement) => {
          if ((channel as Channel<unknown>).name === what.name) await until;
          return real.send(channel, record, acknowledgement);
        },
      });

    it('[WS-RETAIN-3] is sent once to subscribers that received it as the retained value before it was live', async () => {
      await world.close();
      const { allow, allowed } = gate();
      await open({ bus: delaying(liveMessages, allowed) });
      const early = await subscribed();
      writer.publish(topic, 'last', { retain: true });
      await writer.subscribe('app-1/lobby/chat');
      const late = await subscribed();
      expect(await late.next()).to.include({ data: 'last' });
      allow();
      expect(await early.next()).to.include({ data: 'last' });
      expect(await untilMarker(late)).to.deep.equal([]);
    });

    it('[WS-PUB-3] is not overtaken by the next publish', async () => {
      await world.close();
      const { allow, allowed } = gate();
      await open({ bus: delaying(retainedMessages, allowed) });
      const reader = await subscribed();
      writer.publish(topic, 1, { retain: true }).publish(topic, 2).publish(topic, 3, { retain: true });
      (await world.join()).publish(topic, 'marker');
      expect(await reader.next()).to.include({ data: 'marker' });
      allow();
      for (const data of [1, 2, 3]) expect(await reader.next()).to.include({ data });
    });

    it('[WS-PUB-7] that the bus does not store is refused and not delivered', async () => {
      await world.close();
      await open({
        bus: (real) =>
          overlaid(real, {
            send: (channel, record, acknowledgement) =>
              (channel as Channel<unknown>).name === retainedMessages.name
                ? Promise.reject(new EngineUnavailable('message bus'))
                : real.send(channel, record, acknowledgement),
          }),
      });
      const reader = await subscribed();
      expect(await writer.ask({ type: 'publish', topic, data: 1, retain: true, msgRef: 'r' })).to.deep.equal({
        type: 'error',
        error: 'broker_unavailable',
        topic,
        msgRef: 'r',
      });
      expect(await untilMarker(reader)).to.deep.equal([]);
    });
  });
});
