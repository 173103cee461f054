import * as records from '@roomwire/testing/builders/records';
import { expect } from 'chai';
import { unlimitedPlan } from '@roomwire/shared/domain/organization';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { UsageStore } from '@roomwire/shared/ports/usageStore';
import { eventually } from '@roomwire/testing/run/eventually';
import type { FrameClient } from '@roomwire/testing/clients/frameClient';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { monthAt } from '@roomwire/shared/domain/month';
import { overlaid } from '../../support/overlaid.js';
import { World, type WorldOptions } from '../../support/world.js';

const rounds = { usageMs: 30, publishRate: 0 };
const january = '2026-01';
const dayMs = 86_400_000;

describe('the monthly quota of a project', () => {
  let world: World;
  let clock: ManualClock;
  let topic: string;

  const open = async (options: WorldOptions = {}): Promise<void> => {
    clock = new ManualClock();
    world = await World.open({ ...rounds, clock, ...options });
    topic = await world.newsroom();
    published = 0;
  };
  beforeEach(() => open());
  afterEach(() => world.close());

  const organization = (monthlyMessages: number | null) => ({
    put: 'organizations' as const,
    id: world.organizationId,
    doc: { ...records.organization(world.organizationId), plan: { ...unlimitedPlan, monthlyMessages } },
  });
  const quota = (monthlyMessages: number | null): Promise<void> => world.put(organization(monthlyMessages));
  const changeQuota = (monthlyMessages: number | null): Promise<void> => {
    const plan = { ...unlimitedPlan, monthlyMessages };
    const data = { organizationId: world.organizationId, changes: { plan } };
    return world.happened({ type: 'OrganizationUpdated', data }, organization(monthlyMessages));
  };
  let asked = 0;
  let published = 0;
  const publish = async (client: FrameClient, fields: object = {}): Promise<Record<string, unknown>> => {
    const frame = { type: 'publish', topic, data: 1, msgRef: `m${++asked}`, ...fields };
    const reply = (await client.ask(frame)) as Record<string, unknown>;
    if (reply['type'] === 'published') published++;
    return reply;
  };
  const expectAccepted = async (client: FrameClient, times = 1): Promise<void> => {
    for (let n = 0; n < times; n++) expect(await publish(client)).to.include({ type: 'published' });
  };
  const isUsedUp = async (client: FrameClient): Promise<boolean> =>
    (await publish(client))['error'] === 'monthly_quota_exceeded';
  const stored = async (month = january, projectId = world.projectId): Promise<number> =>
    (await world.usage.usage([projectId], month)).get(projectId) ?? 0;

  it('[WS-PUB-9] refuses a publish when it is used up, without delivery', async () => {
    await quota(3);
    const reader = await (await world.join()).subscribe(topic);
    const client = await world.join();
    await expectAccepted(client, 3);
    expect(await publish(client, { msgRef: 'r' })).to.deep.equal({
      type: 'error',
      error: 'monthly_quota_exceeded',
      code: 42920,
      topic,
      msgRef: 'r',
    });
    await changeQuota(null);
    await eventually(async () => !(await isUsedUp(client)));
    for (let n = 0; n < 4; n++) expect(await reader.next()).to.include({ type: 'message' });
    // Had the refused one been delivered, there would be a message more than were accepted.
    await eventually(async () => (await stored()) === 4);
    client.publish(topic, 'marker');
    expect(await reader.next()).to.include({ data: 'marker' });
  });

  it('[WS-PUB-9] [WS-VER-1] has no code in protocol 1', async () => {
    await quota(0);
    const client = await (await world.connect()).authenticate((await world.actor()).token, 1);
    expect(await publish(client)).to.deep.equal({ type: 'error', error: 'monthly_quota_exceeded', topic });
  });

  it('[WS-PUB-9] is enforced for many publishes at once', async () => {
    await quota(10);
    const client = await world.join();
    for (let n = 0; n < 25; n++) client.publish(topic, n, { msgRef: `${n}` });
    const kinds = new Map<unknown, number>();
    for (let n = 0; n < 25; n++) {
      const { type } = (await client.next()) as Record<string, unknown>;
      kinds.set(type, (kinds.get(type) ?? 0) + 1);
    }
    expect(Object.fromEntries(kinds as Map<string, number>)).to.deep.equal({ published: 10, error: 15 });
  });

  it('[WS-PUB-9] [WS-RETAIN-1] counts a retained message once', async () => {
    await quota(3);
    const client = await world.join();
    for (let n = 0; n < 2; n++)
      expect(await publish(client, { retain: true })).to.include({ type: 'published' });
    expect(await publish(client, { retain: true, qos: 0 })).to.include({ type: 'published' });
    expect(await publish(client, { retain: true })).to.include({ error: 'monthly_quota_exceeded' });
    await world.gateway.close();
    expect(await stored()).to.equal(3);
  });

  it('[WS-PUB-9] counts no publish that was refused', async () => {
    let refused: 'messages' | 'retained' | undefined;
    const refusing = (bus: MessageBus) =>
      overlaid(bus, {
        send: (async (...args: Parameters<MessageBus['send']>) => {
          if (args[0].name === refused) throw new EngineUnavailable('message bus');
          return bus.send(...args);
        }) as MessageBus['send'],
      });
    await world.close();
    await open({ bus: refusing });
    await quota(2);
    const client = await world.join();
    expect(await publish(client, { topic: 'app-1/none/news' })).to.include({ error: 'unknown_topic' });
    expect(await publish(client, { filter: '#' })).to.include({ type: 'error' });
    for (refused of ['messages', 'retained'] as const)
      for (const retain of [refused === 'retained', true])
        expect(await publish(client, { retain })).to.include({ error: 'broker_unavailable' });
    refused = undefined;
    await expectAccepted(client, 2);
    expect(await isUsedUp(client)).to.equal(true);
    await eventually(async () => (await stored()) === 2);
  });

  /** A client on each of two gateways, which know one another before they admit anything. */
  const openTwo = async (monthlyMessages: number): Promise<readonly [FrameClient, FrameClient]> => {
    await world.close();
    await open({ answersMs: 300 });
    await world.startGateway({ ...rounds, clock, answersMs: 300 });
    await quota(monthlyMessages);
    return [await world.join({}, 0), await world.join({}, 1)];
  };

  it('[WS-PUB-9] is counted together by all gateways, and what they stored adds up', async () => {
    const [near, far] = await openTwo(4);
    await expectAccepted(near, 2);
    await expectAccepted(far, 2);
    expect(await isUsedUp(far)).to.equal(true);
    expect(await isUsedUp(near)).to.equal(true);
    for (const gateway of [0, 1]) await world.gatewayAt(gateway).close();
    expect(await stored()).to.equal(4);
  });

  it('[WS-PUB-9] holds for who waits for each answer, on whatever gateway', async function () {
    this.timeout(60_000);
    const clients = await openTwo(0);
    for (let round = 1; round <= 50; round++) {
      await changeQuota(5 * round);
      // Each of the two has accepted one when both know of the change.
      for (const client of clients) await eventually(async () => !(await isUsedUp(client)));
      for (let n = 0; n < 3; n++) await expectAccepted(clients[(n + round) % 2] as FrameClient);
      for (const client of clients) expect(await isUsedUp(client), `round ${round}`).to.equal(true);
    }
    expect(published).to.equal(250);
  });

  it('[WS-PUB-9] is not exceeded by publishes at once on several gateways, of whatever qos', async () => {
    const clients = await openTwo(10);
    const frames = Array.from({ length: 40 }, (_, n) => ({ msgRef: `${n}`, qos: n % 3 }));
    for (const [n, frame] of frames.entries()) clients[n % 2]?.publish(topic, n, frame);
    const types: unknown[] = [];
    for (const client of clients)
      for (let n = 0; n < 20; n++) types.push(((await client.next()) as Record<string, unknown>)['type']);
    expect(types.filter((type) => type === 'published')).to.have.length(10);
    expect(types.filter((type) => type === 'error')).to.have.length(30);
  });

  it('[WS-PUB-9] includes what a gateway that has stopped has accepted', async () => {
    const [near, far] = await openTwo(3);
    await expectAccepted(near, 2);
    await expectAccepted(far);
    expect(await isUsedUp(far)).to.equal(true);
    await world.gateway.close();
    expect(await isUsedUp(far)).to.equal(true);
    await changeQuota(4);
    await eventually(async () => !(await isUsedUp(far)));
    expect(await isUsedUp(far)).to.equal(true);
  });

  it('[WS-PUB-9] is read before the first publish: a gateway that restarts does not start at 0', async () => {
    await quota(3);
    await expectAccepted(await world.join(), 3);
    await eventually(async () => (await stored()) === 3);
    await world.startGateway({ ...rounds, clock, usageMs: 3_600_000 });
    expect(await isUsedUp(await world.join({}, 1))).to.equal(true);
  });

  it('[WS-PUB-9] is kept when a gateway stops', async () => {
    await world.startGateway({ ...rounds, clock, usageMs: 3_600_000 });
    await expectAccepted(await world.join({}, 1), 5);
    expect(await stored()).to.equal(0);
    await world.gatewayAt(1).close();
    expect(await stored()).to.equal(5);
  });

  it('[WS-PUB-9] is one total for all gateways that have stopped', async () => {
    const writers = new Map<string, number>();
    const watched = (usage: UsageStore) =>
      overlaid(usage, {
        noteUsage: async (writer, counts) => {
          for (const { messages } of counts) writers.set(writer, messages);
          return usage.noteUsage(writer, counts);
        },
        mergeUsage: async (writer, counts) => {
          expect(counts.map(({ messages }) => messages)).to.eql([writers.get(writer)]);
          writers.delete(writer);
          return usage.mergeUsage(writer, counts);
        },
      });
    await world.close();
    await open({ usage: watched });
    for (let start = 1; start <= 3; start += 1) {
      await world.startGateway({ ...rounds, clock });
      await expectAccepted(await world.join({}, start), start);
      await world.gatewayAt(start).close();
      expect(await stored()).to.equal((start * (start + 1)) / 2);
    }
    expect(writers).to.eql(new Map());
  });

  it('[WS-PUB-9] starts again with the month, UTC, and the last message of the old one counts there', async () => {
    await quota(2);
    const client = await world.join();
    await expectAccepted(client);
    clock.set(clock.now() + 31 * dayMs - 1);
    await expectAccepted(client);
    expect(await isUsedUp(client)).to.equal(true);
    clock.set(clock.now() + 1);
    await expectAccepted(client, 2);
    expect(await isUsedUp(client)).to.equal(true);
    await eventually(async () => (await stored(january)) === 2 && (await stored('2026-02')) === 2);
    // Who sets the clock back counts on.
    clock.set(clock.now() + -dayMs);
    expect(await isUsedUp(client)).to.equal(true);
  });

  it('[WS-PUB-9] is separate for each project', async () => {
    const theirs = await world.project();
    await world.room(await world.app('app-1', {}, theirs), 'lobby');
    await quota(1);
    const { token } = await world.actor({}, theirs);
    const [one, two] = [await world.join(), await world.joinAs(token)];
    await expectAccepted(one);
    expect(await isUsedUp(one)).to.equal(true);
    await expectAccepted(two);
    expect(await isUsedUp(two)).to.equal(true);
  });

  it('[WS-PUB-9] counts without a quota too, and a new quota applies at once', async () => {
    const client = await world.join();
    await expectAccepted(client, 3);
    await changeQuota(3);
    await eventually(() => isUsedUp(client));
    await changeQuota(100);
    await eventually(async () => !(await isUsedUp(client)));
  });

  it('[WS-PUB-9] is what the gateway has counted while the store is unavailable, and nothing is lost', async () => {
    let isAway = true;
    const away = (usage: UsageStore) =>
      overlaid(usage, {
        noteUsage: async (...args) => {
          // Arrives all the same: it is repeated, and counts once.
          await usage.noteUsage(...args);
          if (isAway) throw new EngineUnavailable('read models');
        },
        usageByWriter: async (...args) => {
          if (isAway) throw new EngineUnavailable('read models');
          return usage.usageByWriter(...args);
        },
      });
    await world.close();
    await open({ usage: away });
    await quota(4);
    const client = await world.join();
    await expectAccepted(client, 3);
    isAway = false;
    await expectAccepted(client, 1);
    expect(await isUsedUp(client)).to.equal(true);
    await eventually(async () => (await stored()) === 4);
  });
});

/** What `GET …/usage` promises, which adds next to nothing to the time. */
const within5s = { withinMs: 5_000 };

describe('the usage of an organization that gateways write', () => {
  let world: World;
  let topic: string;

  beforeEach(async () => {
    world = await World.open();
    await world.startGateway();
    topic = await world.newsroom();
  });
  afterEach(() => world.close());

  const messages = async (): Promise<number> => {
    const { name } = monthAt(Date.now());
    return (await world.usage.usage([world.projectId], name)).get(world.projectId) ?? 0;
  };
  const connections = (): Promise<number> =>
    world.usage.connections(world.organizationId, new Date(Date.now() - 15_000).toISOString());
  const publish = async (client: FrameClient, times: number): Promise<void> => {
    for (let n = 0; n < times; n++) {
      const frame = { type: 'publish', topic, data: n, retain: n % 2 === 0, msgRef: `${n}` };
      expect(await client.ask(frame)).to.include({ type: 'published' });
    }
  };

  it('is accurate within 5 seconds, on all gateways together', async function () {
    this.timeout(15_000);
    const clients = [await world.join({}, 0), await world.join({}, 1), await world.join({}, 1)];
    await Promise.all(clients.map((client, n) => publish(client, 3 + n)));
    await eventually(async () => (await messages()) === 12 && (await connections()) === 3, within5s);
    await clients[2]?.close();
    await eventually(async () => (await connections()) === 2, within5s);
    expect(await messages()).to.equal(12);
  });

  it('is complete when a gateway has stopped, without connections of it', async () => {
    const [near, far] = [await world.join({}, 0), await world.join({}, 1)];
    await Promise.all([publish(near, 4), publish(far, 5)]);
    for (const gateway of [0, 1]) await world.gatewayAt(gateway).close();
    expect(await messages()).to.equal(9);
    expect(await connections()).to.equal(0);
  });
});
