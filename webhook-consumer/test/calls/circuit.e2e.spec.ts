import { expect } from 'chai';
import { domainEventFeed } from '@roomwire/shared/wire/bus/domainEventFeed';
import { circuitIdOf } from '@roomwire/shared/wire/webhooks/circuitId';
import { eventually } from '@roomwire/testing/run/eventually';
import { at } from '@roomwire/testing/contracts/view-store/storeUnderTest';
import { reactions, WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import type { WebhookConsumerOptions } from '../../src/options.js';
import { usualCircuits } from '../../src/circuits/circuits.js';
import { ConsumerWorld } from '../support/consumerWorld.js';

const { answer } = reactions;

/** As it is, in a shorter time. */
const circuits = {
  ...usualCircuits,
  ...{ calls: 10, ms: 200, tryEveryMs: 300, tellEveryMs: 20, reportAgainMs: 100 },
};
const short: Partial<WebhookConsumerOptions> = { circuits, parkedLookMs: 50 };

describe('the circuit of an endpoint', () => {
  let world: ConsumerWorld;
  let position: number;

  beforeEach(async () => {
    position = 0;
    world = await ConsumerWorld.open(short);
  });
  afterEach(() => world.close());

  const received = (count: number): Promise<void> =>
    eventually(() => world.endpoint.received.length >= count, { what: `${count} calls` });
  const reported = (outcome: 'circuitOpened' | 'circuitClosed', count = 1): Promise<void> =>
    eventually(() => world.circuitReports.filter((report) => report.outcome === outcome).length >= count, {
      what: outcome,
    });
  const isOpen = (isOpen: boolean): Promise<void> =>
    eventually(() => world.consumers.every(({ metrics }) => metrics.openCircuits === (isOpen ? 1 : 0)));

  /** What the service that keeps the log makes of a report. */
  const tell = async (type: 'WebhookCircuitOpened' | 'WebhookCircuitClosed'): Promise<void> => {
    const { url } = world.endpoint;
    const circuitId = circuitIdOf('p1', url);
    const circuit = { circuitId, organizationId: 'o1', projectId: 'p1', url, calls: 10 };
    const metadata = {
      ...{ occurredAt: new Date().toISOString(), organizationId: 'o1', projectId: 'p1' },
      ...{ principal: 'system', requestId: 'r' },
    };
    position += 1;
    const doc = { ...circuit, openedAt: metadata.occurredAt, createdPosition: at(position) };
    await world.views.apply({
      changes: [
        type === 'WebhookCircuitOpened'
          ? { put: 'webhookCircuits', id: circuitId, doc }
          : { remove: 'webhookCircuits', id: circuitId },
      ],
      position: at(position),
    });
    await world.bus.send(
      domainEventFeed,
      {
        ...{ id: `event-${position}`, type, schemaVersion: 1, data: circuit, metadata },
        ...{ stream: 's', revision: position - 1, position: at(position) },
      },
      'stored',
    );
    await isOpen(type === 'WebhookCircuitOpened');
  };

  /** Fails so many calls that the endpoint answers nobody. */
  const open = async (): Promise<void> => {
    world.endpoint.reaction = answer(404);
    for (let n = 0; n < 10; n += 1) await world.put(world.endpoint.url);
    await received(10);
    await eventually(async () => {
      await world.put(world.endpoint.url);
      return world.circuitReports.length > 0;
    });
    await tell('WebhookCircuitOpened');
  };

  it('[HOOK-CIRCUIT-1] is reported as open when enough of its calls were not accepted for long enough', async () => {
    await open();
    const [report] = world.circuitReports;
    expect(report).to.deep.include({
      outcome: 'circuitOpened',
      circuit: {
        ...{ circuitId: circuitIdOf('p1', world.endpoint.url), organizationId: 'o1', projectId: 'p1' },
        url: world.endpoint.url,
      },
    });
    const [first] = world.endpoint.received;
    expect(performance.now() - (first?.at ?? 0)).to.be.at.least(circuits.ms);
  });

  it('[HOOK-CIRCUIT-2] lets calls wait while it is open, and one try now and then; none is lost', async () => {
    await open();
    world.endpoint.reaction = answer(503);
    const puts = await Promise.all(Array.from({ length: 20 }, () => world.put(world.endpoint.url)));
    const [consumer] = world.consumers;
    await eventually(() => (consumer?.metrics.trials ?? 0) >= 2);
    const ids = new Set<unknown>(puts.map(({ callId }) => callId));
    const tried = world.endpoint.received.filter(({ headers }) => ids.has(headers['webhook-id']));
    expect(tried.length).to.be.at.most(consumer?.metrics.trials ?? 0);
    // Others go on.
    const other = await WebhookEndpoint.open();
    await world.put(other.url);
    await eventually(() => other.received.length === 1);
    await other.close();
    world.endpoint.reaction = answer(200);
    await reported('circuitClosed');
    await tell('WebhookCircuitClosed');
    const accepted = () =>
      new Set(world.outcomes.filter(({ outcome }) => outcome === '2xx').map(({ webhookId }) => webhookId));
    await eventually(() => puts.every(({ callId }) => accepted().has(callId)));
  }).timeout(20_000);

  it('[HOOK-CIRCUIT-2] outlives its processes, and so do the calls that wait', async () => {
    await open();
    const { callId } = await world.put(world.endpoint.url);
    await eventually(() => (world.consumers[0]?.metrics.parked ?? 0) > 0);
    await world.restart({ ...short, circuits: { ...circuits, tryEveryMs: 60_000 } });
    await isOpen(true);
    // One is tried at once, since nobody knows when one was.
    world.endpoint.reaction = answer(200);
    await reported('circuitClosed');
    await tell('WebhookCircuitClosed');
    await eventually(() => world.outcomes.some((outcome) => outcome.webhookId === callId));
  });

  it('[HOOK-CIRCUIT-3] makes dead letters of calls that have waited for too long, and drops hydrations', async () => {
    await world.closeConsumers();
    await world.startConsumer({ ...short, parkedMs: 100, circuits: { ...circuits, tryEveryMs: 60_000 } });
    await open();
    const { callId } = await world.put(world.endpoint.url, { callId: 'waits' });
    await world.hydrate(world.endpoint.url);
    const report = () => world.reports.find(({ call }) => call.callId === callId);
    await eventually(() => report() !== undefined, { what: 'a dead letter' });
    expect(report()).to.include({ outcome: 'failed', error: 'circuit_open', status: 'pending' });
    expect(report()?.call.attempts).to.equal(0);
    await eventually(() => world.consumers[0]?.metrics.hydrationsDropped === 1);
  });

  it('[HOOK-CIRCUIT-3] makes dead letters of calls that are beyond the quota of their project', async () => {
    await world.closeConsumers();
    const patient = { ...short, maxBacklogCalls: 3, circuits: { ...circuits, tryEveryMs: 60_000 } };
    await world.startConsumer(patient);
    await open();
    for (let n = 0; n < 30; n += 1) await world.put(world.endpoint.url, { callId: `waits-${n}` });
    const turnedAway = () =>
      world.reports.filter((report) => 'error' in report && report.error === 'circuit_open');
    // Which of them wait is known when they have come round once.
    await eventually(() => turnedAway().length >= 27, { what: 'dead letters' });
    expect(turnedAway()).to.have.lengthOf(27);
  });

  it('[HOOK-CIRCUIT-2] does not hold up what an operator redrives, whose 2xx closes it', async () => {
    await open();
    world.endpoint.reaction = answer(204);
    const origin = { by: 'redrive', redriveId: 'r' } as const;
    await world.put(world.endpoint.url, { callId: 'redriven', origin });
    await eventually(() => world.reports.some(({ outcome }) => outcome === 'delivered'));
    await reported('circuitClosed');
  });
});
