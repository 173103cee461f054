import { Buffer } from 'node:buffer';
import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { World } from '../../support/world.js';

describe('frames that take long', () => {
  let world: World;
  let topic: string;

  beforeEach(async () => {
    world = await World.open();
    topic = await world.newsroom();
  });

  afterEach(() => world.close());

  it('[WS-CONN-14] of one connection let another be served between them, and all are handled', async () => {
    const [busy, quiet] = [await world.join(), await world.join()];
    const answered: unknown[] = [];
    const msgIds = Array.from({ length: 10_000 }, (_, id) => String(id));
    const frame = encode({ type: 'batchAck', msgIds });
    for (let sent = 0; sent < 200; sent += 1) busy.sendBytes(frame);
    busy.sendBytes(new Uint8Array());
    quiet.sendBytes(new Uint8Array());
    await Promise.all([
      busy.next().then((frame) => answered.push(['busy', frame])),
      quiet.next().then((frame) => answered.push(['quiet', frame])),
    ]);
    expect(answered).to.eql([
      ['quiet', 'heartbeat'],
      ['busy', 'heartbeat'],
    ]);
    expect(world.gateway.metrics.acks).to.equal(200 * msgIds.length);
  });

  it('[WS-ENC-8] are passed on as they are where the gateway need not understand them', async () => {
    const arrays = Array.from({ length: 900_000 }, () => []);
    const [publisher, subscriber] = [await world.join(), await world.join()];
    await subscriber.ask({ type: 'subscribe', topic });
    publisher.send({ type: 'publish', topic, data: arrays, msgRef: 'r' });
    expect(await publisher.next()).to.deep.equal({ type: 'published', topic, msgRef: 'r' });
    const { data } = (await subscriber.next()) as { readonly data: unknown };
    expect(Buffer.from(encode(data)).equals(encode(arrays))).to.equal(true);
  });

  it('[WS-ENC-8] are refused where a field has another type, with nothing of it decoded', async () => {
    const client = await world.join();
    const arrays = Array.from({ length: 900_000 }, () => []);
    expect(await client.ask({ type: 'publish', topic: arrays, data: 1 })).to.include({
      error: 'invalid_frame',
    });
  });
});
