import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import type { Frame, FrameClient } from '@roomwire/testing/clients/frameClient';
import { overlaid } from '../../support/overlaid.js';
import { World } from '../../support/world.js';

const refused = (lobbyId: string) => ({ type: 'error', error: 'not_authorized', lobbyId });

/** The snapshot as room → actor → presence. */
const snapshot = async (client: FrameClient, lobbyId: string, type = 'lobbySubscribe'): Promise<unknown> => {
  const reply = (await client.ask({ type, lobbyId })) as Frame;
  expect(reply).to.include({
    type: type === 'lobbySubscribe' ? 'lobbySubscribed' : 'lobbyPresenceList',
    lobbyId,
  });
  return reply['presence'];
};

/** What happened, room by room: events of one room have an order, those of two have none. */
const eventsOf = async (client: FrameClient, count: number): Promise<Record<string, unknown[]>> => {
  const events: Record<string, unknown[]> = {};
  for (let n = 0; n < count; n++) {
    const { roomId, event } = (await client.next()) as Frame;
    (events[String(roomId)] ??= []).push(event);
  }
  return events;
};

describe('lobbies', () => {
  let world: World;

  beforeEach(async () => {
    world = await World.open();
    await world.startGateway();
    const app = await world.app('hotel', {
      config: { lobbies: [{ slug: 'east', rooms: ['bar', 'room-*'] }] },
    });
    for (const slug of ['bar', 'room-1', 'room-2', 'cellar']) await world.room(app, slug);
  });

  afterEach(() => world.close());

  it('[WS-LOBBY-3] a snapshot shows who is present, by room and actor', async () => {
    const ann = await world.member();
    await world.announce(ann.client, 'bar', { mood: 'fine' });
    await world.announce((await world.member()).client, 'cellar');
    const watcher = (await world.member({}, 1)).client;
    for (const type of ['lobbySubscribe', 'getLobbyPresence']) {
      const presence = (await snapshot(watcher, 'east', type)) as Record<string, Record<string, Frame>>;
      expect(Object.keys(presence)).to.deep.equal(['bar']);
      const entry = presence['bar']?.[ann.id];
      expect(entry).to.deep.include({ actorTokenId: ann.id, presence: { mood: 'fine' } });
      expect(entry?.['joinedAt']).to.be.within(Date.now() / 1_000 - 60, Date.now() / 1_000);
    }
  });

  it('[WS-LOBBY-4] notify of changes in their rooms, and in no other', async () => {
    const watcher = (await world.member({}, 1)).client;
    expect(await snapshot(watcher, 'east')).to.deep.equal({});
    const ann = await world.member();
    for (const [roomId, data] of [
      ['cellar', { n: 0 }],
      ['room-1', { n: 1 }],
      ['room-1', { n: 2 }],
      ['bar', { n: 3 }],
    ] as const) {
      await world.announce(ann.client, roomId, data);
    }
    await ann.client.close();
    const told = (event: string, roomId: string, data: unknown) => ({
      type: 'lobbyPresence',
      event,
      lobbyId: 'east',
      roomId,
      actorId: ann.id,
      data,
    });
    for (const frame of [
      told('join', 'room-1', { n: 1 }),
      told('update', 'room-1', { n: 2 }),
      told('join', 'bar', { n: 3 }),
      told('leave', 'room-1', {}),
      told('leave', 'bar', {}),
    ]) {
      expect(await watcher.next()).to.deep.equal(frame);
    }
  });

  it('[WS-LOBBY-1] every app has a lobby of its own slug, with all its rooms, later ones too', async () => {
    const watcher = (await world.member({}, 1)).client;
    await snapshot(watcher, 'hotel');
    await world.room(await world.find('apps', { slug: 'hotel' }), 'annex');
    const ann = (await world.member()).client;
    for (const roomId of ['cellar', 'annex']) {
      await world.announce(ann, roomId);
      expect(await watcher.next()).to.include({ event: 'join', roomId });
      if (roomId === 'annex') expect(await watcher.next()).to.include({ event: 'leave', roomId: 'cellar' });
    }
  });

  it('[WS-LOBBY-4] notify an actor of its own changes, too', async () => {
    const ann = await world.member();
    await snapshot(ann.client, 'east');
    ann.client.send({ type: 'presence', roomId: 'bar', data: {} });
    expect(await ann.client.next()).to.include({ type: 'lobbyPresence', event: 'join', actorId: ann.id });
  });

  it('[WS-LOBBY-5] send nothing after lobbyUnsubscribe', async () => {
    const watcher = (await world.member()).client;
    await snapshot(watcher, 'east');
    for (let twice = 0; twice < 2; twice++) {
      expect(await watcher.ask({ type: 'lobbyUnsubscribe', lobbyId: 'east' })).to.deep.equal({
        type: 'lobbyUnsubscribed',
        lobbyId: 'east',
      });
    }
    await world.announce((await world.member()).client, 'bar');
    expect(await watcher.ask({ type: 'getPresence' })).to.include({ type: 'presenceList' });
  });

  it('[WS-LOBBY-5] send each event once when subscribed twice', async () => {
    const watcher = (await world.member()).client;
    await snapshot(watcher, 'east');
    await snapshot(watcher, 'east');
    await world.announce((await world.member()).client, 'bar');
    expect(await watcher.next()).to.include({ event: 'join' });
    expect(await watcher.ask({ type: 'getPresence' })).to.include({ type: 'presenceList' });
  });

  describe('[WS-LOBBY-2] a lobbyId', () => {
    for (const lobbyId of ['nowhere', 'hotel/nowhere', 'nowhere/east', 'hotel/east/bar', '', 'East', '*']) {
      it(`that names no lobby is not authorized: '${lobbyId}'`, async () => {
        const { client } = await world.member();
        for (const type of ['lobbySubscribe', 'getLobbyPresence']) {
          expect(await client.ask({ type, lobbyId })).to.deep.equal(refused(lobbyId));
        }
      });
    }

    it('may carry the app, and is echoed as it was written', async () => {
      const { client } = await world.member();
      expect(await snapshot(client, 'hotel/east')).to.deep.equal({});
      await world.announce((await world.member()).client, 'bar');
      expect(await client.next()).to.include({ type: 'lobbyPresence', lobbyId: 'hotel/east' });
    });

    it('in two apps is refused, unless the session is subscribed in one of them', async () => {
      const motel = await world.app('motel', { config: { lobbies: [{ slug: 'east', rooms: ['*'] }] } });
      await world.room(motel, 'desk');
      const { client } = await world.member();
      expect(await client.ask({ type: 'lobbySubscribe', lobbyId: 'east' })).to.deep.equal(refused('east'));
      await client.subscribe('motel/desk/news');
      await snapshot(client, 'east');
      await world.announce((await world.member()).client, 'desk');
      expect(await client.next()).to.include({ event: 'join', roomId: 'desk' });
    });

    it('of which the actor may see no room is refused in the same way', async () => {
      await world.room(await world.app('secret', { config: { accessMode: 'private' } }), 'cell');
      await world.app('empty');
      const { client } = await world.member();
      for (const lobbyId of ['secret', 'empty']) {
        expect(await client.ask({ type: 'lobbySubscribe', lobbyId })).to.deep.equal(refused(lobbyId));
      }
    });

    it('reaches no lobby of another project', async () => {
      const theirs = await world.project();
      const stranger = await world.joinAs((await world.actor({}, theirs)).token);
      expect(await stranger.ask({ type: 'lobbySubscribe', lobbyId: 'hotel' })).to.deep.equal(
        refused('hotel'),
      );
    });
  });

  it('[WS-LOBBY-6] removes a room that the actor loses from its view', async () => {
    const { appId, roomId } = await world.find('rooms', { slug: 'room-2' });
    const watcher = (await world.member()).client;
    await snapshot(watcher, 'east');
    const ann = await world.member();
    await world.announce(ann.client, 'room-2');
    expect(await watcher.next()).to.include({ event: 'join', roomId: 'room-2' });
    await world.happened(
      { type: 'RoomUpdated', data: { appId, roomId, changes: { status: 'disabled' } } },
      { patch: 'rooms', id: roomId, set: { status: 'disabled' } },
    );
    await eventually(async () => {
      const reply = (await ann.client.ask({ type: 'getPresence', roomId: 'room-2' })) as Frame;
      return reply['error'] === 'unknown_topic';
    });
    await world.announce(ann.client, 'bar');
    expect(await watcher.next()).to.include({ event: 'join', roomId: 'bar' });
  });

  it('[WS-LOBBY-3] loses no event during the snapshot, and keeps the order', async () => {
    let isSlow = false;
    const released: (() => void)[] = [];
    const held = () => new Promise<void>((resolve) => released.push(resolve));
    await world.startGateway({
      views: (views) =>
        overlaid(views, {
          find: async (view, query) => {
            if (isSlow && view === 'rooms' && query.filter?.['slug'] === 'room-1') await held();
            return views.find(view, query);
          },
        }),
    });
    const ann = (await world.member()).client;
    await world.announce(ann, 'room-1', { n: 1 });
    const watcher = (await world.member({}, 2)).client;
    isSlow = true;
    watcher.send({ type: 'lobbySubscribe', lobbyId: 'east' });
    await eventually(() => released.length > 0);
    await world.announce(ann, 'room-1', { n: 2 });
    await world.announce(ann, 'bar', { n: 3 });
    isSlow = false;
    for (const release of released) release();
    expect(await watcher.next()).to.deep.nested.include({ type: 'lobbySubscribed' });
    expect(await eventsOf(watcher, 3)).to.deep.equal({ 'room-1': ['update', 'leave'], bar: ['join'] });
  });

  it('[WS-LOBBY-4] delays its events while the read models are unavailable, and keeps the order', async () => {
    let isAway = false;
    await world.startGateway({
      views: (views) =>
        overlaid(views, {
          find: (view, query) =>
            isAway && view === 'rooms' ? Promise.reject(new Error('away')) : views.find(view, query),
        }),
    });
    const watcher = (await world.member({}, 2)).client;
    await snapshot(watcher, 'east');
    isAway = true;
    const ann = (await world.member()).client;
    for (const roomId of ['room-2', 'bar']) await world.announce(ann, roomId);
    isAway = false;
    expect(await eventsOf(watcher, 3)).to.deep.equal({ 'room-2': ['join', 'leave'], bar: ['join'] });
  });
});
