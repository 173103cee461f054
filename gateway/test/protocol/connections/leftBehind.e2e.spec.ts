import { once } from 'node:events';
import { request } from 'node:http';
import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { eventually } from '@roomwire/testing/run/eventually';
import { overlaid } from '../../support/overlaid.js';
import { World } from '../../support/world.js';

describe('a gateway whose read models are left behind', () => {
  let world: World;
  let isLeftBehind: boolean;

  /** As the store of a reader is then. */
  const behind = (real: ViewStore): ViewStore => {
    const unless = <T>(read: () => Promise<T>): Promise<T> =>
      isLeftBehind ? Promise.reject(new EngineUnavailable('read models')) : read();
    return overlaid(real, {
      get isLeftBehind() {
        return isLeftBehind;
      },
      get: (view, id) => unless(() => real.get(view, id)),
      find: (view, query) => unless(() => real.find(view, query)),
    });
  };
  const handshake = async (): Promise<number | undefined> => {
    const headers = {
      ...{ Connection: 'Upgrade', Upgrade: 'websocket' },
      ...{ 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' },
    };
    const asked = request(world.url().replace('ws', 'http'), { headers }).end();
    const [response] = (await Promise.race([once(asked, 'response'), once(asked, 'upgrade')])) as [
      { statusCode?: number },
    ];
    asked.destroy();
    return response.statusCode;
  };

  beforeEach(async () => {
    isLeftBehind = false;
    world = await World.open({ views: behind, leftBehindMs: 5, leavingMs: 1_500, publishRate: 0 });
  });
  afterEach(() => world.close());

  it('[WS-CONN-15] refuses what it has cached, and closes its connections with 1012', async () => {
    const topic = await world.newsroom();
    const clients = await Promise.all(Array.from({ length: 8 }, () => world.join()));
    const [client] = clients;
    const answer = async () => client?.publish(topic, 1, { msgRef: 'r' }).next();
    expect(await answer()).to.include({ type: 'published' });
    const from = performance.now();
    isLeftBehind = true;
    await eventually(async () => {
      const frame = await answer()?.catch(() => undefined);
      return frame === undefined || (frame !== 'heartbeat' && frame?.['error'] === 'broker_unavailable');
    });
    for (const { closed } of clients)
      expect(await closed).to.deep.equal({ code: 1012, reason: 'service_restart' });
    expect(performance.now() - from).to.be.greaterThan(500);
  });

  it('[WS-CONN-15] refuses handshakes with 503, until its records are whole', async () => {
    isLeftBehind = true;
    expect(await handshake()).to.equal(503);
    isLeftBehind = false;
    expect(await handshake()).to.equal(101);
    const topic = await world.newsroom();
    expect(await (await world.join()).publish(topic, 1, { msgRef: 'r' }).next()).to.include({
      type: 'published',
    });
  });
});
