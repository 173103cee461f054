import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import type { Room } from '@roomwire/shared/domain/room';
import type { Frame, FrameClient } from '@roomwire/testing/clients/frameClient';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { World } from '../../support/world.js';

const announce = async (client: FrameClient, roomId: string): Promise<void> => {
  client.send({ type: 'presence', roomId, data: {} });
  expect(await client.ask({ type: 'getPresence' })).to.include({ type: 'presenceList' });
};

describe('a presence that rests on a grant', () => {
  let clock: ManualClock;
  let world: World;
  let room: Room;
  let street: Room;

  const open = async (expirySweepMs: number): Promise<void> => {
    clock = new ManualClock();
    world = await World.open({ clock, expirySweepMs });
    const app = await world.app('app-1');
    room = await world.room(app, 'lobby');
    street = await world.room(app, 'street');
  };

  afterEach(() => world.close());

  /** One who may be in the room, for so long. */
  const guest = async (forMs?: number): Promise<{ client: FrameClient; id: string }> => {
    const { record, token } = await world.actor();
    const expiresAt = forMs === undefined ? null : new Date(clock.now() + forMs).toISOString();
    await world.grant(room, { actorTokenId: record.actorTokenId, expiresAt });
    return { client: await world.joinAs(token), id: record.actorTokenId };
  };

  const present = async (client: FrameClient): Promise<readonly unknown[]> => {
    const reply = (await client.ask({ type: 'getPresence', roomId: 'lobby' })) as Frame;
    return (reply['data'] as readonly Frame[]).map(({ actorTokenId }) => actorTokenId);
  };

  it('[WS-PRES-9] [WS-GRANT-4] ends with it: the others get an event, and the actor does not', async () => {
    await open(5);
    const [host, first, second] = [await guest(), await guest(1_000), await guest(2_000)];
    for (const { client } of [host, first, second]) await announce(client, 'lobby');
    for (const { client } of [host, host, first]) expect(await client.next()).to.include({ event: 'join' });

    for (const gone of [first, second]) {
      clock.pass(1_000);
      expect(await host.client.next()).to.deep.equal({
        type: 'presence',
        event: 'leave',
        data: { actor_token_id: gone.id },
      });
      expect(await present(host.client)).to.not.include(gone.id);
    }
    expect(await present(host.client)).to.deep.equal([host.id]);
    expect(await first.client.ask({ type: 'getPresence' })).to.include({ type: 'presenceList' });
    expect(await second.client.next()).to.deep.include({
      event: 'leave',
      data: { actor_token_id: first.id },
    });
    expect(await second.client.ask({ type: 'getPresence' })).to.include({ type: 'presenceList' });
  });

  it('[WS-GRANT-4] is checked also when another grant of the actor has ended before', async () => {
    await open(5);
    const [host, late] = [await guest(), await guest(2_000)];
    const expiresAt = new Date(clock.now() + 1_000).toISOString();
    await world.grant(street, { actorTokenId: late.id, expiresAt });
    await announce(host.client, 'lobby');
    await announce(late.client, 'app-1/street');
    await late.client.subscribe('app-1/street/news');
    await announce(late.client, 'lobby');
    expect(await host.client.next()).to.include({ event: 'join' });
    clock.pass(1_000);
    await eventually(async () => {
      const reply = (await late.client.ask({
        type: 'setFilters',
        topic: 'app-1/street/news',
        filters: [],
      })) as Frame;
      return reply['error'] === 'not_subscribed';
    });
    expect(await present(host.client)).to.include(late.id);
    clock.pass(1_000);
    expect(await host.client.next()).to.include({ event: 'leave' });
  });

  it('[WS-GRANT-4] [WS-PRES-3] admits no reading, announcing or lobbies from the millisecond of its expiry', async () => {
    await open(3_600_000);
    const { client } = await guest(1_000);
    await announce((await guest()).client, 'lobby');
    await announce(client, 'lobby');
    const rooms = async (): Promise<readonly string[]> => {
      const reply = (await client.ask({ type: 'getLobbyPresence', lobbyId: 'app-1' })) as Frame;
      return Object.keys(reply['presence'] as object);
    };
    clock.pass(999);
    expect(await present(client)).to.have.lengthOf(2);
    expect(await rooms()).to.deep.equal(['lobby']);
    clock.pass(1);
    for (const type of ['getPresence', 'presence']) {
      expect(await client.ask({ type, roomId: 'lobby' })).to.include({ error: 'unknown_topic' });
    }
    expect(await rooms()).to.deep.equal([]);
  });

  it('[WS-GRANT-4] [WS-LOBBY-6] its end removes the room from a lobby that is watched', async () => {
    await open(3_600_000);
    const [{ client: watcher }, { client: other }] = [await guest(1_000), await guest()];
    await watcher.ask({ type: 'lobbySubscribe', lobbyId: 'app-1' });
    await announce(other, 'lobby');
    expect(await watcher.next()).to.include({ event: 'join', roomId: 'lobby' });
    clock.pass(1_000);
    await announce(other, 'app-1/street');
    expect(await watcher.next()).to.include({ event: 'join', roomId: 'street' });
    await announce(other, 'lobby');
    await announce(other, 'app-1/street');
    const seen = [await watcher.next(), await watcher.next()].map((frame) => (frame as Frame)['roomId']);
    expect(seen).to.deep.equal(['street', 'street']);
  });

  it('[WS-GRANT-4] stays when the grant has been replaced by one that lasts', async () => {
    await open(5);
    const { record, token } = await world.actor();
    const { actorTokenId } = record;
    const ends = new Date(clock.now() + 1_000).toISOString();
    await world.grant(room, { actorTokenId, expiresAt: ends });
    const client = await world.joinAs(token);
    await announce(client, 'lobby');
    const { appId, roomId } = room;
    const grant = await world.find('grants', { roomId });
    if (grant === undefined) throw new Error('There is no grant');
    const lasting = { ...grant, expiresAt: null };
    await world.happened(
      { type: 'RoomUpdated', data: { appId, roomId, changes: {} } },
      { put: 'grants', id: grant.roomActorAccessId, doc: lasting },
    );
    // What the old grant admitted is checked again.
    await eventually(async () => (await present(client)).length === 1);
    clock.pass(5_000);
    await client.subscribe('app-1/street/news');
    expect(await present(client)).to.deep.equal([actorTokenId]);
  });
});
