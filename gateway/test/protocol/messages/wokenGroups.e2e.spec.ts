import { expect } from 'chai';
import type { Actor } from '@roomwire/shared/domain/actor';
import type { GroupStore } from '@roomwire/shared/ports/groupStore';
import type { MessageStore } from '@roomwire/shared/ports/messageStore';
import { collectedMetrics } from '@roomwire/testing/run/collectedMetrics';
import { eventually } from '@roomwire/testing/run/eventually';
import type { Frame, FrameClient } from '@roomwire/testing/clients/frameClient';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { overlaid } from '../../support/overlaid.js';
import { World, type WorldOptions } from '../../support/world.js';

const work = { loadBalance: true, loadBalanceGroup: 'workers' };
const topic = 'app-1/lobby/news';

describe('a sleeping worker group', () => {
  let world: World;
  let agent: { readonly record: Actor; readonly token: string };
  let writer: FrameClient;

  const open = async (options: WorldOptions = {}, logging: object = {}): Promise<void> => {
    world = await World.open({ publishRate: 0, messageStore: (record) => record, ...options });
    const news = { logging: { enabled: true, retention: '1d' as const, ...logging } };
    await world.room(await world.app('app-1', { topicConfigs: { news } }), 'lobby');
    agent = await world.actor({ actorType: 'agent' });
    writer = await world.join();
  };

  afterEach(() => world.close());

  const group = async () =>
    (await world.groupStore()).load(`${world.projectId}/app-1/_/lobby/news`, 'workers');
  const next = async (client: FrameClient): Promise<Frame> => {
    const frame = await client.next();
    if (frame === 'heartbeat') throw new Error('A heartbeat');
    return frame;
  };
  const publish = async (from: number, to: number, options: Frame = {}): Promise<void> => {
    for (let n = from; n < to; n++) {
      expect(await writer.publish(topic, n, { msgRef: 'r', ...options }).next()).to.include({
        type: 'published',
      });
    }
  };
  const ack = (client: FrameClient, { msgId }: Frame): void => void client.send({ type: 'ack', msgId });
  const isEmpty = async (): Promise<boolean> =>
    (await collectedMetrics(world.gateway.collect)).get('roomwire_worker_groups') === 0;
  /** The group has come to rest, with so many messages open and at least so many done. */
  const asleep = (undone = 0, done = 0): Promise<void> =>
    eventually(async () => {
      if (!(await isEmpty())) return false;
      const stored = await group();
      return stored?.undone.length === undone && stored.done.length >= done;
    });
  const fallAsleep = async (): Promise<void> => {
    const member = await (await world.joinAs(agent.token)).subscribe(topic, work);
    await member.close();
    await asleep();
  };
  const replay = async (client: FrameClient, ...data: readonly unknown[]): Promise<void> => {
    expect(await next(client)).to.deep.equal({ type: 'replayStart', count: data.length });
    for (const one of data) {
      const frame = await next(client);
      expect(frame).to.include({ type: 'message', topic, data: one, isReplay: true, requiresAck: true });
      ack(client, frame);
    }
    expect(await next(client)).to.deep.equal({ type: 'replayEnd', replayed: data.length });
  };

  it('[WS-GROUP-10] is woken by a member with what was published meanwhile, in order, and continues', async () => {
    await open();
    const member = await (await world.joinAs(agent.token)).subscribe(topic, work);
    await publish(0, 3);
    for (const data of [0, 1, 2]) {
      const frame = await next(member);
      expect(frame).to.include({ data });
      expect(frame).to.not.have.property('isReplay');
      ack(member, frame);
    }
    await member.close();
    await asleep(0, 3);
    await publish(3, 8);
    const woken = await (await world.join()).subscribe(topic, work);
    await replay(woken, 3, 4, 5, 6, 7);
    await publish(8, 9);
    const live = await next(woken);
    expect(live).to.include({ data: 8 });
    expect(live).to.not.have.property('isReplay');
  });

  it('[WS-GROUP-10] is woken by a restored session, after the answer to auth', async () => {
    await open();
    const before = await world.connect();
    await before.ask({ type: 'auth', token: agent.token, protocolVersion: 2, clientId: 'c' });
    await before.subscribe(topic, work);
    await before.close();
    await asleep();
    await publish(0, 2);
    const again = await world.connect();
    again.send({ type: 'auth', token: agent.token, protocolVersion: 2, clientId: 'c', reconnect: true });
    const reply = await next(again);
    expect(reply).to.include({ type: 'auth', success: true });
    expect(reply['restoredSubscriptions']).to.have.length(1);
    await replay(again, 0, 1);
  });

  it('[WS-GROUP-10] redelivers what was not acknowledged, and nothing else', async () => {
    await open();
    const member = await (await world.joinAs(agent.token)).subscribe(topic, work);
    await publish(0, 4);
    const frames = [await next(member), await next(member), await next(member), await next(member)];
    for (const at of [0, 2, 3]) ack(member, frames[at] as Frame);
    await member.ask({ type: 'unsubscribe', topic: 'a/b/c' });
    await member.close();
    await asleep(1);
    await publish(4, 5);
    await replay(await (await world.joinAs(agent.token)).subscribe(topic, work), 1, 4);
  });

  it('[WS-GROUP-10] replays nothing twice when it sleeps again, except what was not acknowledged', async () => {
    await open();
    await fallAsleep();
    await publish(0, 3);
    const first = await (await world.joinAs(agent.token)).subscribe(topic, work);
    expect(await next(first)).to.include({ type: 'replayStart', count: 3 });
    const frames = [await next(first), await next(first), await next(first)];
    expect(await next(first)).to.include({ type: 'replayEnd', replayed: 3 });
    ack(first, frames[0] as Frame);
    ack(first, frames[2] as Frame);
    await first.ask({ type: 'unsubscribe', topic: 'a/b/c' });
    await first.close();
    await asleep(1);
    await replay(await (await world.joinAs(agent.token)).subscribe(topic, work), 1);
  });

  for (const place of [0, 1]) {
    it(`[WS-GROUP-10] delays what is published during the replay, and delivers nothing of it twice, with gateways ${place + 1}`, async () => {
      let allow = (): void => undefined;
      let asked = 0;
      const allowed = new Promise<void>((resolve) => (allow = resolve));
      const slowly = (record: MessageStore): MessageStore =>
        overlaid(record, {
          replay: async (...range) => {
            asked++;
            await allowed;
            return record.replay(...range);
          },
        });
      await open({ messageStore: slowly });
      await fallAsleep();
      await publish(0, 3);
      const woken = await (await world.joinAs(agent.token)).subscribe(topic, work);
      await eventually(() => asked > 0);
      await world.startGateway({ publishRate: 0, messageStore: slowly });
      const other = await (await world.join({}, place)).subscribe(topic, work);
      await publish(3, 6);
      allow();
      // These had been recorded when the record was read.
      await replay(woken, 0, 1, 2, 3, 4, 5);
      await world.undone(0, 0, place);
      await publish(6, 8);
      const live = [await next(woken), await next(other)].map(({ data, isReplay }) => [data, isReplay]);
      expect(live.sort()).to.deep.equal([
        [6, undefined],
        [7, undefined],
      ]);
    });
  }

  it('[WS-GROUP-10] replays to the next member when the one that woke it leaves during the replay', async () => {
    await open();
    await fallAsleep();
    const large = 'x'.repeat(900_000);
    for (let n = 0; n < 12; n++) {
      expect(await writer.publish(topic, [n, large], { msgRef: 'r' }).next()).to.include({
        type: 'published',
      });
    }
    const leaver = await world.joinAs(agent.token);
    await leaver.subscribe(topic, work);
    leaver.webSocket.pause();
    const other = await world.join();
    await other.subscribe(topic, work);
    leaver.webSocket.terminate();
    const got: unknown[] = [];
    while (got.length < 12) {
      const frame = await next(other);
      if (frame['type'] === 'message') got.push((frame['data'] as unknown[])[0]);
    }
    expect([...new Set(got)].sort()).to.have.length(12);
  });

  it('[WS-GROUP-10] replays no more than maxReplayMessages, the newest', async () => {
    await open({}, { maxReplayMessages: 3 });
    await fallAsleep();
    await publish(0, 10);
    await replay(await (await world.joinAs(agent.token)).subscribe(topic, work), 7, 8, 9);
  });

  it('[WS-GROUP-10] replays by the filters of a member, and never its own messages', async () => {
    await open();
    await fallAsleep();
    await publish(0, 2, { filter: 'eu' });
    await publish(2, 4, { filter: 'us' });
    const own = await world.joinAs(agent.token);
    expect(await own.publish(topic, 'own', { msgRef: 'r', filter: 'us' }).next()).to.include({
      type: 'published',
    });
    await own.subscribe(topic, { ...work, filters: ['us'] });
    await replay(own, 2, 3);
  });

  const expectNoReplay = async (): Promise<void> => {
    await publish(0, 2);
    const woken = await (await world.joinAs(agent.token)).subscribe(topic, work);
    await publish(2, 3);
    expect(await next(woken)).to.include({ type: 'message', data: 2 });
  };

  it('[WS-GROUP-9] has no backlog when no member had a persistent session', async () => {
    await open();
    await (await (await world.join()).subscribe(topic, work)).close();
    await eventually(() => world.gateway.connections === 1);
    await expectNoReplay();
  });

  it('[WS-GROUP-9] has no backlog when its members have unsubscribed', async () => {
    await open();
    const member = await (await world.joinAs(agent.token)).subscribe(topic, work);
    await member.ask({ type: 'unsubscribe', topic });
    // Until its checkpoint, which it had while it had a member, is removed.
    await eventually(async () => (await isEmpty()) && (await group()) === undefined);
    await expectNoReplay();
  });

  it('[WS-GROUP-9] has no backlog while what its members have left of it is still being removed', async () => {
    let isRemoving = false;
    let remove = (): void => undefined;
    const allowed = new Promise<void>((resolve) => (remove = resolve));
    const groupStore = (real: GroupStore): GroupStore =>
      overlaid(real, {
        remove: async (...id) => {
          isRemoving = true;
          await allowed;
          await real.remove(...id);
        },
      });
    await open({ groupStore });
    const member = await (await world.joinAs(agent.token)).subscribe(topic, work);
    await eventually(async () => (await group()) !== undefined);
    await member.ask({ type: 'unsubscribe', topic });
    await eventually(async () => isRemoving && (await isEmpty()));
    await publish(0, 2);
    const woken = await (await world.joinAs(agent.token)).subscribe(topic, work);
    await publish(2, 3);
    remove();
    expect(await next(woken)).to.include({ type: 'message', data: 2 });
  });

  it('[WS-GROUP-9] has no backlog in a topic that is not logged, or not replayed', async () => {
    for (const logging of [{ enabled: false }, { replayEnabled: false }]) {
      await open({}, logging);
      await fallAsleep();
      await expectNoReplay();
      if ('enabled' in logging) await world.close();
    }
  });

  it('[WS-GROUP-9] expires after 24 hours', async () => {
    const clock = new ManualClock();
    await open({ clock });
    await fallAsleep();
    clock.pass(24 * 3_600_000);
    await expectNoReplay();
  });

  it('[WS-GROUP-9] is not woken by another room that has the name of its former room', async () => {
    await open();
    await fallAsleep();
    await publish(0, 2);
    const { roomId } = await world.find('rooms');
    await world.put({ patch: 'rooms', id: roomId, set: { slug: 'former' } });
    await world.room(await world.find('apps'), 'lobby');
    await world.startGateway({ publishRate: 0, messageStore: (record) => record });
    const late = await (await world.join({ actorType: 'agent' }, 1)).subscribe(topic, work);
    const other = await world.join({}, 1);
    other.publish(topic, 'live');
    expect(await next(late)).to.include({ type: 'message', data: 'live' });
  });

  it('[WS-GROUP-9] is known to gateways that start later, and survives gateways that are killed', async () => {
    await open();
    const member = await (await world.joinAs(agent.token)).subscribe(topic, work);
    await publish(0, 3);
    for (let n = 0; n < 3; n++) ack(member, await next(member));
    await asleepWhileLive();
    // No record of this gateway reaches the others from now on.
    const stored = await group();
    await member.close();
    await asleep();
    await (await world.groupStore()).write(stored as never);
    await publish(3, 5);
    await world.startGateway({ publishRate: 0, messageStore: (record) => record });
    const woken = await (await world.joinAs(agent.token, 1)).subscribe(topic, work);
    const start = await next(woken);
    expect(start).to.include({ type: 'replayStart' });
    const got: unknown[] = [];
    for (let frame = await next(woken); frame['type'] === 'message'; frame = await next(woken)) {
      expect(frame).to.include({ isReplay: true });
      got.push(frame['data']);
    }
    // What was done in the last seconds may come again.
    expect(got.slice(-2)).to.deep.equal([3, 4]);
    expect(start['count']).to.equal(got.length);
  });

  const asleepWhileLive = (): Promise<void> => eventually(async () => (await group()) !== undefined);
});
