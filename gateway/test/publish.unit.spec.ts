import { expect } from 'chai';
import { World } from './support/world.js';

describe('publish', () => {
  let world: World;
  let topic: string;

  beforeEach(async () => {
    world = await World.open();
    topic = await world.newsroom();
  });

  afterEach(() => world.close());

  it('[WS-PUB-1] delivers to every subscriber, topic and data', async () => {
    const alice = await world.join();
    const bob = await (await world.join()).subscribe(topic);
    const carol = await (await world.join()).subscribe(topic);
    alice.publish(topic, { hello: 'world' });
    for (const reader of [bob, carol]) {
      expect(await reader.next()).to.deep.equal({ type: 'message', topic, data: { hello: 'world' } });
    }
  });
});
