import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { App } from '@roomwire/shared/domain/app';
import { room as roomRecord } from '@roomwire/testing/builders/records';
import type { FrameClient, Frame } from '@roomwire/testing/clients/frameClient';
import { collectedMetrics } from '@roomwire/testing/run/collectedMetrics';
import { eventually } from '@roomwire/testing/run/eventually';
import { overlaid } from '../../support/overlaid.js';
import { World, type WorldOptions } from '../../support/world.js';

const keep = { keep: true } as const;
const leave = { leave: true } as const;
const entries = 'roomwire_presence_entries';

describe('a connection in several rooms', () => {
  let world: World;
  let app: App;

  const open = async (options: WorldOptions = {}): Promise<void> => {
    world = await World.open(options);
    await world.startGateway(options);
    app = await world.app('app-1');
    for (const slug of ['one', 'two', 'three']) await world.room(app, slug);
  };

  /** One who is in that room alone. */
  const witness = async (roomId: string, gateway = 0): Promise<FrameClient> => {
    const { client } = await world.member({}, gateway);
    await world.announce(client, roomId);
    return client;
  };

  /** Who is there, by rooms. */
  const present = async (client: FrameClient, ...roomIds: readonly string[]): Promise<Frame> => {
    const shown: Record<string, unknown> = {};
    for (const roomId of roomIds) {
      const { data } = (await client.ask({ type: 'getPresence', roomId })) as unknown as { data: Frame[] };
      shown[roomId] = data.map(({ actorTokenId }) => actorTokenId);
    }
    return shown;
  };

  const eventOf = (frame: Frame | 'heartbeat'): readonly unknown[] => {
    if (frame === 'heartbeat') return [frame];
    const { actor_token_id: actor } = frame['data'] as { actor_token_id: string };
    return [frame['event'], actor];
  };

  /** A frame that has no answer is done. */
  const done = async (client: FrameClient): Promise<void> => {
    expect(await client.sendBytes(new Uint8Array()).next()).to.equal('heartbeat');
  };

  const refusedAt = (roomId: string) => ({
    ...{ type: 'error', error: 'subscription_limit', code: 42970 },
    ...{ topic: roomId, roomId },
  });

  afterEach(() => world.close());

  it('[WS-AUTH-19] is a feature', async () => {
    await open();
    const { token } = await world.actor();
    const reply = (await (await world.connect()).ask({ type: 'auth', token, features: true })) as Frame;
    expect(reply['features']).to.include('rooms');
  });

  it('[WS-PRES-14] enters with `keep` without leaving the others, and is told which room an event is about', async () => {
    await open();
    const ann = await world.member();
    await world.announce(ann.client, 'one');
    await world.announce(ann.client, 'app-1/two', {}, keep);
    await world.announce(ann.client, 'three', { n: 3 }, keep);
    const ben = await world.member({}, 1);
    expect(await present(ben.client, 'one', 'two', 'three')).to.deep.equal({
      one: [ann.id],
      two: [ann.id],
      three: [ann.id],
    });
    const join = { type: 'presence', event: 'join' };
    const data = { actor_token_id: ben.id, presence: {} };
    for (const roomId of ['one', 'two', 'three']) await world.announce(ben.client, roomId, {}, keep);
    // By a room that was entered as ever, events are as ever.
    expect(await ann.client.next()).to.deep.equal({ ...join, data });
    expect(await ann.client.next()).to.deep.equal({ ...join, roomId: 'app-1/two', data });
    expect(await ann.client.next()).to.deep.equal({ ...join, roomId: 'three', data });
    await ben.client.close();
    const left = [await ann.client.next(), await ann.client.next(), await ann.client.next()];
    expect(left.map((frame) => (frame as Frame)['roomId'])).to.have.members([
      undefined,
      'app-1/two',
      'three',
    ]);
    for (const frame of left) expect(eventOf(frame)).to.deep.equal(['leave', ben.id]);
  });

  it('[WS-PRES-14] is seen in each of them in a lobby, and by a gateway that starts later', async () => {
    await open();
    const { client, id } = await world.member();
    for (const n of ['one', 'two']) await world.announce(client, n, { n }, keep);
    await world.startGateway({ answersMs: 500 });
    const late = (await world.member({}, 2)).client;
    expect(await present(late, 'one', 'two', 'three')).to.deep.equal({ one: [id], two: [id], three: [] });
    const reply = (await late.ask({ type: 'getLobbyPresence', lobbyId: 'app-1' })) as Frame;
    expect(reply['presence']).to.have.all.keys('one', 'two');
    for (const n of ['one', 'two'])
      expect(reply).to.have.nested.property(`presence.${n}.${id}.presence.n`, n);
  });

  it('[WS-PRES-14] [WS-PRES-4] leaves all others when it announces itself without `keep`', async () => {
    await open();
    const witnesses = {
      one: await witness('one'),
      two: await witness('two', 1),
      three: await witness('three', 1),
    };
    const { client, id } = await world.member();
    for (const roomId of ['one', 'two', 'three']) {
      await world.announce(client, roomId, {}, keep);
      const frame = await witnesses[roomId as keyof typeof witnesses].next();
      expect(eventOf(frame)).to.deep.equal(['join', id]);
    }
    await world.announce(client, 'two', { only: 'here' });
    expect(eventOf(await witnesses.two.next())).to.deep.equal(['update', id]);
    for (const gone of [witnesses.one, witnesses.three])
      expect(eventOf(await gone.next())).to.deep.equal(['leave', id]);
    for (const roomId of ['one', 'three']) await world.announce(witnesses[roomId as 'one'], roomId, { n: 1 });
    await world.announce(witnesses.two, 'two', { n: 2 });
    const told = (await client.next()) as Frame;
    expect(told).to.not.have.property('roomId');
    expect(told).to.have.nested.property('data.presence.n', 2);
  });

  it('[WS-PRES-15] is in 50 at most: one more is refused with its `roomId`', async () => {
    await open({ presenceRate: 0 });
    const many = Array.from({ length: 51 }, (_, n) => roomRecord(app, `room-${n}`));
    await world.put(...many.map((doc) => ({ put: 'rooms', id: doc.roomId, doc }) as const));
    const { client, id } = await world.member();
    for (let n = 0; n < 50; n++) client.send({ type: 'presence', roomId: `room-${n}`, data: {}, ...keep });
    await done(client);
    const oneMore = { type: 'presence', roomId: 'app-1/room-50', data: {} };
    expect(await client.ask({ ...oneMore, ...keep })).to.deep.equal(refusedAt('app-1/room-50'));
    expect(await present(client, 'room-0', 'room-49', 'room-50')).to.deep.equal({
      'room-0': [id],
      'room-49': [id],
      'room-50': [],
    });
    // Nothing is one more in a room where it is, where it leaves one, and where it leaves all.
    await world.announce(client, 'room-7', { n: 7 }, keep);
    await world.announce(client, 'room-0', {}, leave);
    await world.announce(client, 'room-50', {}, keep);
    await world.announce(client, 'room-0');
    expect(await present(client, 'room-0', 'room-7', 'room-50')).to.deep.equal({
      'room-0': [id],
      'room-7': [],
      'room-50': [],
    });
  });

  it('[WS-PRES-16] leaves one of them, by any of its names, and nothing where it is not', async () => {
    await open();
    const witnesses = [await witness('one'), await witness('two', 1)] as const;
    const { client, id } = await world.member();
    for (const roomId of ['one', 'app-1/two', 'three']) await world.announce(client, roomId, {}, keep);
    for (const one of witnesses) expect(eventOf(await one.next())).to.deep.equal(['join', id]);
    await world.announce(client, 'app-1/one', { passed: 'over' }, leave);
    await world.announce(client, 'two', {}, leave);
    for (const one of witnesses) expect(eventOf(await one.next())).to.deep.equal(['leave', id]);
    for (const roomId of ['one', 'nowhere', 'app-9/one', '/'])
      await world.announce(client, roomId, {}, leave);
    expect((await present(client, 'three'))['three']).to.deep.equal([id]);
    await world.announce(witnesses[0], 'one', { no: 'longer told' });
    await world.announce((await world.member()).client, 'three');
    expect(await client.next()).to.deep.include({ event: 'join', roomId: 'three' });
  });

  it('[WS-PRES-16] [WS-PRES-11] may leave whatever its rate', async () => {
    await open({ presenceRate: 2 });
    const { client, id } = await world.member();
    for (const roomId of ['one', 'two']) await world.announce(client, roomId, {}, keep);
    for (const roomId of ['one', 'two', 'three']) await world.announce(client, roomId, {}, leave);
    expect(await client.ask({ type: 'presence', roomId: 'one', ...keep })).to.include({
      error: 'rate_limit_exceeded',
    });
    expect(await present(client, 'one', 'two')).to.deep.equal({ one: [], two: [] });
    await eventually(async () => {
      client.send({ type: 'presence', roomId: 'one', data: {}, ...keep });
      const frames = [await client.ask({ type: 'getPresence', roomId: 'one' })] as Frame[];
      if (frames[0]?.['type'] === 'error') frames.push((await client.next()) as Frame);
      return JSON.stringify(frames.at(-1)).includes(id);
    });
  });

  it('[WS-PRES-19] does one thing with a frame', async () => {
    await open();
    const { client, id } = await world.member();
    const invalid = { type: 'error', error: 'invalid_frame' };
    for (const options of [
      { keep: true, leave: true },
      { keep: true, mode: 'count' },
      { leave: true, mode: 'count' },
      { mode: 'list' },
      { keep: 1 },
      { leave: 'yes' },
    ])
      expect(await client.ask({ type: 'presence', roomId: 'one', ...options })).to.include(invalid);
    await world.announce(client, 'one', {}, { keep: false, leave: false, mode: null } as never);
    expect((await present(client, 'one'))['one']).to.deep.equal([id]);
    client.sendJson({ type: 'presence', roomId: 'one', keep: false, leave: true });
    expect((await present(client, 'one'))['one']).to.deep.equal([]);
  });

  it('[WS-PRES-9] [WS-PRES-14] leaves the room that its actor may no longer read, and stays in the others', async () => {
    await open();
    const ben = await witness('one', 1);
    const { client, id } = await world.member();
    for (const roomId of ['one', 'two']) await world.announce(client, roomId, {}, keep);
    expect(eventOf(await ben.next())).to.deep.equal(['join', id]);
    const { roomId, appId } = await world.find('rooms', { slug: 'two' });
    const becomes = (status: 'disabled' | 'active') =>
      world.happened(
        { type: 'RoomUpdated', data: { appId, roomId, changes: { status } } },
        { patch: 'rooms', id: roomId, set: { status } },
      );
    await becomes('disabled');
    await eventually(async () => (await collectedMetrics(world.gateway.collect)).get(entries) === 2);
    await becomes('active');
    expect(await present(ben, 'two')).to.deep.equal({ two: [] });
    expect((await present(client, 'one'))['one']).to.include(id);
    await world.announce(ben, 'one', { still: 'told' });
    expect(await client.next()).to.deep.nested.include({
      roomId: 'one',
      'data.presence': { still: 'told' },
    });
  });

  it('[WS-PRES-1] stays where it was when the bus refuses an announcement', async () => {
    let isAway = false;
    await open({
      bus: (bus) =>
        overlaid(bus, {
          send: (channel, record, acknowledgement) =>
            isAway && channel.name === 'presence'
              ? Promise.reject(new EngineUnavailable('message bus'))
              : bus.send(channel, record, acknowledgement),
        }),
    });
    const ben = await witness('two', 1);
    const { client, id } = await world.member();
    for (const roomId of ['one', 'two']) await world.announce(client, roomId, { n: 1 }, keep);
    expect(await ben.next()).to.include({ event: 'join' });
    isAway = true;
    for (const [roomId, options] of [
      ['one', {}],
      ['three', {}],
      ['three', keep],
      ['two', keep],
    ] as const)
      expect(await client.ask({ type: 'presence', roomId, data: { n: 2 }, ...options })).to.include({
        error: 'broker_unavailable',
      });
    isAway = false;
    expect(await present(client, 'one', 'three')).to.deep.equal({ one: [id], three: [] });
    await world.announce(ben, 'two', { still: 'told' });
    expect(await client.next()).to.deep.nested.include({ roomId: 'two', 'data.presence': { still: 'told' } });
  });

  it('[WS-MEM-5] may not hold more than there is by entering more rooms', async () => {
    await open({ presenceMemoryBytes: 50_000 });
    const { client, id } = await world.member();
    const data = { text: 'x'.repeat(8_000) };
    for (const roomId of ['one', 'two']) await world.announce(client, roomId, data, keep);
    expect(await client.ask({ type: 'presence', roomId: 'three', data, ...keep })).to.deep.equal({
      ...{ type: 'error', error: 'memory_limit_exceeded', code: 42980, topic: 'three' },
    });
    await world.announce(client, 'three', data);
    expect(await present(client, 'one', 'two', 'three')).to.deep.equal({ one: [], two: [], three: [id] });
  });
});
