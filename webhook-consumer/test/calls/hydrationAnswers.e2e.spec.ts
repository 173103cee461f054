import { decode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { reactions } from '@roomwire/testing/fakes/webhookEndpoint';
import { ConsumerWorld } from '../support/consumerWorld.js';

const nested = (levels: number): string => `${'['.repeat(levels)}1${']'.repeat(levels)}`;

describe('a JSON answer to a hydration', () => {
  let world: ConsumerWorld;

  beforeEach(async () => void (world = await ConsumerWorld.open()));
  afterEach(() => world.close());

  const dropped = (): number => world.consumers[0]?.metrics.hydrationsDropped ?? 0;

  it('[HOOK-HYDRATE-4] is dropped if a client could not decode it', async () => {
    const answers = [
      '{"__proto__":{"a":1}}',
      '[{"a":{"__proto__":null}}]',
      '"\\ud800"',
      `"${'x'.repeat(99)}\\udc00"`,
    ];
    for (const [index, answer] of [...answers, nested(64)].entries()) {
      world.endpoint.reaction = reactions.answer(200, answer);
      await world.hydrate(world.endpoint.url);
      await eventually(() => dropped() === index + 1, { what: `nothing to be made of ${answer}` });
    }
    expect(world.answers).to.eql([]);
  });

  it('[HOOK-HYDRATE-3] is sent if it is just within the limits', async () => {
    const answers = ['{"constructor":{"prototype":1}}', '["__proto__","\\ud83d\\ude00"]', nested(63)];
    for (const [index, answer] of answers.entries()) {
      world.endpoint.reaction = reactions.answer(200, answer);
      await world.hydrate(world.endpoint.url);
      await eventually(() => world.answers.length === index + 1, { what: answer });
      const { body } = world.answers[index] ?? expect.fail();
      const data = JSON.parse(answer) as unknown;
      expect(decode(body)).to.eql({ type: 'hydration', topic: 'news', data });
    }
  });
});
