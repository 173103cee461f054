import { expect } from 'chai';
import type { Frame } from '@roomwire/testing/clients/frameClient';
import { World } from '../support/world.js';

describe('auth and reauth with fields of the wrong type', () => {
  let world: World;
  let token: string;

  beforeEach(async () => {
    world = await World.open();
    ({ token } = await world.actor({ actorType: 'agent' }));
  });

  afterEach(() => world.close());

  it('[WS-AUTH-14] without a token that is a string are refused as by a bad credential', async () => {
    const client = await world.connect();
    for (const fields of [{}, { token: 5 }, { token: null }, { token: { $ne: '' } }])
      expect(await client.ask({ type: 'auth', ...fields })).to.deep.equal({
        type: 'auth',
        success: false,
        error: 'access_denied',
      });
    await client.authenticate(token);
    for (const fields of [{}, { token: [] }])
      expect(await client.ask({ type: 'reauth', ...fields })).to.deep.equal({
        type: 'reauth',
        success: false,
        error: 'access_denied',
      });
  });

  it('[WS-AUTH-14] have the session without a name, and a new one', async () => {
    const topic = await world.newsroom();
    const auth = async (fields: Frame): Promise<Frame> =>
      (await (await world.connect()).ask({ type: 'auth', token, ...fields })) as Frame;
    const first = await world.connect();
    await first.ask({ type: 'auth', token, clientId: 7 });
    await (await first.subscribe(topic)).close();
    expect((await auth({ reconnect: true }))['restoredSubscriptions']).to.have.length(1);
    expect((await auth({ reconnect: 'true' }))['restoredSubscriptions']).to.deep.equal([]);
  });
});
