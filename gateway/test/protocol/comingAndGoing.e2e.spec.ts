import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { FrameClient } from '@roomwire/testing/clients/frameClient';
import { World } from '../support/world.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const atOnce = 50;
/** A connection holds eight times as much. */
const leakedBytes = 1_000;

describe('1,500 clients that come and go', () => {
  let world: World;
  let topic: string;
  let tokens: readonly string[];

  before(async () => {
    world = await World.open();
    topic = await world.newsroom();
    const actors = await Promise.all(
      Array.from({ length: atOnce }, () => world.actor({ actorType: 'agent' })),
    );
    tokens = actors.map(({ token }) => token);
  });

  after(() => world.close());

  /** Each does what leaves something behind in the gateway for as long as it is there. */
  const visit = async (token: string, isPolite: boolean): Promise<void> => {
    const client = await FrameClient.connect(world.url());
    await (await client.authenticate(token)).subscribe(topic, { filters: ['eu'] });
    await client.subscribe(topic, { loadBalance: true });
    client.send({ type: 'presence', roomId: 'lobby', data: {} });
    await client.ask({ type: 'lobbySubscribe', lobbyId: 'app-1' });
    if (isPolite) await client.close();
    else client.webSocket.terminate();
  };

  const visits = async (many: number): Promise<number> => {
    for (let done = 0; done < many; done += atOnce)
      await Promise.all(tokens.map((token, index) => visit(token, index % 2 === 0)));
    await eventually(() => world.gateway.connections === 0);
    let held = Number.POSITIVE_INFINITY;
    // What is on its way out takes a few turns.
    await eventually(() => {
      collectGarbage();
      const before = held;
      held = process.memoryUsage().heapUsed;
      return before - held < 10_000;
    });
    return held;
  };

  it('leave nothing behind', async () => {
    const before = await visits(1_500);
    const after = await visits(1_500);
    expect((after - before) / 1_500).to.be.below(leakedBytes);
  }).timeout(120_000);
});
