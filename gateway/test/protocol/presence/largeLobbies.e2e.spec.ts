import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect } from 'chai';
import type { App } from '@roomwire/shared/domain/app';
import type { Room } from '@roomwire/shared/domain/room';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import * as records from '@roomwire/testing/builders/records';
import type { Frame, FrameClient } from '@roomwire/testing/clients/frameClient';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { isOnEngines } from '@roomwire/testing/run/testProfile';
import { overlaid } from '../../support/overlaid.js';
import { World } from '../../support/world.js';

/** On engines fewer, which the stand-ins scan without an index. */
const roomCount = isOnEngines() ? 200 : 3_000;
const requests = 100;

const refused = (lobbyId: string) => ({ type: 'error', error: 'not_authorized', lobbyId });

describe('lobbies of apps with thousands of rooms', () => {
  let world: World;
  /** Documents that the gateway has read. */
  let read: number;

  const counted = (views: ViewStore): ViewStore =>
    overlaid(views, {
      get: async (view, id) => {
        read++;
        return views.get(view, id);
      },
      find: async (view, query) => {
        const found = await views.find(view, query);
        read += Math.max(1, found.length);
        return found;
      },
    });

  /** An app with rooms `room-0` and so on; `grantee` says to whom each of them is granted. */
  const bigApp = async (slug: string, fields: Partial<App>, grantee?: (n: number) => string | undefined) => {
    const app = await world.app(slug, fields);
    const rooms: Room[] = Array.from({ length: roomCount }, (_, n) => records.room(app, `room-${n}`));
    await world.put(...rooms.map((doc) => ({ put: 'rooms', id: doc.roomId, doc }) as never));
    const grants = rooms.flatMap((room, n) => {
      const actorTokenId = grantee?.(n);
      return actorTokenId === undefined ? [] : [records.grant(room, { actorTokenId })];
    });
    await world.put(...grants.map((doc) => ({ put: 'grants', id: doc.roomActorAccessId, doc }) as never));
    return app;
  };

  const snapshot = async (client: FrameClient, lobbyId: string): Promise<Frame> => {
    const reply = (await client.ask({ type: 'lobbySubscribe', lobbyId })) as Frame;
    expect(reply).to.include({ type: 'lobbySubscribed', lobbyId });
    return reply['presence'] as Frame;
  };

  beforeEach(async () => {
    world = await World.open({ views: counted });
    read = 0;
  });

  afterEach(() => world.close());

  it('[WS-LOBBY-7] are decided from the grants of the actor, and hold up no other tenant', async () => {
    await bigApp('fortress', { config: { accessMode: 'private' } });
    const neighbour = await world.joinAs((await world.actor({}, await world.project())).token);
    const { client } = await world.member();
    const delay = monitorEventLoopDelay({ resolution: 1 });
    read = 0;
    delay.enable();
    for (let n = 0; n < requests; n++) {
      const type = n % 2 === 0 ? 'lobbySubscribe' : 'getLobbyPresence';
      client.send({ type, lobbyId: n % 3 === 0 ? 'fortress' : 'fortress/fortress' });
    }
    neighbour.sendBytes(new Uint8Array());
    expect(await neighbour.next()).to.equal('heartbeat');
    for (let n = 0; n < requests; n++)
      expect(await client.next()).to.deep.equal(refused(n % 3 === 0 ? 'fortress' : 'fortress/fortress'));
    delay.disable();
    expect(read).to.be.below(10 * requests);
    expect(delay.max / 1e6).to.be.below(250);
  });

  it('[WS-LOBBY-7] look at a thousand rooms at most, which counts as a hundred requests', async function () {
    if (isOnEngines()) this.skip();
    await bigApp('closed', {}, () => 'someone-else');
    // The clock stands: there is one burst, and nothing is refilled.
    await world.startGateway({ views: counted, clock: new ManualClock() });
    const { client } = await world.member({}, 1);
    read = 0;
    expect(await client.ask({ type: 'lobbySubscribe', lobbyId: 'closed' })).to.deep.equal(refused('closed'));
    // A room is found by a query, then read with its grants.
    expect(read).to.be.within(2_500, 3_000);
    const { metrics } = world.gatewayAt(1);
    for (let n = 0; n < 10; n++) await client.ask({ type: 'getLobbyPresence', lobbyId: 'closed' });
    expect(metrics.requestsThrottled).to.equal(0);
    await client.ask({ type: 'getLobbyPresence', lobbyId: 'nowhere' });
    expect(metrics.requestsThrottled).to.equal(1);
  });

  it('[WS-LOBBY-2] show the one room of an actor among thousands', async () => {
    const { client, id } = await world.member();
    await bigApp('fortress', { config: { accessMode: 'private' } }, (n) => (n === roomCount - 1 ? id : 'x'));
    await world.announce(client, `fortress/room-${roomCount - 1}`);
    read = 0;
    const presence = await snapshot(client, 'fortress');
    expect(Object.keys(presence)).to.deep.equal([`room-${roomCount - 1}`]);
    expect(read).to.be.below(20);
  });

  it('[WS-LOBBY-2] show the few rooms of a lobby in an app of thousands', async () => {
    const lobbies = [
      { slug: 'last', rooms: [`room-${roomCount - 1}`] },
      { slug: 'vip', rooms: ['none-*', 'vip-*'] },
    ];
    const app = await bigApp('hotel', { config: { lobbies } }, (n) =>
      n === roomCount - 1 ? undefined : 'someone-else',
    );
    await world.room(app, 'vip-1');
    const { client } = await world.member();
    for (const lobbyId of ['last', 'vip', 'hotel/last', 'hotel/vip']) {
      read = 0;
      expect(await snapshot(client, lobbyId)).to.deep.equal({});
      expect(read).to.be.below(20);
    }
  });

  it('[WS-LOBBY-8] are a hundred at most of one connection', async () => {
    await world.startGateway({ requestRate: 0 });
    const lobbies = Array.from({ length: 51 }, (_, n) => ({ slug: `lobby-${n}`, rooms: ['bar'] }));
    await world.room(await world.app('hotel', { config: { lobbies } }), 'bar');
    const { client } = await world.member({}, 1);
    const names = lobbies.flatMap(({ slug }) => [slug, `hotel/${slug}`]).slice(0, 100);
    for (const lobbyId of names) expect(await snapshot(client, lobbyId)).to.deep.equal({});
    const lobbyId = 'hotel';
    expect(await client.ask({ type: 'lobbySubscribe', lobbyId })).to.deep.equal({
      ...refused(lobbyId),
      ...{ error: 'subscription_limit', code: 42970 },
    });
    await snapshot(client, names[0] as string);
    await client.ask({ type: 'lobbyUnsubscribe', lobbyId: names[0] });
    await snapshot(client, lobbyId);
  });
});
