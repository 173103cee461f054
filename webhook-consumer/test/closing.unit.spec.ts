import { expect } from 'chai';
import { JobRequeued } from '@roomwire/shared/ports/errors';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import { eventually } from '@roomwire/testing/run/eventually';
import { reactions, WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { ConsumerWorld } from './support/consumerWorld.js';

/** More than may be under way to one endpoint: some of them wait. */
const calls = 80;

describe('a consumer that is closed', () => {
  let world: ConsumerWorld;
  let endpoint: WebhookEndpoint;

  beforeEach(async () => {
    endpoint = await WebhookEndpoint.open();
    world = await ConsumerWorld.open();
    await world.closeConsumers();
  });
  afterEach(async () => {
    await world.close();
    await endpoint.close();
  });

  it('[HOOK-LOSS-1] returns its running calls to the queue, without counting them as failed', async () => {
    endpoint.reaction = reactions.never;
    const rejections: unknown[] = [];
    const { bus } = world;
    const watched: MessageBus = {
      reachable: true,
      send: (channel, record, acknowledgement) => bus.send(channel, record, acknowledgement),
      read: (channel, options, onRecord) => bus.read(channel, options, onRecord),
      put: (queue, job) => bus.put(queue, job),
      work: (queue, options, handler) =>
        bus.work(queue, options, (job) =>
          handler(job).catch((error: unknown) => {
            rejections.push(error);
            throw error;
          }),
        ),
      versionOf: (topic) => bus.versionOf(topic),
      close: () => bus.close(),
    };
    // Not slow, however long the others take to arrive.
    const patient = { attemptMs: 30_000, slowMs: 30_000, maxCallsPerNewEndpoint: 64 };
    await world.startConsumer(patient, watched);
    for (let n = 0; n < calls; n++) await world.put(endpoint.url, { room: `p1/app-1/_/room-${n}` });
    await eventually(() => endpoint.received.length >= 60);
    await world.closeConsumers();
    expect(rejections).to.have.length.above(0);
    expect(rejections.filter((error) => !(error instanceof JobRequeued))).to.eql([]);
  });

  it('[HOOK-LOSS-1] does not wait for the turns of its backlog', async () => {
    endpoint.reaction = reactions.never;
    const busy = { attemptMs: 30_000, maxCallsPerNewEndpoint: 1, maxWaitMs: 50 };
    // The first call of the backlog goes around at once, the next in an hour.
    const consumer = await world.startConsumer({ ...busy, backlogTurnsPerSecond: 1 / 3_600 });
    for (let n = 0; n < 4; n++) await world.put(endpoint.url, { room: `p1/app-1/_/room-${n}` });
    await eventually(() => consumer.metrics.deferred > 3);
    await world.closeConsumers();
    const before = endpoint.received.length;
    endpoint.reaction = reactions.answer(204);
    await world.startConsumer();
    await eventually(() => {
      const again = endpoint.received.slice(before).map(({ headers }) => headers['webhook-id']);
      return new Set(again).size === 4;
    });
  });
});
