import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { internalRoom } from '@roomwire/shared/domain/topic';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import { presenceNews } from '@roomwire/shared/wire/bus/presenceNews';
import { eventually } from '@roomwire/testing/run/eventually';
import type { FrameClient, Frame } from '@roomwire/testing/clients/frameClient';
import { overlaid } from '../../support/overlaid.js';
import { World } from '../../support/world.js';

const unknown = (topic: string) => ({ type: 'error', error: 'unknown_topic', code: 42940, topic });

/** Announces, and waits until it is in force: the frames of a connection are handled in their order. */
const list = async (client: FrameClient, roomId: string): Promise<Record<string, unknown>> => {
  const reply = (await client.ask({ type: 'getPresence', roomId })) as Frame;
  expect(reply).to.include({ type: 'presenceList', roomId });
  const entries = reply['data'] as { actorTokenId: string; presence: unknown }[];
  return Object.fromEntries(entries.map(({ actorTokenId, presence }) => [actorTokenId, presence]));
};

describe('presence', () => {
  let world: World;

  beforeEach(async () => {
    world = await World.open();
    await world.startGateway();
    await world.newsroom();
  });

  afterEach(() => world.close());

  it('[WS-PRES-5] notifies the others in the room of joins, updates and leaves, on every gateway', async () => {
    const ann = await world.member();
    const near = await world.member();
    const far = await world.member({}, 1);
    for (const { client } of [near, far]) await world.announce(client, 'lobby');
    expect(await near.client.next()).to.include({ type: 'presence', event: 'join' });
    await world.announce(ann.client, 'lobby', { mood: 'fine' });
    await world.announce(ann.client, 'lobby', { mood: 'better' });
    await ann.client.close();
    for (const { client } of [near, far]) {
      for (const [event, presence] of [
        ['join', { mood: 'fine' }],
        ['update', { mood: 'better' }],
      ] as const) {
        expect(await client.next()).to.deep.equal({
          type: 'presence',
          event,
          data: { actor_token_id: ann.id, presence },
        });
      }
      expect(await client.next()).to.deep.equal({
        type: 'presence',
        event: 'leave',
        data: { actor_token_id: ann.id },
      });
    }
  });

  it('[WS-PRES-5] is not sent to clients outside the room, nor to any connection of the actor', async () => {
    const { token } = await world.actor();
    const here = await world.joinAs(token);
    const there = await world.joinAs(token, 1);
    const outsider = await (await world.join()).subscribe('app-1/lobby/news');
    await world.announce(here, 'lobby');
    await world.announce(there, 'lobby');
    const marker = await world.member();
    await world.announce(marker.client, 'lobby');
    for (const client of [here, there]) {
      expect(await client.next()).to.deep.include({
        event: 'join',
        data: { actor_token_id: marker.id, presence: {} },
      });
    }
    expect(await outsider.ask({ type: 'getPresence' })).to.include({ type: 'presenceList' });
  });

  it('[WS-PRES-6] treats the connections of an actor as one presence', async () => {
    const witness = (await world.member()).client;
    await world.announce(witness, 'lobby');
    const { record, token } = await world.actor();
    const first = await world.joinAs(token);
    const second = await world.joinAs(token, 1);
    await world.announce(first, 'lobby', { from: 'first' });
    await world.announce(second, 'lobby', { from: 'second' });
    for (const [event, from] of [
      ['join', 'first'],
      ['update', 'second'],
    ] as const) {
      expect(await witness.next()).to.deep.nested.include({ event, 'data.presence': { from } });
    }
    expect(Object.keys(await list(witness, 'lobby'))).to.have.length(2);
    await second.close();
    expect(await witness.next()).to.deep.include({
      event: 'update',
      data: { actor_token_id: record.actorTokenId, presence: { from: 'first' } },
    });
    await first.close();
    expect(await witness.next()).to.deep.include({
      event: 'leave',
      data: { actor_token_id: record.actorTokenId },
    });
  });

  it('[WS-PRES-6] is silent about an announcement that changes nothing', async () => {
    const witness = (await world.member()).client;
    await world.announce(witness, 'lobby');
    const { client } = await world.member();
    for (const mood of ['same', 'same', 'other']) await world.announce(client, 'lobby', { mood });
    expect(await witness.next()).to.include({ event: 'join' });
    expect(await witness.next()).to.deep.nested.include({
      event: 'update',
      'data.presence': { mood: 'other' },
    });
  });

  it('[WS-PRES-4] leaves the former room when it is announced in another one', async () => {
    await world.room(await world.app('app-2'), 'den');
    const [inLobby, inDen] = [(await world.member()).client, (await world.member({}, 1)).client];
    await world.announce(inLobby, 'lobby');
    await world.announce(inDen, 'den');
    const mover = await world.member();
    await world.announce(mover.client, 'lobby');
    await world.announce(mover.client, 'den');
    expect(await inLobby.next()).to.include({ event: 'join' });
    expect(await inLobby.next()).to.deep.include({ event: 'leave', data: { actor_token_id: mover.id } });
    expect(await inDen.next()).to.include({ event: 'join' });
    expect(await list(inLobby, 'lobby')).to.not.have.property(mover.id);
    await world.announce(inLobby, 'lobby', { no: 'longer told' });
    await world.announce(inDen, 'den', { still: 'told' });
    expect(await mover.client.next()).to.deep.nested.include({ 'data.presence': { still: 'told' } });
  });

  it('[WS-PRES-7] lists all present actors, the requesting one included, on every gateway', async () => {
    const before = Math.floor(Date.now() / 1_000);
    const ann = await world.member();
    const ben = await world.member({}, 1);
    await world.announce(ann.client, 'lobby', { binary: new Uint8Array([1, 2]) });
    await world.announce(ben.client, 'lobby', { n: 2 });
    expect(await ann.client.next()).to.include({ event: 'join' });
    for (const { client } of [ann, ben]) {
      expect(await list(client, 'app-1/lobby')).to.deep.equal({
        [ann.id]: { binary: new Uint8Array([1, 2]) },
        [ben.id]: { n: 2 },
      });
    }
    const { data } = (await ben.client.ask({ type: 'getPresence', roomId: 'lobby' })) as unknown as {
      data: { joinedAt: number }[];
    };
    for (const { joinedAt } of data) expect(joinedAt).to.be.within(before, Date.now() / 1_000);
  });

  it('[WS-PRES-8] has no effect without a roomId', async () => {
    const witness = (await world.member()).client;
    await world.announce(witness, 'lobby');
    const { client } = await world.member();
    client.send({ type: 'presence', data: { a: 1 } });
    expect(await client.ask({ type: 'getPresence' })).to.deep.equal({ type: 'presenceList', data: [] });
    expect(Object.keys(await list(witness, 'lobby'))).to.have.length(1);
  });

  describe('[WS-PRES-2] a roomId', () => {
    it('is looked up in the apps of the subscriptions first', async () => {
      await world.room(await world.app('app-2'), 'lobby');
      const { client, id } = await world.member();
      expect(await client.ask({ type: 'presence', roomId: 'lobby', data: {} })).to.deep.include(
        unknown('lobby'),
      );
      await client.subscribe('app-2/lobby/news');
      await world.announce(client, 'lobby');
      expect(await list(client, 'app-2/lobby')).to.have.property(id);
      expect(await list(client, 'app-1/lobby')).to.deep.equal({});
      await client.subscribe('app-1/lobby/news');
      await world.announce(client, 'lobby', { still: 'there' });
      expect(await list(client, 'app-2/lobby')).to.deep.equal({ [id]: { still: 'there' } });
    });

    for (const roomId of ['nowhere', 'app-1/nowhere', 'app-1/lobby/news', '', '/', 'Lobby', 'app-9/lobby']) {
      it(`that names no room is unknown: '${roomId}'`, async () => {
        const { client } = await world.member();
        for (const type of ['presence', 'getPresence']) {
          expect(await client.ask({ type, roomId, data: {} })).to.deep.include(unknown(roomId));
        }
      });
    }

    it('reaches no room of another project', async () => {
      const theirs = await world.project();
      await world.room(await world.app('app-1', {}, theirs), 'lobby');
      const stranger = await world.joinAs((await world.actor({}, theirs)).token);
      const ours = (await world.member()).client;
      await world.announce(ours, 'lobby');
      await world.announce(stranger, 'lobby');
      expect(Object.keys(await list(stranger, 'lobby'))).to.have.length(1);
      expect(Object.keys(await list(ours, 'lobby'))).to.have.length(1);
    });
  });

  it('[WS-PRES-3] is refused in a room of which the actor may subscribe to no topic', async () => {
    const app = await world.app('closed', { config: { accessMode: 'private' } });
    await world.room(app, 'cell');
    await world.room(await world.app('open'), 'mute', { topics: [] });
    const { client } = await world.member();
    for (const roomId of ['cell', 'closed/cell', 'mute']) {
      expect(await client.ask({ type: 'presence', roomId })).to.deep.include(unknown(roomId));
      expect(await client.ask({ type: 'getPresence', roomId })).to.deep.include(unknown(roomId));
    }
  });

  it('[WS-PRES-3] an observer reads, and may not announce', async () => {
    const { client } = await world.member({ actorType: 'observer' });
    const ann = await world.member();
    await world.announce(ann.client, 'lobby');
    expect(await list(client, 'lobby')).to.have.property(ann.id);
    expect(await client.ask({ type: 'presence', roomId: 'lobby', data: {} })).to.deep.include(
      unknown('lobby'),
    );
  });

  it('[WS-VER-1] a denied room is not_authorized in protocol 1', async () => {
    const client = await (await world.connect()).authenticate((await world.actor()).token, 1);
    expect(await client.ask({ type: 'presence', roomId: 'nowhere' })).to.deep.equal({
      type: 'error',
      error: 'not_authorized',
      topic: 'nowhere',
    });
  });

  it('[WS-PRES-10] data is a map of at most 16,384 bytes', async () => {
    const { client } = await world.member();
    for (const data of [[], 'text', 7, true]) {
      expect(await client.ask({ type: 'presence', roomId: 'lobby', data })).to.include({
        error: 'invalid_frame',
      });
    }
    const filled = (bytes: number) => ({ f: 'x'.repeat(bytes - encode({ f: '' }).length - 2) });
    expect(encode(filled(16_384))).to.have.length(16_384);
    await world.announce(client, 'lobby', filled(16_384));
    expect(await client.ask({ type: 'presence', roomId: 'lobby', data: filled(16_385) })).to.deep.include({
      error: 'message_too_large',
      maxSizeBytes: 16_384,
    });
    client.send({ type: 'presence', roomId: 'lobby' });
    expect(Object.values(await list(client, 'lobby'))).to.deep.equal([{}]);
    client.sendJson({ type: 'presence', roomId: 'lobby', data: { from: 'json' } });
    expect(Object.values(await list(client, 'lobby'))).to.deep.equal([{ from: 'json' }]);
  });

  it('[WS-PRES-7] of a room with more than one answer may have is refused, and counted nevertheless', async () => {
    const [counting, asking] = [await world.join(), await world.join()];
    counting.send({ type: 'presence', roomId: 'lobby', mode: 'count' });
    const room = internalRoom(world.projectId, null, 'app-1', 'lobby');
    const presence = encode({ f: 'x'.repeat(16_000) });
    const of = { kind: 'enter', gatewayId: 'elsewhere', room, presence, joinedAt: 1, rank: 1 } as const;
    const present = 550;
    for (let n = 1; n <= present; n++) {
      const one = { sequence: n, connection: n, actorTokenId: `actor-${n}` };
      await world.bus.send(presenceNews, { ...of, ...one }, 'stored');
    }
    for (let count: unknown; count !== present;) count = ((await counting.next()) as Frame)['present'];
    expect(await asking.ask({ type: 'getPresence', roomId: 'lobby' })).to.deep.equal({
      ...{ type: 'error', error: 'message_too_large', code: 42930 },
      ...{ topic: 'lobby', maxSizeBytes: 8_388_608 },
    });
    expect(await asking.ask({ type: 'getPresence' })).to.include({ type: 'presenceList' });
  });

  it('[WS-PRES-11] is limited by a rate of its own', async () => {
    await world.startGateway({ presenceRate: 3 });
    const { client } = await world.member({}, 2);
    for (let n = 1; n <= 3; n++) await world.announce(client, 'lobby', { n });
    expect(await client.ask({ type: 'presence', roomId: 'lobby', data: { n: 4 } })).to.include({
      error: 'rate_limit_exceeded',
      code: 42910,
    });
    expect(Object.values(await list(client, 'lobby'))).to.deep.equal([{ n: 3 }]);
  });

  it('[WS-PRES-9] ends when the actor loses the room, and silently for the actor', async () => {
    const app = await world.app('app-3');
    const room = await world.room(app, 'shop');
    await world.room(app, 'street');
    const ann = await world.member();
    await world.announce(ann.client, 'shop');
    const disabled = { ...room, status: 'disabled' as const };
    await world.happened(
      {
        type: 'RoomUpdated',
        data: { appId: app.appId, roomId: room.roomId, changes: { status: 'disabled' } },
      },
      { patch: 'rooms', id: room.roomId, set: disabled },
    );
    await eventually(async () => {
      const reply = (await ann.client.ask({ type: 'getPresence', roomId: 'shop' })) as Frame;
      return reply['error'] === 'unknown_topic';
    });
    await world.happened(
      {
        type: 'RoomUpdated',
        data: { appId: app.appId, roomId: room.roomId, changes: { status: 'active' } },
      },
      { patch: 'rooms', id: room.roomId, set: { status: 'active' } },
    );
    expect(await list(ann.client, 'shop')).to.deep.equal({});
  });

  it('[WS-PRES-9] a broken connection leaves', async () => {
    const witness = (await world.member({}, 1)).client;
    await world.announce(witness, 'lobby');
    const { client, id } = await world.member();
    await world.announce(client, 'lobby');
    expect(await witness.next()).to.include({ event: 'join' });
    client.webSocket.terminate();
    expect(await witness.next()).to.deep.include({ event: 'leave', data: { actor_token_id: id } });
  });

  it('[WS-PRES-9] the clients of a gateway that closes leave', async () => {
    const witness = (await world.member({}, 1)).client;
    await world.announce(witness, 'lobby');
    const { client, id } = await world.member();
    await world.announce(client, 'lobby');
    expect(await witness.next()).to.include({ event: 'join' });
    await world.gateway.close();
    expect(await witness.next()).to.deep.include({ event: 'leave', data: { actor_token_id: id } });
  });

  it('[WS-PRES-12] a gateway that starts knows who is present, and sends its clients no past events', async () => {
    const ann = await world.member();
    await world.announce(ann.client, 'lobby', { long: 'here' });
    await world.startGateway();
    const { client, id } = await world.member({}, 2);
    await world.announce(client, 'lobby');
    expect(await list(client, 'lobby')).to.deep.equal({ [ann.id]: { long: 'here' }, [id]: {} });
  });

  it('[WS-PRES-1] a change that the bus refuses is answered with an error, and has no effect', async () => {
    let isAway = false;
    await world.startGateway({
      bus: (bus) =>
        overlaid(bus, {
          send: (channel, record, acknowledgement) =>
            isAway && channel.name === 'presence'
              ? Promise.reject(new EngineUnavailable('message bus'))
              : bus.send(channel, record, acknowledgement),
        }),
    });
    await world.room(await world.app('app-2'), 'den');
    const { client, id } = await world.member({}, 2);
    await world.announce(client, 'lobby', { n: 1 });
    isAway = true;
    for (const roomId of ['lobby', 'den']) {
      expect(await client.ask({ type: 'presence', roomId, data: { n: 2 } })).to.include({
        error: 'broker_unavailable',
        topic: roomId,
      });
    }
    isAway = false;
    expect(await list(client, 'lobby')).to.deep.equal({ [id]: { n: 1 } });
    expect(await list(client, 'den')).to.deep.equal({});
    const ann = await world.member();
    await world.announce(ann.client, 'lobby');
    expect(await client.next()).to.deep.nested.include({ event: 'join', 'data.actor_token_id': ann.id });
  });
});
