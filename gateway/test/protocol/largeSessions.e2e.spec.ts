import { expect } from 'chai';
import type { Frame } from '@roomwire/testing/clients/frameClient';
import { World } from '../support/world.js';

describe('a session of more than can be recorded', () => {
  let world: World;

  beforeEach(async () => void (world = await World.open()));
  afterEach(() => world.close());

  it('[WS-RESUME-1] is recorded up to 2,000,000 characters, what was subscribed first', async () => {
    const topics = ['a', 'b', 'c', 'd', 'e'];
    await world.room(await world.app('app-1', { topics }), 'lobby', { topics });
    const { token } = await world.actor({ actorType: 'agent' });
    const client = await world.joinAs(token);
    const filters = [...'12345'].map((value) => value.repeat(99_990));
    for (const topic of topics) await client.subscribe(`app-1/lobby/${topic}`, { filters });
    await client.close();
    const again = await world.connect();
    const reply = (await again.ask({ type: 'auth', token, reconnect: true })) as Frame;
    const restored = reply['restoredSubscriptions'] as readonly { readonly pattern: string }[];
    expect(restored.map(({ pattern }) => pattern)).to.deep.equal(
      ['a', 'b', 'c', 'd'].map((topic) => `app-1/lobby/${topic}`),
    );
  });
});
