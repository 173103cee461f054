import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { World } from '../../support/world.js';

describe('shared memory', () => {
  let world: World;
  afterEach(() => world.close());

  /** Retains a value in each of so many rooms of the project; gives the first topic. */
  const retain = async (values: number, projectId: string): Promise<string> => {
    const app = await world.app(`app-${projectId.slice(0, 8)}`, {}, projectId);
    const client = await world.joinAs((await world.actor({}, projectId)).token);
    const topicOf = (n: number) => `${app.slug}/room-${n}/news`;
    for (let n = 0; n < values; n++) {
      await world.room(app, `room-${n}`);
      const frame = { type: 'publish', topic: topicOf(n), data: 'x'.repeat(1_000), retain: true };
      expect(await client.ask({ ...frame, msgRef: `${n}` })).to.include({ type: 'published' });
    }
    return topicOf(0);
  };

  it('[WS-MEM-1] keeps the last value of a project while another one floods the gateway with values', async () => {
    world = await World.open({ retainedBytes: 20_000, publishRate: 0 });
    const kept = await retain(1, world.projectId);
    await retain(50, await world.project());
    await eventually(() => world.gateway.metrics.retainedDropped > 25);
    const reader = await (await world.join()).subscribe(kept);
    expect(await reader.next()).to.include({ type: 'message', topic: kept });
  });
});
