import { expect } from 'chai';
import { monthAt } from '@roomwire/shared/domain/month';
import { eventually } from '@roomwire/testing/run/eventually';
import type { FrameClient } from '@roomwire/testing/clients/frameClient';
import { World } from '../support/world.js';

/** What `GET …/usage` promises, which adds next to nothing to the time. */
const within5s = { withinMs: 5_000 };

describe('what gateways write down for the usage of an organization', () => {
  let world: World;
  let topic: string;

  beforeEach(async () => {
    world = await World.open();
    await world.startGateway();
    topic = await world.newsroom();
  });
  afterEach(() => world.close());

  const messages = async (): Promise<number> => {
    const { name } = monthAt(Date.now());
    return (await world.usage.usage([world.projectId], name)).get(world.projectId) ?? 0;
  };
  const connections = (): Promise<number> =>
    world.usage.connections(world.organizationId, new Date(Date.now() - 15_000).toISOString());
  const publish = async (client: FrameClient, times: number): Promise<void> => {
    for (let n = 0; n < times; n++) {
      const frame = { type: 'publish', topic, data: n, retain: n % 2 === 0, msgRef: `${n}` };
      expect(await client.ask(frame)).to.include({ type: 'published' });
    }
  };

  it('is true within 5 seconds, on all gateways together', async function () {
    this.timeout(15_000);
    const clients = [await world.join({}, 0), await world.join({}, 1), await world.join({}, 1)];
    await Promise.all(clients.map((client, n) => publish(client, 3 + n)));
    await eventually(async () => (await messages()) === 12 && (await connections()) === 3, within5s);
    await clients[2]?.close();
    await eventually(async () => (await connections()) === 2, within5s);
    expect(await messages()).to.equal(12);
  });

  it('is there when a gateway has stopped, and holds no connection of it', async () => {
    const [near, far] = [await world.join({}, 0), await world.join({}, 1)];
    await Promise.all([publish(near, 4), publish(far, 5)]);
    for (const gateway of [0, 1]) await world.gatewayAt(gateway).close();
    expect(await messages()).to.equal(9);
    expect(await connections()).to.equal(0);
  });
});
