import { expect } from 'chai';
import type { Scope } from '@roomwire/shared/domain/scope';
import type { ViewName } from '@roomwire/shared/wire/views/views';
import type { Frame, FrameClient } from '@roomwire/testing/clients/frameClient';
import { eventually } from '@roomwire/testing/run/eventually';
import { overlaid } from '../../support/overlaid.js';
import { World } from '../../support/world.js';

describe('an actor that is moved to another scope while it asks who is where', () => {
  let world: World;
  let acme: Scope;
  let other: Scope;
  /** What waits until the actor is moved. */
  let waiting: { readonly on: ViewName; readonly moved: Promise<void>; searches: number } | undefined;
  let actorTokenId: string;
  let mover: FrameClient;
  let inAcme: FrameClient;
  let inOther: FrameClient;

  /** The mover has a gateway of its own, which has not looked for the hall yet. */
  beforeEach(async () => {
    waiting = undefined;
    world = await World.open({
      views: (real) =>
        overlaid(real, {
          find: async (view, query) => {
            const found = await real.find(view, query);
            if (waiting?.on === view && waiting.searches++ === 0) await waiting.moved;
            return found;
          },
        }),
    });
    await world.startGateway();
    const app = await world.app('app-1');
    for (const slug of ['lobby', 'hall']) await world.room(app, slug);
    [acme, other] = [await world.scope('acme'), await world.scope('other')];
    const { record, token } = await world.actor({ accessScopeId: acme.accessScopeId });
    ({ actorTokenId } = record);
    mover = await world.joinAs(token, 0);
    inAcme = await world.join({ accessScopeId: acme.accessScopeId }, 1);
    inOther = await world.join({ accessScopeId: other.accessScopeId }, 1);
    await present(mover, 'lobby');
    for (const roomId of ['lobby', 'hall']) await present(inAcme, roomId);
    expect(await mover.next()).to.include({ event: 'join', roomId: 'app-1/lobby' });
  });
  afterEach(() => world.close());

  const present = async (client: FrameClient, room: string): Promise<void> => {
    await world.announce(client, `app-1/${room}`, {}, { keep: true });
  };

  const list = async (client: FrameClient, room: string): Promise<readonly unknown[]> => {
    const { data } = (await client.ask({ type: 'getPresence', roomId: `app-1/${room}` })) as Frame;
    return (data as readonly Frame[]).map((entry) => entry['actorTokenId']);
  };

  /** The actor is moved during the search of this view. */
  const movedDuring = async (on: ViewName, frame: Frame): Promise<void> => {
    let move = (): void => undefined;
    const moved = new Promise<void>((resolve) => (move = resolve));
    waiting = { on, moved, searches: 0 };
    mover.send(frame);
    await eventually(() => (waiting?.searches ?? 0) > 0, { what: 'the search' });
    const changes = { accessScopeId: other.accessScopeId };
    await world.happened(
      { type: 'ActorUpdated', data: { actorTokenId, changes } },
      { patch: 'actors', id: actorTokenId, set: changes },
    );
    expect(await inAcme.next()).to.include({ event: 'leave', roomId: 'app-1/lobby' });
    move();
  };

  it('[WS-SCOPE-4] [WS-SCOPE-1] is present in the new scope', async () => {
    await movedDuring('rooms', { type: 'presence', roomId: 'app-1/hall', data: {}, keep: true });
    expect(await list(mover, 'hall')).to.deep.equal([actorTokenId]);
    await world.spread();
    expect(await list(inOther, 'hall')).to.deep.equal([actorTokenId]);
    expect(await list(inAcme, 'hall')).not.to.include(actorTokenId);
  });

  it('[WS-SCOPE-4] [WS-PRES-17] counts who is in the new scope', async () => {
    await movedDuring('rooms', { type: 'presence', roomId: 'app-1/hall', mode: 'count' });
    expect(await mover.next()).to.include({ type: 'presenceCount', present: 0 });
    await present(inOther, 'hall');
    expect(await mover.next()).to.include({ type: 'presenceCount', present: 1 });
  });

  it('[WS-SCOPE-4] [WS-PRES-7] is shown who is in the new scope', async () => {
    await movedDuring('rooms', { type: 'getPresence', roomId: 'app-1/hall' });
    expect(await mover.next()).to.deep.include({ type: 'presenceList', data: [] });
  });

  for (const type of ['lobbySubscribe', 'getLobbyPresence'])
    it(`[WS-SCOPE-4] [WS-LOBBY-3] sees the lobby of the new scope, by ${type}`, async () => {
      await movedDuring('grants', { type, lobbyId: 'app-1/app-1' });
      expect(await mover.next()).to.deep.include({ lobbyId: 'app-1/app-1', presence: {} });
      if (type !== 'lobbySubscribe') return;
      await world.announce(inAcme, 'app-1/hall', { n: 2 }, { keep: true });
      await present(inOther, 'hall');
      expect(await mover.next()).to.include({ lobbyId: 'app-1/app-1', event: 'join', roomId: 'hall' });
    });
});
