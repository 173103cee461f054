import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import type { WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import { eventually } from '@roomwire/testing/run/eventually';
import { reactions } from '@roomwire/testing/fakes/webhookEndpoint';
import { ConsumerWorld } from '../support/consumerWorld.js';

const { answer, inTurn } = reactions;

const bodyOf = (sequence: number) => encode({ event: 'joined', sequence });

/** Events of a room from 1 on, in one job. */
const run = (length: number): Partial<WebhookCall> => ({
  ...{ callId: 'event-1', kind: 'event', roomId: 'room', topicName: '', actorId: '', data: bodyOf(1) },
  ...{ sequence: 1, origin: { by: 'roomEvent' } },
  following: Array.from({ length: length - 1 }, (_, index) => ({
    ...{ callId: `event-${index + 2}`, sequence: index + 2, data: bodyOf(index + 2) },
  })),
});

describe('[HOOK-EVENT-6] the calls of room events', () => {
  let world: ConsumerWorld;
  beforeEach(async () => void (world = await ConsumerWorld.open()));
  afterEach(() => world.close());

  const eql = (one: unknown, other: unknown) => expect(one).to.eql(other);
  const received = () =>
    world.endpoint.received.map(({ json }) => (json as { readonly sequence: number }).sequence);
  const ended = (upTo: number) =>
    eventually(() => world.settled.includes(`room ${upTo}`), {
      withinMs: 15_000,
      what: `the end of ${upTo}`,
    });

  it('are made one after the other, and their end is told once', async () => {
    let open = 0;
    world.endpoint.reaction = (response) => {
      open += 1;
      setImmediate(() => {
        expect(open).to.equal(1);
        open -= 1;
        response.writeHead(204).end();
      });
    };
    await world.put(world.endpoint.url, run(30));
    await ended(30);
    eql(
      received(),
      Array.from({ length: 30 }, (_, index) => index + 1),
    );
    eql(world.settled, ['room 30']);
    const ids = world.endpoint.received.map(({ headers }) => headers['webhook-id']);
    eql(ids.slice(0, 2), ['event-1', 'event-2']);
    eql(world.endpoint.received[1]?.json, { event: 'joined', sequence: 2 });
  });

  it('wait for one that has to be made again, and go on behind a dead letter', async () => {
    world.endpoint.reaction = inTurn(
      answer(204),
      answer(503),
      answer(503),
      answer(204),
      answer(410),
      answer(204),
    );
    await world.put(world.endpoint.url, run(4));
    await ended(4);
    eql(received(), [1, 2, 2, 2, 3, 4]);
    await eventually(() => world.reports.length === 1);
    expect(world.reports[0]?.call).to.include({ callId: 'event-3', sequence: 3, kind: 'event', attempts: 1 });
    expect(world.reports[0]?.call.following).to.equal(undefined);
  });
});
