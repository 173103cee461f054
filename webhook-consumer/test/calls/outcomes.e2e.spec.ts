import { expect } from 'chai';
import { webhookOutcomes } from '@roomwire/shared/wire/bus/webhookOutcomes';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import { eventually } from '@roomwire/testing/run/eventually';
import { reactions } from '@roomwire/testing/fakes/webhookEndpoint';
import { ConsumerWorld } from '../support/consumerWorld.js';

const { answer, inTurn, never, reset } = reactions;

describe('the outcomes of webhook calls', () => {
  let world: ConsumerWorld;

  beforeEach(async () => void (world = await ConsumerWorld.open()));
  afterEach(() => world.close());

  const told = (count: number): Promise<void> =>
    eventually(() => world.outcomes.length >= count, { what: `${count} outcomes` });

  it('[HOOK-WATCH-1] report each attempt of a call', async () => {
    world.endpoint.reaction = inTurn(answer(503), reset, answer(204));
    const { callId } = await world.put(world.endpoint.url);
    await told(3);
    const { origin } = new URL(world.endpoint.url);
    const whose = { organizationId: 'o1', projectId: 'p1', appId: 'app1' };
    const requestBytes = Buffer.byteLength(JSON.stringify(world.endpoint.received[0]?.json));
    for (const outcome of world.outcomes) {
      expect(outcome).to.include({ ...whose, kind: 'trigger', webhookId: callId });
      expect(outcome).to.include({ urlOrigin: origin, requestBytes });
      expect(outcome.at).to.be.closeTo(Date.now(), 60_000);
      expect(outcome.durationMs).to.be.above(0);
    }
    const tale = world.outcomes.map(({ attempt, outcome, next, status }) => [attempt, outcome, next, status]);
    expect(tale).to.eql([
      [1, '5xx', 'retry', 503],
      [2, 'unreachable', 'retry', null],
      [3, '2xx', 'done', 204],
    ]);
  });

  it('[HOOK-WATCH-1] report what became of failed calls', async () => {
    world.endpoint.reaction = inTurn(answer(404), answer(302), never);
    await world.put(world.endpoint.url);
    await told(1);
    await world.hydrate(world.endpoint.url);
    await told(2);
    await world.put(world.endpoint.url);
    await told(3);
    const tale = world.outcomes.map(({ kind, outcome, next, status }) => [kind, outcome, next, status]);
    expect(tale).to.eql([
      ['trigger', '4xx', 'deadLetter', 404],
      ['hydration', '3xx', 'dropped', 302],
      ['trigger', 'timeout', 'retry', null],
    ]);
    expect(world.outcomes[2]?.durationMs).to.be.at.least(390);
  });

  it('[HOOK-WATCH-1] report a call that is forbidden', async () => {
    await world.close();
    world = await ConsumerWorld.open({ allowPrivate: false });
    await world.put(world.endpoint.url);
    await told(1);
    expect(world.outcomes[0]).to.include({ outcome: 'forbidden', next: 'deadLetter', status: null });
  });

  it('[HOOK-WATCH-1] contain no secret', async () => {
    await world.put(`${world.endpoint.url}/path-of-the-customer?token=in-the-url`);
    await told(1);
    expect(world.endpoint.received[0]?.headers).to.include({ 'x-key': 'secret-of-the-customer' });
    const text = Buffer.from(webhookOutcomes.codec.encode(world.outcomes[0] ?? expect.fail())).toString();
    for (const secret of ['of-the-customer', 'in-the-url', 'lobby', 'actor-1'])
      expect(text).not.to.include(secret);
  });

  it('[HOOK-WATCH-2] are lost, and calls are not, when the bus refuses them', async () => {
    const away: MessageBus = {
      ...bound(world.bus),
      send: () => Promise.reject(new EngineUnavailable('message bus')),
    };
    await Promise.all(world.consumers.splice(0).map((consumer) => consumer.close()));
    const { metrics } = await world.startConsumer({}, away);
    await world.put(world.endpoint.url);
    await world.put(world.endpoint.url);
    await eventually(() => metrics.outcomesLost === 2, { what: 'both lost' });
    expect(world.endpoint.received).to.have.lengthOf(2);
    expect(world.outcomes).to.eql([]);
  });
});

const bound = (bus: MessageBus) => ({
  read: bus.read.bind(bus),
  put: bus.put.bind(bus),
  work: bus.work.bind(bus),
  versionOf: bus.versionOf.bind(bus),
  close: bus.close,
  reachable: true,
});
