import { expect } from 'chai';
import type { MessageStream, StreamOptions } from '../src/index.js';
import { rejection, topic, useHarness } from './support/harness.js';
import type { Peer } from './support/scriptedBroker.js';

describe('stream', () => {
  const harness = useHarness();

  const opened = async (options: StreamOptions = {}) => {
    const connected = await harness.connected();
    const opening = connected.client.stream(topic, options);
    await connected.peer.confirm();
    return { ...connected, stream: await opening };
  };

  const send = (peer: Peer, ...values: number[]): void => {
    for (const data of values) peer.send({ type: 'message', topic, data });
  };

  const rest = async (stream: MessageStream, seen: unknown[]): Promise<void> => {
    for await (const { data } of stream) seen.push(data);
  };

  it('yields messages in order, including early ones, and unsubscribes when the loop is left', async () => {
    const { peer, stream } = await opened();
    send(peer, 1, 2, 3);
    const seen: unknown[] = [];
    const released = peer.release();
    for await (const { data } of stream) {
      seen.push(data);
      if (data === 3) break;
    }
    await released;
    expect(seen).to.deep.equal([1, 2, 3]);
    expect(await stream.ended).to.equal(undefined);
  });

  it('ends the loop after unsubscribe', async () => {
    const { peer, stream } = await opened();
    const seen: unknown[] = [];
    const looping = rest(stream, seen);
    const leaving = stream.unsubscribe();
    await peer.release();
    await Promise.all([leaving, looping]);
    expect(seen).to.deep.equal([]);
  });

  it('ends the loop when the client is closed', async () => {
    const { client, stream } = await opened();
    const looping = rest(stream, []);
    await client.close();
    await looping;
  });

  it('throws into the loop when the client is refused', async () => {
    const { peer, stream } = await opened();
    const looping = rejection(rest(stream, []));
    peer.close(4001, 'token_revoked');
    expect(await looping).to.include({ closeReason: 'token_revoked' });
  });

  it('ends with an error, and not with a gap, when the loop is too slow', async () => {
    const { peer, stream, errors } = await opened({ bufferSize: 2 });
    send(peer, 1, 2, 3, 4);
    await peer.release();
    peer.send({ type: 'error', error: 'marker' });
    await errors.next();
    const seen: unknown[] = [];
    expect(await rejection(rest(stream, seen))).to.include({ error: 'buffer_overflow', topic });
    expect(seen).to.deep.equal([1, 2]);
    await rest(stream, seen);
    expect(seen).to.deep.equal([1, 2]);
  });

  it('may overflow before the subscribe promise is observed', async () => {
    const { client, peer } = await harness.connected();
    const opening = client.stream(topic, { bufferSize: 1 });
    await peer.next('subscribe');
    send(peer, 1, 2, 3);
    peer.send({ type: 'subscribed', topic });
    const stream = await opening;
    await peer.release();
    const seen: unknown[] = [];
    expect(await rejection(rest(stream, seen))).to.include({ error: 'buffer_overflow' });
    expect(seen).to.deep.equal([1]);
  });

  it('rejects as subscribe does', async () => {
    const { client, peer } = await harness.connected();
    const opening = rejection(client.stream(topic));
    await peer.next('subscribe');
    peer.send({ type: 'error', error: 'unknown_topic', code: 42940, topic });
    expect(await opening).to.include({ error: 'unknown_topic' });
  });
});
