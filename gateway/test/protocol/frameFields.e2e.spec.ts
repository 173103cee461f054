import { expect } from 'chai';
import { World } from '../support/world.js';

const subscribed = { type: 'subscribed', loadBalance: false };

describe('the fields of a frame', () => {
  let world: World;
  let topic: string;

  beforeEach(async () => {
    world = await World.open();
    topic = await world.newsroom();
  });

  afterEach(() => world.close());

  it('[WS-ENC-4] are ignored where nobody knows them, and up to 64', async () => {
    const client = await world.join();
    const others = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, n]));
    expect(await client.ask({ type: 'subscribe', topic, ...others(62) })).to.include({ type: 'subscribed' });
    expect(await client.ask({ type: 'subscribe', topic, ...others(63) })).to.include({
      error: 'invalid_frame',
    });
  });

  it('[WS-ENC-4] are missing where they are null, but for the data of a publish', async () => {
    const [reader, writer] = [await world.join(), await world.join()];
    const options = { filters: null, loadBalance: null, loadBalanceGroup: null, qos: null };
    expect(await reader.ask({ type: 'subscribe', topic, ...options })).to.deep.equal({
      ...subscribed,
      topic,
    });
    writer.publish(topic, null, { filter: null, filters: null, retain: null, qos: null });
    expect(await reader.next()).to.deep.equal({ type: 'message', topic, data: null });
    expect(await reader.ask({ type: 'subscribe', topic: null })).to.deep.equal({
      type: 'error',
      error: 'invalid_frame',
    });
  });

  it('[WS-ENC-4] count as they were sent last', async () => {
    const client = await world.join();
    client.sendText(`{"type":"unsubscribe","topic":"a/b/c","type":"subscribe","topic":"${topic}"}`);
    expect(await client.next()).to.deep.equal({ ...subscribed, topic });
  });

  it('[WS-SUB-4] have a quality of service that changes nothing here, whatever it is', async () => {
    const writer = await world.join();
    for (const qos of [0, 1, 2, 3, -1, 1.5, 'x', true]) {
      const reader = await world.join();
      expect(await reader.ask({ type: 'subscribe', topic, qos }), String(qos)).to.deep.equal({
        ...subscribed,
        topic,
      });
      const data = `with ${qos}`;
      expect(await writer.ask({ type: 'publish', topic, data, qos, msgRef: 'r' })).to.deep.equal({
        ...{ type: 'published', topic },
        msgRef: 'r',
      });
      expect(await reader.next()).to.deep.equal({ type: 'message', topic, data });
      await reader.close();
    }
  });
});
