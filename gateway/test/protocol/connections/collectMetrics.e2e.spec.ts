import { expect } from 'chai';
import { closes } from '@roomwire/shared/wire/protocol/protocolErrors';
import { protocolErrors } from '@roomwire/shared/wire/protocol/protocolErrors';
import { collectedMetrics } from '@roomwire/testing/run/collectedMetrics';
import { eventually } from '@roomwire/testing/run/eventually';
import { createMetrics, countDeparture } from '../../../src/metrics.js';
import { StalledClient } from '@roomwire/testing/clients/stalledClient';
import { World } from '../../support/world.js';

describe('the metrics of a gateway', () => {
  let world: World;

  beforeEach(async () => void (world = await World.open({ publishRate: 0, outboxBytes: 8_000_000 })));
  afterEach(() => world.close());

  const shown = async (name: string): Promise<number | undefined> =>
    (await collectedMetrics(world.gateway.collect)).get(`roomwire_${name}`);
  const becomes = (name: string, value: number): Promise<void> =>
    eventually(async () => (await shown(name)) === value, { what: `${name} ${value}` });

  it('count connections by how they ended', async () => {
    const [left, broke, stays] = [await world.connect(), await world.connect(), await world.connect()];
    expect(await shown('connections_open')).to.equal(3);
    left.webSocket.close(1000);
    broke.webSocket.terminate();
    await becomes('connections_open', 1);
    expect(await shown('connections_closed_total 1000 ')).to.equal(1);
    expect(await shown('connections_closed_total 1006 ')).to.equal(1);
    stays.webSocket.close(4321, 'mine');
    await becomes('connections_closed_total other ', 1);
    expect(await shown('connections_opened_total')).to.equal(3);
  });

  it('show how many connections are not authenticated', async () => {
    const [first] = [await world.connect(), await world.connect(), await world.join()];
    expect(await shown('connections_unauthenticated')).to.equal(2);
    await first.authenticate((await world.actor()).token);
    expect(await shown('connections_unauthenticated')).to.equal(1);
    expect(await shown('connections_open')).to.equal(3);
  });

  it('label its own closes by code and reason, though the client answers them', async () => {
    const client = await world.join();
    await world.gateway.close();
    expect(await client.closed).to.include({ code: 1012 });
    expect(await shown('connections_closed_total 1012 service_restart')).to.equal(1);
    for (const { code, reason } of Object.values(closes))
      expect(await shown(`connections_closed_total ${code} ${reason}`), reason).to.be.a('number');
    expect(await shown('connections_closed_total 1012 ')).to.equal(undefined);
  });

  it('limit the names of closes by clients', () => {
    const metrics = createMetrics();
    for (let code = 1000; code < 5000; code += 1) countDeparture(metrics, code);
    expect(Object.keys(metrics.departures)).to.have.length(12);
    expect(Object.values(metrics.departures).reduce((sum, count) => sum + count, 0)).to.equal(4_000);
  });

  it('count what was published, delivered and refused', async () => {
    const topic = await world.newsroom();
    const readers = [await world.join(), await world.join()];
    for (const reader of readers) await reader.subscribe(topic);
    const writer = await world.join();
    for (const data of [1, 2]) writer.publish(topic, data);
    for (const reader of readers) for (const data of [1, 2]) expect(await reader.next()).to.include({ data });
    await writer.ask({ type: 'publish', topic: 'no/such/topic', data: 1 });
    await (await world.connect()).ask({ type: 'auth', token: 'at_live_0.x' });
    expect(await shown('publishes_total')).to.equal(2);
    expect(await shown('deliveries_total')).to.equal(4);
    expect(await shown('subscriptions')).to.equal(2);
    expect(await shown('refusals_total unknown_topic')).to.equal(1);
    expect(await shown('authentications_total success')).to.equal(3);
    expect(await shown('authentications_total failure')).to.equal(1);
    for (const { error } of Object.values(protocolErrors))
      expect(await shown(`refusals_total ${error}`), error).to.be.a('number');
  });

  it('sum up the bytes that wait for readers, and show the largest of one', async () => {
    const topic = await world.newsroom();
    expect(await shown('outbox_bytes')).to.equal(0);
    for (let n = 0; n < 2; n += 1) {
      const stalled = await StalledClient.connect(world.url());
      await stalled.ask({ type: 'auth', token: (await world.actor()).token });
      await stalled.ask({ type: 'subscribe', topic });
      stalled.stall();
    }
    const writer = await world.join();
    let largest = 0;
    while (largest < 1_000_000) {
      await writer.publish(topic, 'x'.repeat(500_000), { msgRef: 'm' }).next();
      largest = (await shown('outbox_largest_bytes')) ?? 0;
    }
    expect(await shown('outbox_bytes')).to.be.within(largest, 2 * largest);
    expect(await shown('slow_consumers_closed_total')).to.equal(0);
  });

  it('count the retained values, the present actors and the worker groups in memory', async () => {
    const topic = await world.newsroom();
    const [one, other] = [await world.join(), await world.join()];
    await one.ask({ type: 'publish', topic, data: 'kept', retain: true, msgRef: 'm' });
    await becomes('retained_values', 1);
    expect(await shown('retained_bytes')).to.be.within(800, 2_000);
    expect(await shown('retained_dropped_total')).to.equal(0);
    await other.subscribe(topic, { loadBalance: true, loadBalanceGroup: 'workers' });
    expect(await shown('worker_groups')).to.equal(1);
    // The gateway itself is in the group on the same board; that is no actor's presence.
    expect(await shown('presence_entries')).to.equal(0);
    for (const client of [one, other]) client.send({ type: 'presence', roomId: 'app-1/lobby', presence: {} });
    await becomes('presence_entries', 2);
    await becomes('gateways', 1);
  });
});
