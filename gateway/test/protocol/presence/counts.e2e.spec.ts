import { expect } from 'chai';
import type { App } from '@roomwire/shared/domain/app';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { room as roomRecord } from '@roomwire/testing/builders/records';
import type { FrameClient } from '@roomwire/testing/clients/frameClient';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { collectedMetrics } from '@roomwire/testing/run/collectedMetrics';
import { eventually } from '@roomwire/testing/run/eventually';
import { World, type WorldOptions } from '../../support/world.js';

const keep = { keep: true } as const;
const leave = { leave: true } as const;

describe('a count of who is in a room', () => {
  let world: World;
  let app: App;

  const open = async (options: WorldOptions = {}): Promise<void> => {
    world = await World.open(options);
    await world.startGateway(options);
    app = await world.app('app-1');
    for (const slug of ['hall', 'bar']) await world.room(app, slug);
  };

  const counting = (roomId: string) => ({ type: 'presence', roomId, mode: 'count' });
  const counted = (roomId: string, present: number) => ({ type: 'presenceCount', roomId, present });

  /** Reads counts until this one comes; nothing else may. */
  const becomes = async (client: FrameClient, roomId: string, present: number): Promise<void> => {
    for (;;) {
      const frame = await client.next();
      expect(frame).to.include({ type: 'presenceCount', roomId });
      if (frame !== 'heartbeat' && frame['present'] === present) return;
    }
  };

  /** Somebody new is there. */
  const enter = async (roomId: string, gateway = 0): Promise<FrameClient> => {
    const { client } = await world.member({}, gateway);
    await world.announce(client, roomId, {}, keep);
    return client;
  };

  afterEach(() => world.close());

  it('[WS-PRES-17] comes at once, and again when it has changed, on every gateway, without being there', async () => {
    await open();
    await enter('hall');
    const near = await world.join();
    const far = await world.join({ actorType: 'observer' }, 1);
    expect(await near.ask(counting('hall'))).to.deep.equal(counted('hall', 1));
    expect(await far.ask(counting('app-1/hall'))).to.deep.equal(counted('app-1/hall', 1));
    const second = await enter('hall', 1);
    for (const [client, roomId] of [
      [near, 'hall'],
      [far, 'app-1/hall'],
    ] as const)
      expect(await client.next()).to.deep.equal(counted(roomId, 2));
    await second.close();
    expect(await near.next()).to.deep.equal(counted('hall', 1));
    expect(await far.next()).to.deep.equal(counted('app-1/hall', 1));
  });

  it('[WS-PRES-17] counts actors, not connections', async () => {
    await open();
    const { token } = await world.actor();
    const [one, other] = [await world.joinAs(token), await world.joinAs(token, 1)];
    const watcher = await world.join();
    expect(await watcher.ask(counting('hall'))).to.include({ present: 0 });
    for (const client of [one, other]) await world.announce(client, 'hall');
    await becomes(watcher, 'hall', 1);
    await one.close();
    await enter('hall');
    await becomes(watcher, 'hall', 2);
  });

  it('[WS-PRES-17] is right on a gateway that has just started', async () => {
    await open();
    for (let n = 0; n < 3; n++) await enter('hall', n % 2);
    await world.startGateway({ answersMs: 500 });
    const late = await world.join({}, 2);
    expect(await late.ask(counting('hall'))).to.deep.equal(counted('hall', 3));
  });

  it('[WS-PRES-17] is one of 50 at most, which are none of the rooms where one is', async () => {
    await open();
    const many = Array.from({ length: limitTable.presenceCounts.value + 1 }, (_, n) =>
      roomRecord(app, `room-${n}`),
    );
    await world.put(...many.map((doc) => ({ put: 'rooms', id: doc.roomId, doc }) as const));
    const client = await world.join();
    for (const { slug } of many.slice(1))
      expect(await client.ask(counting(slug))).to.deep.equal(counted(slug, 0));
    expect(await client.ask(counting('room-0'))).to.deep.equal({
      ...{ type: 'error', error: 'subscription_limit', code: 42970 },
      ...{ topic: 'room-0', roomId: 'room-0' },
    });
    expect(await client.ask(counting('room-1'))).to.deep.equal(counted('room-1', 0));
    await world.announce(client, 'hall');
    await world.announce(client, 'room-1', {}, leave);
    expect(await client.ask(counting('room-0'))).to.deep.equal(counted('room-0', 0));
    expect(await client.ask(counting('hall'))).to.include({ error: 'subscription_limit', roomId: 'hall' });
  });

  it('[WS-PRES-3] [WS-PRES-8] [WS-PRES-17] is for those who may read the room, and of a room that is named', async () => {
    await open();
    await world.room(await world.app('closed', { config: { accessMode: 'private' } }), 'cell');
    const client = await world.join();
    for (const roomId of ['cell', 'closed/cell', 'nowhere', 'app-9/hall'])
      expect(await client.ask(counting(roomId))).to.include({ error: 'unknown_topic', topic: roomId });
    client.send({ type: 'presence', mode: 'count' });
    expect(await client.sendBytes(new Uint8Array()).next()).to.equal('heartbeat');
  });

  it('[WS-PRES-18] comes instead of the events, to one who is there, and stays so', async () => {
    await open();
    const [witness, { client, id }] = [await enter('hall'), await world.member()];
    await world.announce(client, 'hall', { n: 1 });
    expect(await witness.next()).to.include({ event: 'join' });
    expect(await client.ask(counting('hall'))).to.deep.equal(counted('hall', 2));
    await world.announce(client, 'hall', { n: 2 });
    // The witness knows that it is there; it does not know how the witness does.
    expect(await witness.next()).to.deep.include({
      event: 'update',
      data: { actor_token_id: id, presence: { n: 2 } },
    });
    await world.announce(witness, 'hall', { n: 3 }, keep);
    await enter('hall');
    expect(await client.next()).to.deep.equal(counted('hall', 3));
    await world.announce(client, 'bar');
    // It has left the room as ever, and still counts there.
    await becomes(client, 'hall', 2);
  });

  it('[WS-PRES-18] [WS-PRES-16] ends with `leave`, as does being there', async () => {
    await open();
    const witness = await enter('hall');
    const { client } = await world.member();
    await world.announce(client, 'hall', {}, keep);
    expect(await client.ask(counting('app-1/hall'))).to.include({ present: 2 });
    expect(await client.ask(counting('bar'))).to.include({ present: 0 });
    expect(await witness.next()).to.include({ event: 'join' });
    await world.announce(client, 'hall', {}, leave);
    expect(await witness.next()).to.include({ event: 'leave' });
    await enter('hall');
    await enter('bar');
    expect(await client.next()).to.deep.equal(counted('bar', 1));
    // Then events come again.
    await world.announce(client, 'hall', {}, keep);
    await enter('hall');
    expect(await client.next()).to.include({ type: 'presence', event: 'join', roomId: 'hall' });
  });

  it('[WS-PRES-9] [WS-PRES-17] ends when the actor may no longer read the room', async () => {
    await open();
    const { client } = await world.member();
    await world.announce(client, 'hall');
    expect(await client.ask(counting('hall'))).to.include({ present: 1 });
    expect(await client.ask(counting('bar'))).to.include({ present: 0 });
    const { roomId, appId } = await world.find('rooms', { slug: 'hall' });
    const becomes = (status: 'disabled' | 'active') =>
      world.happened(
        { type: 'RoomUpdated', data: { appId, roomId, changes: { status } } },
        { patch: 'rooms', id: roomId, set: { status } },
      );
    await becomes('disabled');
    const entries = async () =>
      (await collectedMetrics(world.gateway.collect)).get('roomwire_presence_entries');
    await eventually(async () => (await entries()) === 0);
    await becomes('active');
    await enter('hall');
    await enter('bar');
    expect(await client.next()).to.deep.equal(counted('bar', 1));
  });

  it('[WS-GRANT-4] [WS-PRES-17] ends with the grant that it rests on', async () => {
    const clock = new ManualClock();
    await open({ clock, expirySweepMs: 5 });
    const secret = await world.room(await world.app('secret', { config: { accessMode: 'private' } }), 'cell');
    const { record, token } = await world.actor();
    const owner = await world.actor();
    const expiresAt = new Date(clock.now() + 1_000).toISOString();
    await world.grant(secret, { actorTokenId: record.actorTokenId, expiresAt });
    await world.grant(secret, { actorTokenId: owner.record.actorTokenId, expiresAt: null });
    const client = await world.joinAs(token);
    for (const roomId of ['cell', 'hall'])
      expect(await client.ask(counting(roomId))).to.include({ present: 0 });
    clock.pass(1_000);
    expect(await client.ask(counting('cell'))).to.include({ error: 'unknown_topic' });
    await world.announce(await world.joinAs(owner.token), 'cell');
    await enter('hall');
    clock.pass(1_000);
    expect(await client.next()).to.deep.equal(counted('hall', 1));
  });
});
