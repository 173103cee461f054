import { expect } from 'chai';
import { World } from '../support/world.js';

describe('the heartbeat', () => {
  let world: World;

  before(async () => void (world = await World.open()));
  after(() => world.close());

  it('[WS-BEAT-1] comes back as it is: an empty binary frame', async () => {
    const client = await world.join();
    client.sendBytes(new Uint8Array()).sendBytes(new Uint8Array());
    expect(await client.next()).to.equal('heartbeat');
    expect(await client.next()).to.equal('heartbeat');
  });

  it('[WS-BEAT-2] is binary: an empty text frame is malformed', async () => {
    const client = await world.join();
    client.sendText('');
    expect(await client.next()).to.deep.equal({ type: 'error', error: 'invalid_frame' });
  });

  it('[WS-CONN-8] a ping is answered with a pong', async () => {
    const client = await world.connect();
    const pong = new Promise<string>((resolve) =>
      client.webSocket.once('pong', (data) => resolve(data.toString())),
    );
    client.webSocket.ping('are you there');
    expect(await pong).to.equal('are you there');
  });
});
