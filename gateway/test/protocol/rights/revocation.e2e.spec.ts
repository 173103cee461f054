import { expect } from 'chai';
import type { App } from '@roomwire/shared/domain/app';
import type { Room } from '@roomwire/shared/domain/room';
import type { FrameClient } from '@roomwire/testing/clients/frameClient';
import { eventually } from '@roomwire/testing/run/eventually';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { changedMeanwhile } from '../../support/changedMeanwhile.js';
import { overlaid } from '../../support/overlaid.js';
import { World } from '../../support/world.js';

const settled = () => new Promise(setImmediate);

describe('a change of an actor', () => {
  let world: World;

  beforeEach(async () => void (world = await World.open()));
  afterEach(() => world.close());

  it('[WS-AUTH-7] disabled: its connections are closed with token_revoked, and no other is', async () => {
    const { record, token } = await world.actor();
    const clients = [await world.joinAs(token), await world.joinAs(token)];
    const other = await world.join();
    const { actorTokenId } = record;
    await world.happened(
      { type: 'ActorUpdated', data: { actorTokenId, changes: { status: 'disabled' } } },
      { patch: 'actors', id: actorTokenId, set: { status: 'disabled' } },
    );
    for (const client of clients) {
      expect(await client.closed).to.deep.equal({ code: 4001, reason: 'token_revoked' });
    }
    expect(await other.ask({ type: 'unsubscribe', topic: 'a' })).to.include({ type: 'unsubscribed' });
  });

  it('[WS-AUTH-7] deleted: token_not_found', async () => {
    const { record, token } = await world.actor();
    const client = await world.joinAs(token);
    const { actorTokenId } = record;
    await world.happened(
      { type: 'ActorDeleted', data: { actorTokenId } },
      { remove: 'actors', id: actorTokenId },
    );
    expect(await client.closed).to.deep.equal({ code: 4001, reason: 'token_not_found' });
  });

  it('[WS-AUTH-7] renamed: nothing', async () => {
    const { record, token } = await world.actor();
    const client = await world.joinAs(token);
    await world.happened({
      type: 'ActorUpdated',
      data: { actorTokenId: record.actorTokenId, changes: { name: 'new' } },
    });
    expect(await client.ask({ type: 'unsubscribe', topic: 'a' })).to.include({ type: 'unsubscribed' });
  });

  it('[WS-AUTH-7] while it authenticates: it is read again', async () => {
    const { world: racing, change } = await changedMeanwhile();
    const { record, token } = await racing.actor();
    const { actorTokenId } = record;
    change(() =>
      racing.happened(
        { type: 'ActorUpdated', data: { actorTokenId, changes: { status: 'disabled' } } },
        { patch: 'actors', id: actorTokenId, set: { status: 'disabled' } },
      ),
    );
    const client = await racing.connect();
    client.send({ type: 'auth', token });
    expect(await client.closed).to.deep.equal({ code: 4001, reason: 'token_revoked' });
    await racing.close();
  });

  it('[WS-AUTH-7] of another, while it authenticates: it is not read again', async () => {
    const { world: racing, change, rechecked } = await changedMeanwhile();
    const { token } = await racing.actor();
    const { actorTokenId } = (await racing.actor()).record;
    let hasChanged = false;
    change(async () => {
      const changes = { status: 'disabled' } as const;
      await racing.happened({ type: 'ActorUpdated', data: { actorTokenId, changes } });
      hasChanged = true;
    });
    await racing.joinAs(token);
    expect([hasChanged, rechecked]).to.deep.equal([true, []]);
    await racing.close();
  });

  it('[WS-AUTH-7] its project is deleted: project_not_found', async () => {
    const client = await world.join();
    await world.happened({ type: 'ProjectDeleted', data: { projectId: world.projectId } });
    expect(await client.closed).to.deep.equal({ code: 4001, reason: 'project_not_found' });
  });

  it('[WS-AUTH-7] its organization is suspended: token_revoked', async () => {
    const client = await world.join();
    const { organizationId } = world;
    await world.happened(
      { type: 'OrganizationUpdated', data: { organizationId, changes: { status: 'suspended' } } },
      { patch: 'organizations', id: organizationId, set: { status: 'suspended' } },
    );
    expect(await client.closed).to.deep.equal({ code: 4001, reason: 'token_revoked' });
  });
});

describe('an actor that expires', () => {
  it('[WS-AUTH-7] is closed with token_expired at the next sweep, also when the date was moved', async () => {
    const clock = new ManualClock();
    const world = await World.open({ clock, expirySweepMs: 10 });
    const soon = new Date(clock.now() + 60_000).toISOString();
    const later = new Date(clock.now() + 120_000).toISOString();
    const { token } = await world.actor({ expiresAt: soon });
    const moved = await world.actor({ expiresAt: later });
    const expiring = await world.joinAs(token);
    const shortened = await world.joinAs(moved.token);
    clock.pass(59_999);
    expect(await expiring.ask({ type: 'unsubscribe', topic: 'a' })).to.include({ type: 'unsubscribed' });
    clock.pass(1);
    expect(await expiring.closed).to.deep.equal({ code: 4001, reason: 'token_expired' });
    const { actorTokenId } = moved.record;
    await world.happened(
      { type: 'ActorUpdated', data: { actorTokenId, changes: { expiresAt: soon } } },
      { patch: 'actors', id: actorTokenId, set: { expiresAt: soon } },
    );
    expect(await shortened.closed).to.deep.equal({ code: 4001, reason: 'token_expired' });
    await world.close();
  });
});

describe('an actor that is read again', () => {
  it('[WS-AUTH-7] keeps what an event has changed while its documents were being read', async () => {
    let hold: Promise<void> | undefined;
    let isHeld = false;
    const clock = new ManualClock();
    const world = await World.open({
      clock,
      expirySweepMs: 5,
      views: (real) =>
        overlaid(real, {
          get: async (view, id) => {
            const found = await real.get(view, id);
            if (view === 'actors' && hold !== undefined) {
              isHeld = true;
              await hold;
            }
            return found;
          },
        }),
    });
    const { record, token } = await world.actor();
    const { actorTokenId } = record;
    const client = await world.joinAs(token);
    const { accessScopeId } = await world.scope('team');
    let release: () => void = () => undefined;
    hold = new Promise((resolve) => (release = resolve));
    // Its scope has to be read, and the actor with it, which expires by another event meanwhile.
    await world.happened(
      { type: 'ActorUpdated', data: { actorTokenId, changes: { accessScopeId } } },
      { patch: 'actors', id: actorTokenId, set: { accessScopeId } },
    );
    await eventually(() => isHeld);
    const expiresAt = new Date(clock.now() + 1_000).toISOString();
    await world.happened(
      { type: 'ActorUpdated', data: { actorTokenId, changes: { expiresAt } } },
      { patch: 'actors', id: actorTokenId, set: { expiresAt } },
    );
    hold = undefined;
    release();
    await settled();
    expect(await client.ask({ type: 'unsubscribe', topic: 'a' })).to.include({ type: 'unsubscribed' });
    clock.pass(1_000);
    expect(await client.closed).to.deep.equal({ code: 4001, reason: 'token_expired' });
    await world.close();
  });
});

describe('a change of a topic', () => {
  let world: World;
  let app: App;
  let room: Room;
  let reader: FrameClient;
  let writer: FrameClient;
  const topic = 'app-1/lobby/news';

  beforeEach(async () => {
    world = await World.open();
    app = await world.app('app-1');
    room = await world.room(app, 'lobby');
    await world.room(app, 'other');
    reader = await (await world.join()).subscribe(topic);
    await reader.subscribe('app-1/other/chat');
    writer = await world.join();
    writer.publish(topic, 'before');
    expect(await reader.next()).to.include({ data: 'before' });
  });

  afterEach(() => world.close());

  const expectGone = async (elsewhere: string) => {
    await settled();
    expect(await writer.publish(topic, 'after', { msgRef: 'r' }).next()).to.include({
      error: 'unknown_topic',
    });
    writer.publish(elsewhere, 'marker');
    expect(await reader.next()).to.include({ data: 'marker' });
    expect(await reader.ask({ type: 'subscribe', topic })).to.include({ error: 'unknown_topic' });
  };

  const updateRoom = (changes: Partial<Pick<Room, 'status' | 'topics' | 'name'>>) =>
    world.happened(
      { type: 'RoomUpdated', data: { appId: app.appId, roomId: room.roomId, changes } },
      { patch: 'rooms', id: room.roomId, set: changes },
    );

  it('[WS-TOPIC-4] the room is deleted: publishing and receiving end at once', async () => {
    await world.happened(
      { type: 'RoomDeleted', data: { appId: app.appId, roomId: room.roomId } },
      { remove: 'rooms', id: room.roomId },
    );
    await expectGone('app-1/other/chat');
  });

  it('[WS-TOPIC-4] the room is disabled', async () => {
    await updateRoom({ status: 'disabled' });
    await expectGone('app-1/other/chat');
  });

  it('[WS-TOPIC-4] the topic is removed from the room', async () => {
    await updateRoom({ topics: ['chat'] });
    await expectGone('app-1/other/chat');
  });

  it('[WS-TOPIC-4] a subscription that ended stays ended when the room comes back', async () => {
    await updateRoom({ status: 'disabled' });
    await settled();
    await updateRoom({ status: 'active' });
    await settled();
    writer.publish(topic, 'unheard').publish('app-1/other/chat', 'marker');
    expect(await reader.next()).to.include({ data: 'marker' });
    await reader.subscribe(topic);
    writer.publish(topic, 'heard');
    expect(await reader.next()).to.include({ data: 'heard' });
  });

  it('[WS-TOPIC-4] the room is renamed: nothing ends', async () => {
    await updateRoom({ name: 'Lounge' });
    await settled();
    writer.publish(topic, 'after');
    expect(await reader.next()).to.include({ data: 'after' });
  });

  it('[WS-TOPIC-4] the app is disabled, and its other rooms with it', async () => {
    const elsewhere = await world.newsroom('app-2');
    await reader.subscribe(elsewhere);
    await world.happened(
      { type: 'AppUpdated', data: { appId: app.appId, changes: { status: 'disabled' } } },
      { patch: 'apps', id: app.appId, set: { status: 'disabled' } },
    );
    await expectGone(elsewhere);
  });

  it('[WS-TOPIC-4] the app gets another slug: the old address ends, the new one begins', async () => {
    const elsewhere = await world.newsroom('app-2');
    await reader.subscribe(elsewhere);
    await world.happened(
      { type: 'AppUpdated', data: { appId: app.appId, changes: { slug: 'renamed' } } },
      { patch: 'apps', id: app.appId, set: { slug: 'renamed' } },
    );
    await expectGone(elsewhere);
    await reader.subscribe('renamed/lobby/news');
  });

  it('[WS-TOPIC-4] an event of a newer version: every entry is read again', async () => {
    await world.put({ patch: 'rooms', id: room.roomId, set: { status: 'disabled' } });
    await world.tell('RoomClosedForGood', { roomId: room.roomId }, 1);
    await expectGone('app-1/other/chat');
  });
});

describe('the periodic revalidation', () => {
  it('[WS-AUTH-7] [WS-TOPIC-4] finds changes that no event reported', async () => {
    const world = await World.open({ revalidationMs: 50 });
    const topic = await world.newsroom();
    const elsewhere = await world.newsroom('app-2');
    const reader = await (await (await world.join()).subscribe(topic)).subscribe(elsewhere);
    const { record, token } = await world.actor();
    const doomed = await world.joinAs(token);
    const { roomId } = await world.find('rooms', {
      slug: 'lobby',
      appId: (await world.find('apps', { slug: 'app-1' })).appId,
    });
    await world.put(
      { remove: 'rooms', id: roomId },
      { patch: 'actors', id: record.actorTokenId, set: { status: 'disabled' } },
    );
    expect(await doomed.closed).to.deep.equal({ code: 4001, reason: 'token_revoked' });
    const writer = await world.join();
    expect(await writer.publish(topic, 1).next()).to.include({ error: 'unknown_topic' });
    expect(await reader.ask({ type: 'subscribe', topic })).to.include({ error: 'unknown_topic' });
    await world.close();
  });

  it('[WS-AUTH-8] keeps the connections while the read models are unavailable', async () => {
    let isAway = false;
    let failures = 0;
    const fail = () => {
      failures++;
      return Promise.reject(new Error('away'));
    };
    const world: World = await World.open({
      revalidationMs: 20,
      views: (real) =>
        overlaid(real, {
          get: (view, id) => (isAway ? fail() : real.get(view, id)),
          find: (view, query) => (isAway ? fail() : real.find(view, query)),
        }),
    });
    const topic = await world.newsroom();
    const reader = await (await world.join()).subscribe(topic);
    const writer = await world.join();
    isAway = true;
    while (failures < 3) await settled();
    expect(await writer.publish(topic, 1, { msgRef: 'r' }).next()).to.include({
      error: 'broker_unavailable',
    });
    isAway = false;
    writer.publish(topic, 2);
    expect(await reader.next()).to.include({ data: 2 });
    await world.close();
  });
});
