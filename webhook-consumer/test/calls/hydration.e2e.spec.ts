import { decode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { reactions, type Reaction } from '@roomwire/testing/fakes/webhookEndpoint';
import { ConsumerWorld } from '../support/consumerWorld.js';

const { answer, inTurn, never, partly, reset } = reactions;

describe('a hydration call', () => {
  let world: ConsumerWorld;

  beforeEach(async () => void (world = await ConsumerWorld.open()));
  afterEach(() => world.close());

  const answered = (): Promise<void> => eventually(() => world.answers.length > 0, { what: 'an answer' });
  const dropped = (): Promise<void> =>
    eventually(() => world.consumers[0]?.metrics.hydrationsDropped === 1, { what: 'a dropped hydration' });

  it('[HOOK-BODY-1] posts the subscriber and the topic', async () => {
    world.endpoint.reaction = answer(200, '{}');
    const { callId } = await world.hydrate(world.endpoint.url);
    await answered();
    const [call] = world.endpoint.received;
    expect(call?.json).to.eql({ actorId: 'actor-1', roomName: 'lobby', topicName: 'news', scope: null });
    expect(call?.headers).to.include({ 'webhook-id': callId, 'x-key': 'secret-of-the-customer' });
  });

  it('[HOOK-HYDRATE-3] sends any JSON answer to the subscriber, as a frame', async () => {
    const values = [{ a: [1, 'ä', null] }, [], 'text', 0, null, false, 1.5, 9007199254740991];
    for (const [index, value] of values.entries()) {
      world.endpoint.reaction = answer(index % 2 ? 201 : 200, JSON.stringify(value), {
        'content-type': 'text/plain',
      });
      await world.hydrate(world.endpoint.url);
      await eventually(() => world.answers.length === index + 1);
      const { gatewayId, subscription, body } = world.answers[index] ?? expect.fail();
      expect([gatewayId, subscription]).to.eql(['gateway-1', 7]);
      expect(decode(body)).to.eql({ type: 'hydration', topic: 'news', data: value });
    }
  });

  it('[HOOK-HYDRATE-4] is dropped, without a dead letter, when there is nothing to send', async () => {
    const deep = `${'['.repeat(100)}${']'.repeat(100)}`;
    const cases: readonly [string, Reaction, number][] = [
      ['not JSON', answer(200, '<html>'), 1],
      ['empty', answer(204), 1],
      ['not UTF-8', (response) => response.end(Buffer.from([0x22, 0xff, 0x22])), 1],
      ['too large', answer(200, `"${'x'.repeat(1_100_000)}"`), 1],
      ['too large as MessagePack', answer(200, `[${'1.5,'.repeat(200_000)}1.5]`), 1],
      ['too deep', answer(200, deep), 1],
      ['a 4xx', answer(404, '{}'), 1],
      ['a redirect', answer(302, '{}', { location: '/x' }), 1],
      ['a 5xx each time', answer(500, '{}'), 3],
      ['a reset each time', reset, 3],
      ['half an answer each time', partly(200, '{"a":1}'), 3],
      ['no answer each time', never, 3],
    ];
    for (const [what, reaction, attempts] of cases) {
      await world.close();
      world = await ConsumerWorld.open();
      world.endpoint.received.length = 0;
      world.endpoint.reaction = reaction;
      await world.hydrate(`${world.endpoint.url}?token=in-the-url`);
      await dropped();
      expect(world.endpoint.received, what).to.have.lengthOf(attempts);
      expect(world.logLines.join(), what).to.include('A hydration call failed');
      expect(world.logLines.join(), what).not.to.match(/in-the-url|secret-of/);
      expect([world.reports, world.answers], what).to.eql([[], []]);
    }
    // A consumer of its own for each: on engines that takes two seconds.
  }).timeout(120_000);

  it('[HOOK-RETRY-2] is retried like a trigger', async () => {
    world.endpoint.reaction = inTurn(answer(503), partly(200, '{'), answer(200, '{"third":true}'));
    await world.hydrate(world.endpoint.url);
    await answered();
    expect(world.endpoint.received).to.have.lengthOf(3);
    expect(decode(world.answers[0]?.body ?? expect.fail())).to.deep.include({ data: { third: true } });
  });
});
