import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import type { FrameClient } from '@roomwire/testing/clients/frameClient';
import { StalledClient } from '@roomwire/testing/clients/stalledClient';
import { collectedMetrics } from '@roomwire/testing/run/collectedMetrics';
import { roomRecords } from '@roomwire/shared/wire/bus/roomRecord';
import { overlaid } from '../../support/overlaid.js';
import { World } from '../../support/world.js';

const work = { loadBalance: true, loadBalanceGroup: 'workers' };

/** What a client is sent, until a marker comes by another topic. */
class Reader {
  readonly got: unknown[] = [];
  /** How many times it was subscribed. */
  subscribed = 0;
  private isOver = false;

  constructor(client: FrameClient, topic: string) {
    void (async () => {
      while (!this.isOver) {
        const frame = await client.next().catch(() => undefined);
        if (frame === undefined) {
          if (client.webSocket.readyState === client.webSocket.CLOSED) return;
          continue;
        }
        if (frame === 'heartbeat' || frame['topic'] !== topic) continue;
        if (frame['type'] === 'message') this.got.push(frame['data']);
        if (frame['type'] === 'subscribed') this.subscribed++;
      }
    })();
  }

  stop(): void {
    this.isOver = true;
  }
}

describe('worker groups', () => {
  let world: World;
  let topic: string;

  beforeEach(async () => {
    world = await World.open({ publishRate: 0 });
    topic = await world.newsroom();
  });

  afterEach(() => world.close());

  const sorted = (readers: readonly Reader[]): unknown[] =>
    readers.flatMap(({ got }) => got).sort((one, other) => Number(one) - Number(other));
  const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

  const publishAll = async (writer: FrameClient, from: number, to: number): Promise<void> => {
    for (let n = from; n < to; n++) writer.publish(topic, n, { msgRef: String(n) });
    for (let n = from; n < to; n++) expect(await writer.next()).to.include({ type: 'published' });
  };

  it('[WS-GROUP-1] answer subscribed with loadBalance', async () => {
    const client = await world.join();
    expect(await client.ask({ type: 'subscribe', topic, ...work })).to.deep.equal({
      type: 'subscribed',
      topic,
      loadBalance: true,
    });
    expect(await client.ask({ type: 'subscribe', topic })).to.include({ loadBalance: false });
  });

  it('[WS-GROUP-2] assign each message to one member, in turn', async () => {
    const members = [await world.join(), await world.join(), await world.join()];
    for (const member of members) await member.subscribe(topic, work);
    const writer = await world.join();
    await publishAll(writer, 0, 6);
    for (const [at, member] of members.entries()) {
      expect(await member.next()).to.deep.equal({ type: 'message', topic, data: at });
      expect(await member.next()).to.deep.equal({ type: 'message', topic, data: at + 3 });
    }
  });

  it('[WS-GROUP-1] deliver a message to one member of each group, and to every subscriber without a group', async () => {
    const [one, other, plain] = [await world.join(), await world.join(), await world.join()];
    await one.subscribe(topic, work);
    await other.subscribe(topic, { loadBalance: true, loadBalanceGroup: 'others' });
    await plain.subscribe(topic);
    (await world.join()).publish(topic, 'for all');
    for (const client of [one, other, plain]) expect(await client.next()).to.include({ data: 'for all' });
  });

  it('[WS-GROUP-1] without a name belong to the actor', async () => {
    const { token } = await world.actor();
    const mine = [await world.joinAs(token), await world.joinAs(token)];
    for (const client of mine) await client.subscribe(topic, { loadBalance: true });
    const foreign = await world.join();
    await foreign.subscribe(topic, { loadBalance: true });
    const writer = await world.join();
    await publishAll(writer, 0, 2);
    for (const [at, client] of mine.entries()) expect(await client.next()).to.include({ data: at });
    for (const n of [0, 1]) expect(await foreign.next()).to.include({ data: n });
  });

  it('[WS-GROUP-2] over two gateways assign each of 2,000 messages to exactly one of three members', async () => {
    await world.startGateway({ publishRate: 0 });
    const members = [await world.join({}, 0), await world.join({}, 1), await world.join({}, 1)];
    for (const member of members) await member.subscribe(topic, work);
    const readers = members.map((member) => new Reader(member, topic));
    const writers = [await world.join({}, 0), await world.join({}, 1)] as const;
    await Promise.all([publishAll(writers[0], 0, 1_000), publishAll(writers[1], 1_000, 2_000)]);
    await eventually(() => sorted(readers).length >= 2_000, { withinMs: 15_000 });
    await publishAll(writers[0], 2_000, 2_001);
    await eventually(() => sorted(readers).includes(2_000));
    expect(sorted(readers)).to.deep.equal(upTo(2_001));
    for (const { got } of readers) expect(got.length).to.be.within(600, 740);
    readers.forEach((reader) => reader.stop());
  }).timeout(30_000);

  it('[WS-GROUP-3] deliver nothing to the publisher, on none of its connections', async () => {
    const { token } = await world.actor();
    const own = await world.joinAs(token);
    const [alsoOwn, other] = [await world.joinAs(token), await world.join()];
    for (const client of [own, alsoOwn, other]) await client.subscribe(topic, work);
    for (const n of [0, 1, 2, 3]) own.publish(topic, n);
    for (const n of [0, 1, 2, 3]) expect(await other.next()).to.include({ data: n });
    await other.ask({ type: 'unsubscribe', topic });
    own.publish(topic, 'to no one');
    const writer = await world.join();
    await publishAll(writer, 4, 6);
    const got = [await own.next(), await alsoOwn.next()].map((frame) => (frame as { data: unknown }).data);
    expect(got.sort()).to.deep.equal([4, 5]);
  });

  it('[WS-GROUP-3] assign a message to a member whose filters match, and ignore one that matches none', async () => {
    const [eu, us, any] = [await world.join(), await world.join(), await world.join()];
    await eu.subscribe(topic, { ...work, filters: ['eu'] });
    await us.subscribe(topic, { ...work, filters: ['us', ['a', 'b']] });
    const writer = await world.join();
    writer.publish(topic, 1, { filter: 'eu' }).publish(topic, 2, { filters: ['a', 'b'] });
    writer.publish(topic, 3, { filter: 'asia' }).publish(topic, 4);
    writer.publish(topic, 5, { filter: 'eu' }).publish(topic, 6, { filter: 'us' });
    for (const data of [1, 5]) expect(await eu.next()).to.include({ data });
    for (const data of [2, 6]) expect(await us.next()).to.include({ data });
    await any.subscribe(topic, work);
    writer.publish(topic, 7, { filter: 'asia' });
    expect(await any.next()).to.include({ data: 7 });
  });

  it('[WS-GROUP-3] apply setFilters and filters that are subscribed again', async () => {
    const [one, other] = [await world.join(), await world.join()];
    for (const client of [one, other]) await client.subscribe(topic, { ...work, filters: ['a'] });
    expect(await one.ask({ type: 'setFilters', topic, filters: ['b'] })).to.deep.equal({
      ...{ type: 'filtersUpdated', topic },
      filters: ['b'],
    });
    const writer = await world.join();
    for (const n of [0, 1]) writer.publish(topic, n, { filter: 'b' }).publish(topic, n, { filter: 'a' });
    for (const n of [0, 1]) {
      expect(await one.next()).to.include({ data: n, filter: 'b' });
      expect(await other.next()).to.include({ data: n, filter: 'a' });
    }
    await other.subscribe(topic, { ...work, filters: ['b'] });
    for (const n of [2, 3]) writer.publish(topic, n, { filter: 'b' });
    const frames = [await one.next(), await other.next()];
    expect(frames.map((frame) => (frame as { data: unknown }).data).sort()).to.deep.equal([2, 3]);
  });

  it('[WS-GROUP-5] stay within their scope', async () => {
    const scopes = [await world.scope('north'), await world.scope('south')] as const;
    const inScope = (at: 0 | 1) => world.join({ accessScopeId: scopes[at].accessScopeId });
    const members = [await inScope(0), await inScope(1), await world.join()] as const;
    for (const member of members) await member.subscribe(topic, work);
    const writers = [await inScope(0), await inScope(1), await world.join()] as const;
    for (const [at, writer] of writers.entries()) writer.publish(topic, `${at} a`).publish(topic, `${at} b`);
    for (const [at, member] of members.entries()) {
      for (const which of ['a', 'b']) expect(await member.next()).to.include({ data: `${at} ${which}` });
    }
  });

  it('[WS-GROUP-6] are joined, changed and left in place, without a gap and without a duplicate', async () => {
    const [mover, stayer, plain] = [await world.join(), await world.join(), await world.join()];
    await stayer.subscribe(topic, work);
    await plain.subscribe(topic);
    await mover.subscribe(topic);
    const readers = [mover, stayer, plain].map((client) => new Reader(client, topic));
    const [moved, stayed, everything] = readers as [Reader, Reader, Reader];
    const writer = await world.join();
    const switches = [work, { loadBalance: true, loadBalanceGroup: 'alone' }, {}, work, {}];
    for (let n = 0; n < 250; n++) {
      writer.publish(topic, n);
      if (n % 50 === 25) mover.send({ type: 'subscribe', topic, ...switches[(n - 25) / 50] });
    }
    await eventually(() => everything.got.length === 250 && moved.subscribed === switches.length);
    writer.publish(topic, 250);
    await eventually(() => moved.got.includes(250) && stayed.got.includes(250));
    expect(new Set(moved.got).size).to.equal(moved.got.length);
    expect(new Set(stayed.got).size).to.equal(stayed.got.length);
    expect([...new Set([...moved.got, ...stayed.got] as number[])].sort((a, b) => a - b)).to.deep.equal(
      upTo(251),
    );
    readers.forEach((reader) => reader.stop());
  });

  it('[WS-GROUP-6] are left also when the subscription ends meanwhile, and may be had again', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let isLeaving = false;
    await world.startGateway({
      bus: (real) =>
        overlaid(real, {
          send: async (channel, record, acknowledgement) => {
            const { kind } = record as { readonly kind?: unknown };
            if (channel.name === roomRecords.name && kind === 'leave') {
              isLeaving = true;
              await held;
            }
            return real.send(channel, record, acknowledgement);
          },
        }),
    });
    const subscriptions = async (): Promise<unknown> =>
      (await collectedMetrics(world.gatewayAt(1).collect)).get('roomwire_subscriptions');
    const { client: stayer, id: actorTokenId } = await world.member();
    await stayer.subscribe(topic, work);
    const mover = await world.join({}, 1);
    await mover.subscribe(topic, work);
    mover.send({ type: 'subscribe', topic });
    await eventually(() => isLeaving, { what: 'the member is leaving' });

    const grant = await world.grant(await world.find('rooms', { slug: 'lobby' }), { actorTokenId });
    await world.happened({ type: 'RoomGrantAdded', data: grant });
    await eventually(async () => (await subscriptions()) === 0, { what: 'the subscription has ended' });
    const { appId, roomId, roomActorAccessId } = grant;
    await world.happened(
      { type: 'RoomGrantRevoked', data: { appId, roomId, roomActorAccessId } },
      { remove: 'grants', id: roomActorAccessId },
    );
    release();
    expect(await mover.next()).to.include({ type: 'subscribed', loadBalance: false });
    await publishAll(await world.join(), 0, 4);
    for (const n of upTo(4)) expect(await mover.next()).to.include({ type: 'message', data: n });
  });

  it('[WS-GROUP-4] reassign what a member that leaves has not received', async () => {
    await world.startGateway({ publishRate: 0 });
    const members = [await world.join({}, 0), await world.join({}, 1), await world.join({}, 1)] as const;
    for (const member of members) await member.subscribe(topic, work);
    const readers = members.map((member) => new Reader(member, topic));
    const writer = await world.join();
    const writing = publishAll(writer, 0, 2_000);
    await eventually(() => sorted(readers).length > 300);
    members[2].send({ type: 'unsubscribe', topic });
    await eventually(() => sorted(readers).length > 900);
    await members[0].close();
    await writing;
    await eventually(() => new Set(sorted(readers)).size === 2_000, { withinMs: 10_000 });
    readers.forEach((reader) => reader.stop());
  }).timeout(60_000);

  it('[WS-GROUP-4] reassign what is no longer sent to members that are closing', async () => {
    const leaver = await StalledClient.connect(world.url());
    await leaver.ask({ type: 'auth', token: (await world.actor()).token, protocolVersion: 2 });
    await leaver.ask({ type: 'subscribe', topic, ...work });
    const stayer = await (await world.join()).subscribe(topic, work);
    const reader = new Reader(stayer, topic);
    // The answer to its close has come, and it does not close.
    leaver.socket.write(Buffer.from('888000000000', 'hex'));
    await once(leaver.socket, 'data');
    leaver.stall();
    expect(world.gateway.connections).to.equal(2);
    await publishAll(await world.join(), 0, 20);
    await eventually(() => reader.got.length === 20);
    expect(sorted([reader])).to.deep.equal(upTo(20));
    reader.stop();
    leaver.socket.destroy();
  });

  it('[WS-GROUP-7] receive no retained value', async () => {
    const writer = await world.join();
    writer.publish(topic, 'last', { retain: true, msgRef: '1' });
    expect(await writer.next()).to.include({ type: 'published' });
    const member = await (await world.join()).subscribe(topic, work);
    writer.publish(topic, 'next', { retain: true });
    expect(await member.next()).to.include({ data: 'next' });
  });

  it('[WS-RESUME-2] are joined again by a restored session', async () => {
    const { token, record } = await world.actor({ actorType: 'agent' });
    const first = await world.joinAs(token);
    await first.subscribe(topic, { ...work, filters: ['a'] });
    await first.subscribe(topic, { loadBalance: true, filters: ['a'] });
    await first.close();
    const again = await world.connect();
    const reply = await again.ask({ type: 'auth', token, protocolVersion: 2, reconnect: true });
    const internal = `${world.projectId}/app-1/_/lobby/news`;
    expect((reply as { restoredSubscriptions: unknown }).restoredSubscriptions).to.deep.equal([
      {
        ...{ pattern: topic, topic: internal, load_balance: true },
        ...{ load_balance_group: record.actorTokenId, filters: ['a'] },
      },
    ]);
    const other = await world.joinAs(token);
    await other.subscribe(topic, { loadBalance: true });
    const writer = await world.join();
    await publishAll(writer, 0, 1);
    expect(await other.next()).to.include({ data: 0 });
    for (const n of [1, 2]) writer.publish(topic, n, { filter: 'a' });
    expect(await again.next()).to.include({ data: 1 });
    expect(await other.next()).to.include({ data: 2 });
  });
});
