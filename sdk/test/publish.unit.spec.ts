import { expect } from 'chai';
import { ConnectionError, RoomwireError } from '../src/index.js';
import { rejection, topic, useHarness } from './support/harness.js';

describe('publish', () => {
  const harness = useHarness();

  it('resolves when the server has accepted the message', async () => {
    const { client, peer } = await harness.connected();
    const publishing = client.publish(
      topic,
      { text: 'hi' },
      { qos: 2, retain: true, filters: ['eu', 'urgent'] },
    );
    const { msgRef, ...frame } = await peer.next('publish');
    expect(frame).to.deep.equal({
      type: 'publish',
      topic,
      data: { text: 'hi' },
      qos: 2,
      retain: true,
      filters: ['eu', 'urgent'],
    });
    peer.send({ type: 'published', topic, msgRef });
    await publishing;
    expect(harness.time.pending, 'only the heartbeat').to.deep.equal([30_000]);
  });

  it('distinguishes the answers of several publishes by their msgRef', async () => {
    const { client, peer } = await harness.connected();
    const first = rejection(client.publish(topic, 1, { filter: 'eu' }));
    const second = client.publish(topic, 2);
    const { msgRef } = await peer.next('publish');
    const other = await peer.next('publish');
    peer.send({ type: 'published', topic, msgRef: other.msgRef });
    await second;
    peer.send({ type: 'error', error: 'rate_limit_exceeded', code: 42910, topic, msgRef });
    const error = await first;
    expect(error).to.be.instanceOf(RoomwireError);
    expect(error).to.include({ error: 'rate_limit_exceeded', code: 42910, topic, msgRef });
  });

  it('does not treat the refusal of a publish as that of a subscribe', async () => {
    const { client, peer } = await harness.connected();
    const subscribing = client.subscribe(topic, () => undefined);
    const publishing = rejection(client.publish(topic, 1));
    await peer.next('subscribe');
    const { msgRef } = await peer.next('publish');
    peer.send({
      type: 'error',
      error: 'message_too_large',
      code: 42930,
      topic,
      msgRef,
      maxSizeBytes: 921_600,
    });
    expect(await publishing).to.include({ error: 'message_too_large', maxSizeBytes: 921_600 });
    peer.send({ type: 'subscribed', topic });
    await subscribing;
  });

  it('sends null for undefined data', async () => {
    const { client, peer } = await harness.connected();
    void client.publish(topic, undefined).catch(() => undefined);
    expect(await peer.next('publish')).to.include({ data: null });
  });

  it('rejects at once without a connection', async () => {
    const { client } = harness.open();
    const error = await rejection(client.publish(topic, 1));
    expect(error).to.be.instanceOf(ConnectionError).and.include({ error: 'not_connected' });
  });

  it('rejects data that cannot be encoded, and keeps the connection', async () => {
    const { client, peer } = await harness.connected();
    expect(await rejection(client.publish(topic, { f: () => 1 }))).to.include({
      error: 'invalid_data',
      topic,
    });
    const publishing = client.publish(topic, 'fine');
    const { msgRef } = await peer.next('publish');
    peer.send({ type: 'published', topic, msgRef });
    await publishing;
  });

  it('rejects with connection_lost when the connection drops before the answer, and never resends', async () => {
    const { client, peer } = await harness.connected();
    const lost = rejection(client.publish(topic, 1));
    await peer.next('publish');
    peer.drop();
    const error = await lost;
    expect(error)
      .to.be.instanceOf(ConnectionError)
      .and.include({ error: 'connection_lost', topic, msgRef: '1' });
    expect(error.cause).to.include({ error: 'connection_lost', closeCode: 1006 });
    await harness.time.pass(1_000);
    const next = await harness.broker.nextPeer();
    await next.accept();
    await client.ready();
    void client.publish(topic, 2).catch(() => undefined);
    expect(await next.next('publish')).to.include({ data: 2 });
  });

  it('rejects when the answer does not arrive in time, and ignores a late one', async () => {
    const { client, peer, errors } = await harness.connected({ timeouts: { requestMs: 88 } });
    const late = rejection(client.publish(topic, 1));
    const { msgRef } = await peer.next('publish');
    await harness.time.pass(88);
    expect(await late).to.include({ error: 'request_timeout', topic, msgRef });
    peer.send({ type: 'published', topic, msgRef });
    peer.send({ type: 'error', error: 'marker' });
    expect((await errors.next()).error).to.equal('marker');
  });
});
