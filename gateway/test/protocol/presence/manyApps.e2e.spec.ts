import { expect } from 'chai';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import * as records from '@roomwire/testing/builders/records';
import type { Frame, FrameClient } from '@roomwire/testing/clients/frameClient';
import { overlaid } from '../../support/overlaid.js';
import { World } from '../../support/world.js';

const appCount = 120;

describe('a connection that is subscribed in many apps', () => {
  let world: World;
  let client: FrameClient;
  /** Queries and documents that the gateway has asked for. */
  let asked: number;

  const counted = (views: ViewStore): ViewStore =>
    overlaid(views, {
      get: async (view, id) => {
        asked++;
        return views.get(view, id);
      },
      find: async (view, query) => {
        asked++;
        return views.find(view, query);
      },
    });

  beforeEach(async () => {
    world = await World.open({ views: counted });
    const lobbies = [{ slug: 'east', rooms: ['desk'] }];
    const apps = Array.from({ length: appCount }, (_, n) => records.app(world.projectId, `app-${n}`));
    const rooms = apps.map((app) => records.room(app, 'hall'));
    await world.put(
      ...apps.map((doc) => ({ put: 'apps', id: doc.appId, doc }) as const),
      ...rooms.map((doc) => ({ put: 'rooms', id: doc.roomId, doc }) as const),
    );
    for (const slug of ['near', 'far'])
      await world.room(await world.app(slug, { config: { lobbies } }), 'desk');
    client = (await world.member()).client;
    for (const { slug } of apps) await client.subscribe(`${slug}/hall/news`);
    await client.subscribe('near/desk/news');
    asked = 0;
  });

  afterEach(() => world.close());

  it('[WS-PRES-2] reads no more for the name of a room than another one', async () => {
    expect(await client.ask({ type: 'getPresence', roomId: 'nowhere' })).to.include({
      error: 'unknown_topic',
    });
    expect(asked).to.be.below(10);
    expect(await client.ask({ type: 'getPresence', roomId: 'desk' })).to.include({ type: 'presenceList' });
    // More than 100 rooms have it.
    expect(await client.ask({ type: 'getPresence', roomId: 'hall' })).to.include({ error: 'unknown_topic' });
    const stranger = (await world.member()).client;
    expect(await stranger.ask({ type: 'getPresence', roomId: 'desk' })).to.include({
      error: 'unknown_topic',
    });
  });

  it('[WS-LOBBY-2] nor for that of a lobby', async () => {
    const lobby = async (lobbyId: string, of = client) =>
      (await of.ask({ type: 'lobbySubscribe', lobbyId })) as Frame;
    expect(await lobby('nowhere')).to.include({ error: 'not_authorized' });
    expect(asked).to.be.below(10);
    expect(await lobby('east')).to.include({ type: 'lobbySubscribed' });
    expect(await lobby('east', (await world.member()).client)).to.include({ error: 'not_authorized' });
  });
});
