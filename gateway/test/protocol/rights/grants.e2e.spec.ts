import { expect } from 'chai';
import type { App } from '@roomwire/shared/domain/app';
import type { Grant, Room } from '@roomwire/shared/domain/room';
import { eventually } from '@roomwire/testing/run/eventually';
import type { FrameClient } from '@roomwire/testing/clients/frameClient';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { joiningAfter } from '../../support/joiningAfter.js';
import { World } from '../../support/world.js';

const topic = 'app-1/lobby/news';
const past = '2020-01-01T00:00:00.000Z';

describe('a room with grants', () => {
  let world: World;
  let app: App;
  let room: Room;
  let elsewhere: string;
  let clock: ManualClock;

  beforeEach(async () => {
    clock = new ManualClock();
    world = await World.open({ clock, expirySweepMs: 5, publishRate: 0 });
    app = await world.app('app-1');
    room = await world.room(app, 'lobby');
    elsewhere = `app-1/${(await world.roomInLine(room)).slug}/news`;
  });

  afterEach(() => world.close());

  const granted = async (fields: Partial<Grant>): Promise<Grant> => {
    const grant = await world.grant(room, fields);
    await world.happened({ type: 'RoomGrantAdded', data: grant });
    return grant;
  };

  const revoked = ({ roomActorAccessId, appId, roomId }: Grant): Promise<void> =>
    world.happened(
      { type: 'RoomGrantRevoked', data: { appId, roomId, roomActorAccessId } },
      { remove: 'grants', id: roomActorAccessId },
    );

  const maySubscribe = async (client: FrameClient, address = topic): Promise<boolean> => {
    const reply = await client.ask({ type: 'subscribe', topic: address });
    return reply !== 'heartbeat' && reply['type'] === 'subscribed';
  };

  const mayPublish = async (client: FrameClient, address = topic): Promise<boolean> => {
    const reply = await client.publish(address, 'tried', { msgRef: 'try' }).next();
    return reply !== 'heartbeat' && reply['type'] === 'published';
  };

  /** What it may do at the address: subscribe, publish. */
  const rights = async (client: FrameClient, address = topic) => [
    await maySubscribe(client, address),
    await mayPublish(client, address),
  ];

  const member = async (fields: Partial<Grant> = {}) => {
    const { record, token } = await world.actor();
    const grant = await granted({ actorTokenId: record.actorTokenId, ...fields });
    return { client: await world.joinAs(token), grant, actorTokenId: record.actorTokenId, token };
  };

  it('[WS-GRANT-1] admits only actors that hold one, by id or by type', async () => {
    const { client } = await member();
    await granted({ actorType: 'service' });
    expect(await rights(client)).to.eql([true, true]);
    expect(await rights(await world.join({ actorType: 'service' }))).to.eql([true, true]);
    const stranger = await world.join({ actorType: 'user' });
    expect(await rights(stranger)).to.eql([false, false]);
    expect(await rights(stranger, elsewhere)).to.eql([true, true]);
  });

  it('[WS-GRANT-1] is private for a grant that is inactive or expired too', async () => {
    for (const state of [{ isActive: false }, { expiresAt: past }]) {
      const { client, grant } = await member(state);
      expect(await rights(client), JSON.stringify(state)).to.eql([false, false]);
      expect(await rights(await world.join())).to.eql([false, false]);
      await revoked(grant);
      await eventually(async () => (await rights(client))[1] === true);
    }
  });

  it('[WS-GRANT-1] and one without in a private app admit no actor', async () => {
    const closed = await world.app('closed', { config: { accessMode: 'private' } });
    room = await world.room(closed, 'lobby');
    await world.room(closed, 'other');
    const { client } = await member();
    expect(await rights(client, 'closed/lobby/news')).to.eql([true, true]);
    expect(await rights(client, 'closed/other/news')).to.eql([false, false]);
  });

  it('[WS-GRANT-2] admits what the permission names, on the topics that are listed', async () => {
    const chat = 'app-1/lobby/chat';
    expect(await rights((await member({ permission: 'subscribe' })).client)).to.eql([true, false]);
    expect(await rights((await member({ permission: 'publish' })).client)).to.eql([false, true]);
    const { client } = await member({ topics: ['chat'] });
    expect(await rights(client)).to.eql([false, false]);
    expect(await rights(client, chat)).to.eql([true, true]);
    const auditor = await world.actor({ actorType: 'observer' });
    await granted({ actorTokenId: auditor.record.actorTokenId });
    expect(await rights(await world.joinAs(auditor.token))).to.eql([true, false]);
  });

  it("[WS-GRANT-3] judges an actor by its own grant, not by its type's", async () => {
    await granted({ actorType: 'device' });
    expect(await rights(await world.join())).to.eql([true, true]);
    expect(await rights((await member({ isActive: false })).client)).to.eql([false, false]);
    expect(await rights((await member({ expiresAt: past })).client)).to.eql([false, false]);
    expect(await rights((await member({ permission: 'publish' })).client)).to.eql([false, true]);
  });

  it('[WS-GRANT-4] admits until the millisecond in which the grant expires: publish is refused at once', async () => {
    const sleeping = await World.open({ clock, expirySweepMs: 3_600_000 });
    const there = await sleeping.room(await sleeping.app('app-1'), 'lobby');
    const { record, token } = await sleeping.actor();
    const expiresAt = new Date(clock.now() + 1_000).toISOString();
    await sleeping.grant(there, { actorTokenId: record.actorTokenId, expiresAt });
    const client = await sleeping.joinAs(token);
    clock.pass(999);
    expect(await rights(client)).to.eql([true, true]);
    clock.pass(1);
    expect(await mayPublish(client)).to.equal(false);
    expect(await maySubscribe(client)).to.equal(false);
    clock.set(clock.now() + -1);
    expect(await mayPublish(client)).to.equal(true);
    await sleeping.close();
  });

  it('[WS-GRANT-4] ends the subscriptions that rest on an expired grant, and no others', async () => {
    const soon = new Date(clock.now() + 1_000).toISOString();
    const later = new Date(clock.now() + 2_000).toISOString();
    const first = await member({ expiresAt: soon });
    const second = await member({ expiresAt: later });
    const third = await member();
    const readers = [first, second, third].map(({ client }) => client);
    for (const reader of readers) await (await reader.subscribe(topic)).subscribe(elsewhere);
    const { client: writer } = await member();

    const heard = async (): Promise<readonly string[]> => {
      writer.publish(topic, 'news').publish(elsewhere, 'marker');
      const frames = await Promise.all(readers.map((reader) => reader.next()));
      const got = frames.map((frame) => (frame === 'heartbeat' ? frame : String(frame['data'])));
      for (const [index, data] of got.entries()) if (data === 'news') await readers[index]?.next();
      return got;
    };

    expect(await heard()).to.eql(['news', 'news', 'news']);
    clock.pass(1_000);
    await eventually(async () => (await heard())[0] === 'marker');
    expect(await heard()).to.eql(['marker', 'news', 'news']);
    clock.pass(1_000);
    await eventually(async () => (await heard())[1] === 'marker');
    expect(await heard()).to.eql(['marker', 'marker', 'news']);
  });

  it('[WS-GRANT-4] ends each subscription of a connection with its own grant', async () => {
    const second = await world.roomInLine(room);
    const { client, actorTokenId } = await member({ expiresAt: new Date(clock.now() + 1_000).toISOString() });
    await world.grant(second, { actorTokenId, expiresAt: new Date(clock.now() + 2_000).toISOString() });
    const { client: writer, actorTokenId: writerId } = await member();
    await world.grant(second, { actorTokenId: writerId });
    const later = `app-1/${second.slug}/news`;
    for (const address of [topic, later, elsewhere]) await client.subscribe(address);

    /** The first address that still delivers. */
    const heard = async (): Promise<unknown> => {
      for (const address of [topic, later, elsewhere]) writer.publish(address, 'news');
      let first: unknown;
      for (let last: unknown; last !== elsewhere; first ??= last) {
        const frame = await client.next();
        last = frame === 'heartbeat' ? frame : frame['topic'];
      }
      return first;
    };

    expect(await heard()).to.equal(topic);
    clock.pass(1_000);
    await eventually(async () => (await heard()) === later);
    clock.pass(1_000);
    await eventually(async () => (await heard()) === elsewhere);
  });

  it('[WS-GRANT-4] ends also a subscription whose grant expired while the bus subscribed to the room', async () => {
    let allow: () => void = () => undefined;
    const allowed = new Promise<void>((resolve) => (allow = resolve));
    let isAsked = false;
    const slow = await World.open({
      clock,
      expirySweepMs: 5,
      publishRate: 0,
      bus: joiningAfter((room) => {
        isAsked = true;
        return room.includes('/lobby') ? allowed : undefined;
      }),
    });
    const there = await slow.room(await slow.app('app-1'), 'lobby');
    const open = await slow.newsroom('app-2', 'other');
    const expiresAt = new Date(clock.now() + 1_000).toISOString();
    const [{ record, token }, writer, doomed] = [
      await slow.actor(),
      await slow.actor(),
      await slow.actor({ expiresAt }),
    ];
    await slow.grant(there, { actorTokenId: record.actorTokenId, expiresAt });
    await slow.grant(there, { actorTokenId: writer.record.actorTokenId });
    const [reader, publisher] = [await slow.joinAs(token), await slow.joinAs(writer.token)];
    const sweeped = await slow.joinAs(doomed.token);
    reader.send({ type: 'subscribe', topic });
    await eventually(() => isAsked);
    clock.pass(1_000);
    await sweeped.closed;
    await new Promise(setImmediate);
    allow();
    expect(await reader.next()).to.include({ type: 'subscribed' });
    await reader.subscribe(open);
    await eventually(async () => {
      publisher.publish(topic, 'news').publish(open, 'marker');
      const frame = await reader.next();
      if (frame !== 'heartbeat' && frame['data'] === 'marker') return true;
      await reader.next();
      return false;
    });
    await slow.close();
  });

  describe('when they change', () => {
    let reader: FrameClient;
    let writer: Awaited<ReturnType<typeof member>>;

    beforeEach(async () => {
      reader = await (await (await world.join()).subscribe(topic)).subscribe(elsewhere);
    });

    it('[WS-GRANT-5] the first one ends the subscriptions of others, without a frame, and refuses their publishes', async () => {
      expect(await mayPublish(reader)).to.equal(true);
      writer = await member();
      await eventually(async () => !(await mayPublish(reader)));
      writer.client.publish(topic, 'secret').publish(elsewhere, 'marker');
      expect(await reader.next()).to.include({ data: 'marker' });
      expect(await maySubscribe(reader)).to.equal(false);
    });

    it('[WS-GRANT-5] the first one keeps the subscription of its holder', async () => {
      const { record, token } = await world.actor();
      const holder = await (await world.joinAs(token)).subscribe(topic);
      await granted({ actorTokenId: record.actorTokenId });
      writer = await member();
      await eventually(async () => !(await mayPublish(reader)));
      writer.client.publish(topic, 'for members');
      expect(await holder.next()).to.include({ data: 'for members' });
    });

    it('[WS-GRANT-5] a revoked one ends its own subscriptions, the last one opens the room', async () => {
      const holder = await member();
      await (await holder.client.subscribe(topic)).subscribe(elsewhere);
      writer = await member();
      await revoked(holder.grant);
      await eventually(async () => !(await mayPublish(holder.client)));
      writer.client.publish(topic, 'secret').publish(elsewhere, 'marker');
      expect(await holder.client.next()).to.include({ data: 'marker' });
      await revoked(writer.grant);
      await eventually(() => maySubscribe(holder.client));
      expect(await rights(await world.join())).to.eql([true, true]);
    });
  });
});
