import { expect } from 'chai';
import type { App } from '@roomwire/shared/domain/app';
import type { Room } from '@roomwire/shared/domain/room';
import type { Frame, FrameClient } from '@roomwire/testing/clients/frameClient';
import { eventually } from '@roomwire/testing/run/eventually';
import { overlaid } from '../../support/overlaid.js';
import { World } from '../../support/world.js';

const topic = 'app-1/lobby/news';

describe('an actor that asks for a history while its rights change', () => {
  let world: World;
  let app: App;
  let room: Room;
  /** What waits until the rights have changed. */
  let waiting: { readonly changed: Promise<void>; reads: number } | undefined;

  beforeEach(async () => {
    waiting = undefined;
    world = await World.open({
      history: (real) =>
        overlaid(real, {
          look: async (of) => {
            const view = await real.look(of);
            if (waiting && waiting.reads++ === 0) await waiting.changed;
            return view;
          },
        }),
    });
    app = await world.app('app-1', { topicConfigs: { news: { history: {} } } });
    room = await world.room(app, 'lobby');
  });
  afterEach(() => world.close());

  const said = async (writer: FrameClient, data: string): Promise<void> => {
    expect(await writer.publish(topic, data, { msgRef: data }).next()).to.include({ type: 'published' });
  };

  /** What the client is answered whose rights change while its history is read. */
  const answered = async (client: FrameClient, change: () => Promise<void>): Promise<Frame> => {
    let changed = (): void => undefined;
    waiting = { changed: new Promise<void>((resolve) => (changed = resolve)), reads: 0 };
    client.send({ type: 'history', topic, ref: '7' });
    await eventually(() => (waiting?.reads ?? 0) > 0, { what: 'the read' });
    await change();
    changed();
    return (await client.next()) as Frame;
  };

  it('[WS-HIST-12] [WS-TOPIC-4] is refused where it has lost the right to subscribe', async () => {
    await said(await world.join(), 'secret');
    const reader = await world.join();
    const { record } = await world.actor();
    const reply = await answered(reader, async () => {
      const grant = await world.grant(room, { actorTokenId: record.actorTokenId });
      await world.happened({ type: 'RoomGrantAdded', data: grant });
    });
    expect(reply).to.include({ type: 'error', error: 'unknown_topic', topic, ref: '7' });
  });

  it('[WS-HIST-11] [WS-HIST-1] is refused where the topic has none any more', async () => {
    await said(await world.join(), 'secret');
    const reply = await answered(await world.join(), async () => {
      const { appId } = app;
      const changes = { topicConfigs: {} };
      await world.happened(
        { type: 'AppUpdated', data: { appId, changes } },
        { patch: 'apps', id: appId, set: changes },
      );
    });
    expect(reply).to.include({ type: 'error', error: 'history_disabled', topic, ref: '7' });
  });

  it('[WS-HIST-12] [WS-SCOPE-4] is answered from the scope that it was moved to', async () => {
    const [acme, other] = [await world.scope('acme'), await world.scope('other')];
    const inAcme = await world.join({ accessScopeId: acme.accessScopeId });
    await said(inAcme, 'of acme');
    await said(await world.join({ accessScopeId: other.accessScopeId }), 'of other');
    const { record, token } = await world.actor({ accessScopeId: acme.accessScopeId });
    const { actorTokenId } = record;
    const reader = await world.joinAs(token);
    await world.announce(inAcme, 'app-1/lobby');
    await world.announce(reader, 'app-1/lobby');
    expect(await inAcme.next()).to.include({ event: 'join' });
    const { messages } = await answered(reader, async () => {
      const changes = { accessScopeId: other.accessScopeId };
      await world.happened(
        { type: 'ActorUpdated', data: { actorTokenId, changes } },
        { patch: 'actors', id: actorTokenId, set: changes },
      );
      expect(await inAcme.next()).to.include({ event: 'leave' });
    });
    expect((messages as readonly Frame[]).map(({ data }) => data)).to.deep.equal(['of other']);
  });
});
