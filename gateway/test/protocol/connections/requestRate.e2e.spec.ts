import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { World } from '../../support/world.js';

describe('a connection above its request rate', () => {
  let world: World;
  let topic: string;

  /** The clock stands: the first thousand go through, each of the others waits for 10 ms longer than the one before. */
  beforeEach(async () => {
    world = await World.open({ clock: new ManualClock() });
    topic = await world.newsroom();
  });

  afterEach(() => world.close());

  it('[WS-CONN-10] waits without refusals, and is answered in order', async () => {
    const client = await world.join();
    for (let asked = 0; asked < 1_003; asked++)
      client.send({ type: 'unsubscribe', topic: `app/room/t${asked}` });
    client.sendBytes(new Uint8Array());
    for (let asked = 0; asked < 1_003; asked++) {
      expect(await client.next()).to.deep.equal({ type: 'unsubscribed', topic: `app/room/t${asked}` });
    }
    expect(await client.next()).to.equal('heartbeat');
    expect(world.gateway.metrics.requestsThrottled).to.equal(3);
  });

  it('[WS-CONN-10] is throttled for each kind of request, and not for publishes, announcements and acknowledgements', async () => {
    const client = await world.join();
    const cheap = [
      { type: 'publish', topic, data: 1 },
      { type: 'presence', roomId: 'app-1/lobby' },
      { type: 'ack', msgId: 'x' },
      { type: 'batchAck', msgIds: ['x'] },
    ];
    for (let round = 0; round < 40; round++) for (const frame of cheap) client.send(frame);
    client.sendBytes(new Uint8Array());
    expect(await client.next()).to.equal('heartbeat');
    expect(world.gateway.metrics.requestsThrottled).to.equal(0);

    const requests = [
      { type: 'subscribe', topic },
      { type: 'setFilters', topic, filters: [] },
      { type: 'unsubscribe', topic },
      { type: 'getPresence', roomId: 'app-1/lobby' },
      { type: 'presence', roomId: 'app-1/lobby', mode: 'count' },
      { type: 'lobbySubscribe', lobbyId: 'app-1' },
      { type: 'getLobbyPresence', lobbyId: 'app-1' },
      { type: 'lobbyUnsubscribe', lobbyId: 'app-1' },
      { type: 'reauth', token: 'none' },
    ];
    for (let asked = 0; asked < 1_000; asked++) client.send({ type: 'unsubscribe', topic });
    for (let asked = 0; asked < 1_000; asked++) await client.next();
    for (const [index, frame] of requests.entries()) {
      await client.ask(frame);
      expect(world.gateway.metrics.requestsThrottled, frame.type).to.equal(index + 1);
    }
    client.send({ type: 'presence', roomId: 'app-1/lobby', leave: true }).sendBytes(new Uint8Array());
    expect(await client.next()).to.equal('heartbeat');
    expect(world.gateway.metrics.requestsThrottled, 'leave').to.equal(requests.length + 1);
  });

  it('[WS-CONN-10] delays no other connection, and its waiting requests are dropped when it closes', async () => {
    const [greedy, other] = [await world.join(), await world.join()];
    for (let asked = 0; asked < 2_000; asked++) greedy.send({ type: 'subscribe', topic });
    await eventually(() => world.gateway.metrics.requestsThrottled > 0);
    await other.subscribe(topic);
    for (let asked = 0; asked < 500; asked++) await other.ask({ type: 'unsubscribe', topic });
    expect(world.gateway.metrics.requestsThrottled).to.be.below(500);
    greedy.webSocket.terminate();
    await eventually(() => world.gateway.connections === 1);
  });

  it('[WS-CONN-10] does not wait where the limit is off', async () => {
    await world.startGateway({ requestRate: 0 });
    const client = await world.join({}, 1);
    for (let asked = 0; asked < 2_000; asked++) client.send({ type: 'unsubscribe', topic });
    for (let asked = 0; asked < 2_000; asked++) await client.next();
    expect(world.gatewayAt(1).metrics.requestsThrottled).to.equal(0);
  });
});
