import { expect } from 'chai';
import type { Actor } from '@roomwire/shared/domain/actor';
import type { Room } from '@roomwire/shared/domain/room';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { SessionWrite } from '@roomwire/shared/ports/sessionStore';
import { eventually } from '@roomwire/testing/run/eventually';
import type { Frame, FrameClient } from '@roomwire/testing/clients/frameClient';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { instanceOf } from '../../../src/subscriptions/persistentSessions.js';
import { overlaid } from '../../support/overlaid.js';
import { World, type WorldOptions } from '../../support/world.js';

const oneDay = 24 * 3_600_000;

describe('a persistent session', () => {
  let world: World;
  let topic: string;
  let token: string;
  let actor: Actor;
  const chat = 'app-1/lobby/chat';

  const open = async (options: WorldOptions = {}): Promise<void> => {
    world = await World.open(options);
    topic = await world.newsroom();
    ({ record: actor, token } = await world.actor({ actorType: 'agent' }));
  };

  beforeEach(() => open());
  afterEach(() => world.close());

  const connect = async (options: object = {}, gateway = 0): Promise<[FrameClient, Frame]> => {
    const client = await world.connect(gateway);
    const reply = await client.ask({ type: 'auth', token, protocolVersion: 2, ...options });
    return [client, reply as Frame];
  };
  const restored = async (options: object = {}, gateway = 0): Promise<unknown> =>
    (await connect({ reconnect: true, ...options }, gateway))[1]['restoredSubscriptions'];
  const entry = (pattern: string, filters: unknown = []) => ({
    pattern,
    topic: `${world.projectId}/app-1/_/lobby/${pattern.split('/')[2]}`,
    load_balance: false,
    load_balance_group: null,
    filters,
  });
  const recorded = async (count: number, instance = ''): Promise<void> =>
    eventually(async () => {
      const stored = await world.sessions.load(actor.actorTokenId, instance);
      return stored?.subscriptions.length === count;
    });

  it('[WS-RESUME-2] is restored: listed, and really subscribed, with its filters', async () => {
    const [first] = await connect();
    await (await first.subscribe(topic, { filters: ['eu', ['us', 'urgent']], qos: 2 })).subscribe(chat);
    await first.close();
    const [second, reply] = await connect({ reconnect: true });
    expect(reply['restoredSubscriptions']).to.deep.equal([
      entry(topic, ['eu', ['us', 'urgent']]),
      entry(chat),
    ]);
    const writer = await world.join();
    writer.publish(topic, 'other', { filter: 'asia' }).publish(topic, 'matching', { filter: 'eu' });
    writer.publish(chat, 'any');
    expect(await second.next()).to.include({ data: 'matching' });
    expect(await second.next()).to.include({ data: 'any' });
    expect(await second.ask({ type: 'setFilters', topic: chat, filters: ['x'] })).to.include({
      type: 'filtersUpdated',
    });
  });

  it('[WS-RESUME-1] follows changes, unsubscribes and filters', async () => {
    const [first] = await connect();
    await (await first.subscribe(topic)).subscribe(chat);
    await first.ask({ type: 'unsubscribe', topic });
    await first.ask({ type: 'setFilters', topic: chat, filters: ['x'] });
    first.webSocket.terminate();
    await eventually(() => world.gateway.connections === 0);
    expect(await restored()).to.deep.equal([entry(chat, ['x'])]);
  });

  it('[WS-RESUME-1] is written while the connection lasts, in case its gateway is killed', async () => {
    await world.startGateway();
    const [first] = await connect();
    await first.subscribe(topic);
    await recorded(1);
    expect(await restored({}, 1)).to.deep.equal([entry(topic)]);
  });

  it('[WS-RESUME-1] [WS-TOPIC-4] has no subscription any more whose rights have ended meanwhile', async () => {
    await world.startGateway();
    const [first] = await connect();
    await (await first.subscribe(topic)).subscribe(chat);
    await recorded(2);
    const [room] = await world.views.find('rooms', { filter: { projectId: world.projectId } });
    const { appId, roomId } = room as Room;
    await world.happened(
      { type: 'RoomUpdated', data: { appId, roomId, changes: { topics: ['chat'] } } },
      { patch: 'rooms', id: roomId, set: { topics: ['chat'] } },
    );
    await recorded(1);
    expect(await restored({}, 1)).to.deep.equal([entry(chat)]);
  });

  it('[WS-RESUME-1] [WS-SCOPE-4] is of the scope to which its actor has moved', async () => {
    await world.startGateway();
    const [first] = await connect();
    await first.subscribe(topic);
    await recorded(1);
    const { accessScopeId } = await world.scope('acme');
    const { actorTokenId } = actor;
    await world.happened(
      { type: 'ActorUpdated', data: { actorTokenId, changes: { accessScopeId } } },
      { patch: 'actors', id: actorTokenId, set: { accessScopeId } },
    );
    await eventually(
      async () => (await world.sessions.load(actorTokenId, ''))?.accessScopeId === accessScopeId,
    );
    const [{ topic: inScope }] = (await restored({}, 1)) as [{ topic: string }];
    expect(inScope).to.equal(`${world.projectId}/app-1/acme/lobby/news`);
  });

  it('[WS-RESUME-1] is for agents and orchestrators only', async () => {
    for (const actorType of [
      'agent',
      'orchestrator',
      'user',
      'device',
      'service',
      'session',
      'observer',
    ] as const) {
      ({ token } = await world.actor({ actorType }));
      const [first] = await connect({ clientId: 'c' });
      await (await first.subscribe(topic)).close();
      const isResumable = actorType === 'agent' || actorType === 'orchestrator';
      expect(await restored({ clientId: 'c' }), actorType).to.deep.equal(isResumable ? [entry(topic)] : []);
    }
  });

  it('[WS-RESUME-2] without reconnect starts empty, and the stored one is deleted', async () => {
    const [first] = await connect();
    await (await first.subscribe(topic)).close();
    const [fresh, reply] = await connect();
    expect(reply['restoredSubscriptions']).to.deep.equal([]);
    (await world.join()).publish(topic, 'unheard');
    await fresh.subscribe(chat);
    (await world.join()).publish(chat, 'marker');
    expect(await fresh.next()).to.include({ data: 'marker' });
    await fresh.close();
    expect(await restored()).to.deep.equal([entry(chat)]);
  });

  it('[WS-RESUME-3] is one for each client id, and one without', async () => {
    const long = 'x'.repeat(20_000);
    for (const [clientId, subscribed] of [
      ['a', topic],
      [long, chat],
    ]) {
      const [client] = await connect({ clientId });
      await (await client.subscribe(subscribed as string)).close();
    }
    expect(await restored()).to.deep.equal([]);
    expect(await restored({ clientId: 'a' })).to.deep.equal([entry(topic)]);
    expect(await restored({ clientId: long })).to.deep.equal([entry(chat)]);
    expect(await restored({ clientId: 'other' })).to.deep.equal([]);
  });

  it('[WS-RESUME-3] is taken over by a second connection, and the first one writes no more', async () => {
    await world.startGateway();
    const [first] = await connect();
    await first.subscribe(topic);
    await recorded(1);
    const [second, reply] = await connect({ reconnect: true }, 1);
    expect(reply['restoredSubscriptions']).to.deep.equal([entry(topic)]);
    await first.subscribe(chat);
    (await world.join()).publish(chat, 'still subscribed');
    expect(await first.next()).to.include({ data: 'still subscribed' });
    await first.close();
    await second.ask({ type: 'setFilters', topic, filters: ['x'] });
    await second.close();
    expect(await restored({}, 1)).to.deep.equal([entry(topic, ['x'])]);
  });

  it('[WS-RESUME-3] of two connections on one gateway at the same time belongs to the later one', async () => {
    const [first] = await connect();
    const [second] = await connect();
    await first.subscribe(topic);
    await second.subscribe(chat);
    await first.subscribe('app-1/lobby/news');
    await second.close();
    await first.close();
    expect(await restored()).to.deep.equal([entry(chat)]);
  });

  it('[WS-RESUME-2] omits what is no longer admitted, and deletes it', async () => {
    const [first] = await connect();
    await (await first.subscribe(topic)).subscribe(chat);
    await first.close();
    const { appId, roomId } = await world.find('rooms', { slug: 'lobby' });
    const change = async (topics: readonly string[]) =>
      world.happened(
        { type: 'RoomUpdated', data: { appId, roomId, changes: { topics } } },
        { patch: 'rooms', id: roomId, set: { topics } },
      );
    await change(['chat']);
    const [second, reply] = await connect({ reconnect: true });
    expect(reply['restoredSubscriptions']).to.deep.equal([entry(chat)]);
    await second.close();
    await change(['chat', 'news']);
    expect(await restored()).to.deep.equal([entry(chat)]);
  });

  it('[WS-RESUME-5] of another scope is not restored', async () => {
    const [first] = await connect();
    await (await first.subscribe(topic)).close();
    const { accessScopeId } = await world.scope('acme');
    await world.put({ patch: 'actors', id: actor.actorTokenId, set: { accessScopeId } });
    const [inside, reply] = await connect({ reconnect: true });
    expect(reply['restoredSubscriptions']).to.deep.equal([]);
    await (await inside.subscribe(chat)).close();
    expect(await restored()).to.deep.equal([
      { ...entry(chat), topic: `${world.projectId}/app-1/acme/lobby/chat` },
    ]);
  });

  it('[WS-RESUME-5] of an actor that is deleted is deleted too', async () => {
    const [first] = await connect({ clientId: 'c' });
    const instance = instanceOf({ clientId: 'c' });
    await first.subscribe(topic);
    await recorded(1, instance);
    const { actorTokenId } = actor;
    await world.happened({ type: 'ActorDeleted', data: { actorTokenId } });
    await first.closed;
    await world.gateway.close();
    expect(await world.sessions.load(actorTokenId, instance)).to.equal(undefined);
  });

  it('[WS-RESUME-4] expires a week after its last connection', async () => {
    await world.close();
    const clock = new ManualClock();
    await open({ clock });
    const [first] = await connect();
    clock.pass(30 * oneDay);
    await (await first.subscribe(topic)).close();
    const written = async () => {
      const expiresAt = clock.now() + 7 * oneDay;
      await eventually(async () => {
        const stored = await world.sessions.load(actor.actorTokenId, '');
        return stored?.subscriptions.length === 1 && stored.expiresAt === expiresAt;
      });
    };
    await written();
    clock.pass(7 * oneDay - 1);
    const [second, reply] = await connect({ reconnect: true });
    expect(reply['restoredSubscriptions']).to.deep.equal([entry(topic)]);
    await second.close();
    await written();
    clock.pass(7 * oneDay);
    expect(await restored()).to.deep.equal([]);
  });

  it('[WS-RESUME-6] makes room for a thousand later ones of its actor', async () => {
    const expiresAt = Date.now() + 6 * oneDay;
    const subscription = {
      pattern: topic,
      qos: 0,
      filters: [],
      loadBalance: false,
      loadBalanceGroup: null,
    } as const;
    const stored = (n: number): SessionWrite => ({
      session: {
        ...{
          actorTokenId: actor.actorTokenId,
          projectId: actor.projectId,
          instance: instanceOf({ clientId: `${n}` }),
        },
        ...{ keeper: 'gone', accessScopeId: null, subscriptions: [subscription], expiresAt: expiresAt + n },
      },
      takesOver: true,
    });
    for (let from = 0; from < 1_000; from += 50)
      await world.sessions.write(Array.from({ length: 50 }, (_, n) => stored(from + n)));
    const [latest] = await connect({ clientId: 'latest' });
    await latest.subscribe(topic);
    await recorded(1, instanceOf({ clientId: 'latest' }));
    expect(await restored({ clientId: '1' })).to.have.length(1);
    expect(await restored({ clientId: '0' })).to.have.length(0);
  });

  it('[WS-RETAIN-2] receives the retained values after the answer', async () => {
    const [first] = await connect();
    await (await first.subscribe(topic, { filters: ['eu'] })).subscribe(chat);
    await first.close();
    const writer = await world.join();
    await writer.publish(topic, 'last', { filter: 'eu', retain: true, msgRef: 'r' }).next();
    await writer.publish(chat, 'too', { retain: true, msgRef: 'r' }).next();
    const [second] = await connect({ reconnect: true });
    expect(await second.next()).to.include({ topic, data: 'last' });
    expect(await second.next()).to.include({ topic: chat, data: 'too' });
  });

  it('[WS-RESUME-2] is answered before any of its messages', async () => {
    const [first] = await connect();
    await (await first.subscribe(topic)).close();
    const writer = await world.join();
    let isWriting = true;
    const writing = (async () => {
      while (isWriting) await writer.publish(topic, 'live', { msgRef: 'r' }).next();
    })();
    for (let round = 0; round < 10; round++) {
      const [again, reply] = await connect({ reconnect: true });
      expect(reply).to.include({ type: 'auth' });
      expect(await again.next()).to.include({ type: 'message' });
      await again.close();
    }
    isWriting = false;
    await writing;
  });

  it('[WS-AUTH-8] that cannot be read fails the auth, and one that cannot be written is written later', async () => {
    await world.close();
    let isAway = false;
    const away = () => Promise.reject(new EngineUnavailable('sessions'));
    let refused = 0;
    await open({
      sessions: (real) =>
        overlaid(real, {
          load: (...id) => (isAway ? away() : real.load(...id)),
          write: (batch) => (isAway ? (refused++, away()) : real.write(batch)),
        }),
    });
    const [first] = await connect();
    isAway = true;
    await first.subscribe(topic);
    await eventually(() => refused > 0);
    const [, reply] = await connect({ reconnect: true });
    expect(reply).to.deep.equal({ type: 'auth', success: false, error: 'connection_failed' });
    isAway = false;
    await recorded(1);
    expect(await restored()).to.deep.equal([entry(topic)]);
  });
});

describe('a session above the size limit', () => {
  let world: World;

  beforeEach(async () => void (world = await World.open()));
  afterEach(() => world.close());

  it('[WS-RESUME-1] is stored up to 2,000,000 characters, the oldest subscriptions first', async () => {
    const topics = ['a', 'b', 'c', 'd', 'e'];
    await world.room(await world.app('app-1', { topics }), 'lobby', { topics });
    const { token } = await world.actor({ actorType: 'agent' });
    const client = await world.joinAs(token);
    const filters = [...'12345'].map((value) => value.repeat(99_990));
    for (const topic of topics) await client.subscribe(`app-1/lobby/${topic}`, { filters });
    await client.close();
    const again = await world.connect();
    const reply = (await again.ask({ type: 'auth', token, reconnect: true })) as Frame;
    const restored = reply['restoredSubscriptions'] as readonly { readonly pattern: string }[];
    expect(restored.map(({ pattern }) => pattern)).to.deep.equal(
      ['a', 'b', 'c', 'd'].map((topic) => `app-1/lobby/${topic}`),
    );
  });
});
