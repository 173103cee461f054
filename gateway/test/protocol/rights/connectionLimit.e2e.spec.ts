import { expect } from 'chai';
import { gatewayNews } from '@roomwire/shared/wire/bus/gatewayNews';
import { unlimitedPlan } from '@roomwire/shared/domain/organization';
import { eventually } from '@roomwire/testing/run/eventually';
import { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { collectedMetrics } from '@roomwire/testing/run/collectedMetrics';
import * as records from '@roomwire/testing/builders/records';
import type { FrameClient } from '@roomwire/testing/clients/frameClient';
import { World } from '../../support/world.js';

/** Frequent heartbeats, and a peer that does not count as dead meanwhile. */
const beats = { beatMs: 60, silenceMs: 2_000 };

const limitReached = { code: 4002, reason: 'connection_limit_reached' };

describe('the connection limit of an organization', () => {
  let world: World;

  beforeEach(async () => void (world = await World.open(beats)));
  afterEach(() => world.close());

  /** They know one another before they admit anybody. */
  const ofTwo = { ...beats, answersMs: 300 };
  const openTwo = async (): Promise<void> => {
    await world.close();
    world = await World.open(ofTwo);
    await world.startGateway(ofTwo);
  };
  const organization = (maxConnections: number | null) => ({
    put: 'organizations' as const,
    id: world.organizationId,
    doc: { ...records.organization(world.organizationId), plan: { ...unlimitedPlan, maxConnections } },
  });
  const changeLimit = (maxConnections: number | null): Promise<void> => {
    const plan = { ...unlimitedPlan, maxConnections };
    const data = { organizationId: world.organizationId, changes: { plan } };
    return world.happened({ type: 'OrganizationUpdated', data }, organization(maxConnections));
  };
  const authReply = async (client: FrameClient, token?: string) =>
    client.ask({ type: 'auth', token: token ?? (await world.actor()).token, protocolVersion: 2 });
  const isRefused = async (gateway = 0): Promise<boolean> => {
    const client = await world.connect(gateway);
    const reply = (await authReply(client)) as Record<string, unknown>;
    if (reply['success'] === true) await client.close();
    return reply['error'] === 'connection_limit_reached';
  };
  /** Those of some clients that stay, once `closed` of them have been closed. */
  const survivors = async (clients: readonly FrameClient[], closed: number): Promise<FrameClient[]> => {
    const isClosed = new Map<FrameClient, object>();
    for (const client of clients) void client.closed.then((why) => isClosed.set(client, why));
    await eventually(() => isClosed.size >= closed);
    for (const why of isClosed.values()) expect(why).to.deep.equal(limitReached);
    return clients.filter((client) => !isClosed.has(client));
  };
  /** Resolves when every gateway has made so many more beats. */
  const beatsOfEach = async (beatsToSee: number, gateways = 3): Promise<void> => {
    const seen = new Map<string, number>();
    const reader = await world.bus.read(gatewayNews, { interest: 'all' }, ({ gatewayId }) => {
      seen.set(gatewayId, (seen.get(gatewayId) ?? 0) + 1);
    });
    await eventually(() => seen.size === gateways && Math.min(...seen.values()) >= beatsToSee);
    await reader.close();
  };
  const expectAlive = async (clients: readonly FrameClient[]): Promise<void> => {
    for (const client of clients)
      expect(await client.sendBytes(new Uint8Array()).next()).to.equal('heartbeat');
  };

  it('[WS-AUTH-12] refuses one more, which stays and is admitted when there is space', async () => {
    await world.put(organization(2));
    const first = await world.join();
    await world.join();
    const third = await world.connect();
    const { token } = await world.actor();
    const refusal = { type: 'auth', success: false, error: 'connection_limit_reached' };
    expect(await authReply(third, token)).to.deep.equal(refusal);
    await first.close();
    expect(await authReply(third, token)).to.include({ type: 'auth', success: true });
    expect(await isRefused()).to.equal(true);
  });

  it('[WS-AUTH-12] holds for many connections at once, some of which restore their session', async () => {
    await world.put(organization(5));
    const clients = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const { token } = await world.actor({ actorType: n % 2 === 0 ? 'agent' : 'user' });
        const client = await world.connect();
        const auth = { type: 'auth', token, protocolVersion: 2, reconnect: true, clientId: `c${n}` };
        return { client, auth };
      }),
    );
    const replies = await Promise.all(clients.map(({ client, auth }) => client.ask(auth)));
    const errors = replies.map((reply) => (reply as Record<string, unknown>)['error'] ?? 'none');
    expect(errors.filter((error) => error === 'none')).to.have.length(5);
    expect(errors.filter((error) => error === 'connection_limit_reached')).to.have.length(15);
  });

  it('[WS-AUTH-12] does not apply where the plan has none', async () => {
    await world.put(organization(1));
    await world.join();
    expect(await isRefused()).to.equal(true);
    await changeLimit(null);
    await eventually(async () => !(await isRefused()));
  });

  it('[WS-AUTH-12] is disclosed only to holders of a valid credential', async () => {
    await world.put(organization(0));
    const client = await world.connect();
    expect(await authReply(client, 'at_live_no.good')).to.include({ error: 'access_denied' });
    expect(await authReply(client)).to.include({ error: 'connection_limit_reached' });
  });

  it('[WS-AUTH-12] counts the connections of the other gateways, and no longer those of a stopped one', async () => {
    await world.startGateway(beats);
    await world.put(organization(3));
    await world.join({}, 0);
    await world.join({}, 0);
    const far = await world.join({}, 1);
    await beatsOfEach(2, 2);
    for (const gateway of [0, 1]) expect(await isRefused(gateway)).to.equal(true);
    await world.gateway.close();
    await eventually(async () => !(await isRefused(1)));
    await expectAlive([far]);
  });

  it('[WS-AUTH-13] closes the newest, and no more than the excess, when the plan is lowered', async () => {
    const clients: FrameClient[] = [];
    for (let n = 0; n < 6; n++) clients.push(await world.join());
    await changeLimit(4);
    const staying = await survivors(clients, 2);
    expect(staying).to.deep.equal(clients.slice(0, 4));
    await expectAlive(staying);
    await changeLimit(3);
    await survivors(staying, 1);
    await expectAlive(clients.slice(0, 3));
  });

  it('[WS-AUTH-13] closes the excess on all gateways together, exactly', async () => {
    await world.startGateway(beats);
    await world.startGateway(beats);
    await world.put(organization(9));
    const clients: FrameClient[] = [];
    for (let n = 0; n < 9; n++) clients.push(await world.join({}, n % 3 === 2 ? 2 : 1 - (n % 2)));
    // The second of them was certainly said after the last one had joined.
    await beatsOfEach(2);
    for (const gateway of [0, 1, 2]) expect(await isRefused(gateway)).to.equal(true);
    await changeLimit(4);
    const staying = await survivors(clients, 5);
    // Every gateway looks again, at first by numbers that it had before the others closed theirs.
    await beatsOfEach(8);
    await expectAlive(staying);
    expect(staying).to.have.length(4);
  });

  it('[WS-AUTH-12] holds for who waits for each answer, on whatever gateway', async function () {
    this.timeout(60_000);
    await openTwo();
    await world.put(organization(2));
    for (let round = 0; round < 50; round++) {
      const [one, other] = [round % 2, 1 - (round % 2)] as const;
      const admitted = [await world.join({}, one), await world.join({}, other)];
      expect(await isRefused(one), `round ${round}`).to.equal(true);
      expect(await isRefused(other), `round ${round}`).to.equal(true);
      await Promise.all(admitted.map((client) => client.close()));
    }
  });

  it('[WS-AUTH-12] a place that is free on one gateway may be taken on another at once', async function () {
    this.timeout(60_000);
    await openTwo();
    await world.put(organization(3));
    let clients = [await world.join({}, 0), await world.join({}, 0), await world.join({}, 0)];
    for (let round = 0; round < 50; round++) {
      expect(await isRefused(1), `round ${round}`).to.equal(true);
      await clients[0]?.close();
      clients = [...clients.slice(1), await world.join({}, (round + 1) % 2)];
    }
    await expectAlive(clients);
  });

  it('[WS-AUTH-12] is not exceeded where several gateways are asked at the same moment', async () => {
    await openTwo();
    await world.startGateway(ofTwo);
    await world.put(organization(4));
    const clients = await Promise.all(Array.from({ length: 12 }, (_, n) => world.connect(n % 3)));
    const replies = await Promise.all(clients.map((client) => authReply(client)));
    const admitted = clients.filter((_, n) => (replies[n] as Record<string, unknown>)['success'] === true);
    expect(admitted).to.have.length(4);
    await beatsOfEach(4);
    await expectAlive(admitted);
  });

  it('[WS-AUTH-13] is found at revalidation where no event reported the change', async () => {
    await world.close();
    world = await World.open({ ...beats, revalidationMs: 50 });
    const clients = [await world.join(), await world.join()];
    await world.put(organization(1));
    await survivors(clients, 1);
    await expectAlive(clients.slice(0, 1));
  });
});

describe('the connections of one actor', () => {
  let world: World;

  afterEach(() => world.close());

  it('[WS-AUTH-17] are limited on a gateway: one more is refused, stays, and is admitted when there is space', async () => {
    const { logger, lines } = createRecordingLogger();
    const limits = new LimitReports({ clock: new ManualClock(), logger });
    world = await World.open({ connectionsPerActor: 2, limits });
    const { record, token } = await world.actor();
    const clients = [await world.joinAs(token), await world.joinAs(token)];
    const client = await world.connect();
    const ask = () => client.ask({ type: 'auth', token, protocolVersion: 2 });
    expect(await ask()).to.deep.equal({ type: 'auth', success: false, error: 'connection_limit_reached' });
    expect(lines[0]?.fields).to.include({ actorTokenId: record.actorTokenId });
    const metrics = await collectedMetrics(limits.collect);
    expect(metrics.get('roomwire_limit_reached_total connectionsPerActor')).to.equal(1);
    await world.join();
    await clients[0]?.close();
    await eventually(() => world.gateway.connections === 3);
    expect(await ask()).to.include({ success: true });
    expect(await clients[1]?.sendBytes(new Uint8Array()).next()).to.equal('heartbeat');
  });

  it('[WS-AUTH-17] are never more, however many ask at once', async () => {
    world = await World.open({ connectionsPerActor: 3 });
    const { token } = await world.actor();
    const clients = await Promise.all(Array.from({ length: 10 }, () => world.connect()));
    const replies = await Promise.all(clients.map((client) => client.ask({ type: 'auth', token })));
    const admitted = replies.filter((reply) => reply !== 'heartbeat' && reply['success'] === true);
    expect(admitted).to.have.length(3);
  });
});
