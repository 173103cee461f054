import { expect } from 'chai';
import type { Client } from '../src/index.js';
import { rejection, topic, useHarness, type Watched } from './support/harness.js';
import type { Frame, Peer } from './support/scriptedBroker.js';

const features = ['idempotency'];
const ignore = (): void => undefined;

describe('publish to a server that knows ids', () => {
  const harness = useHarness();

  const connected = (): Promise<Watched & { readonly peer: Peer }> =>
    harness.connected({ timeouts: { publishMs: 99, requestMs: 77 } }, { features });

  const reconnected = async (client: Client, reply: Partial<Frame> = { features }): Promise<Peer> => {
    await harness.time.pass(1_000);
    const peer = await harness.broker.nextPeer();
    await peer.accept(reply);
    await client.ready();
    return peer;
  };

  const accept = (peer: Peer, { msgRef, id }: Frame, more: Partial<Frame> = {}): void =>
    peer.send({ type: 'published', topic, msgRef, id, ...more });

  it('gives each publish an id of its own', async () => {
    const { client, peer } = await connected();
    const publishing = [client.publish(topic, 1), client.publish(topic, 1)];
    const frames = [await peer.next('publish'), await peer.next('publish')];
    const ids = frames.map(({ id }) => id as string);
    for (const id of ids) expect(id).to.match(/^[0-9a-f]{24}$/);
    expect(new Set(ids).size).to.equal(2);
    for (const frame of frames) accept(peer, frame);
    expect(await Promise.all(publishing)).to.deep.equal(ids.map((id) => ({ id, duplicate: false })));
    expect(harness.time.pending, 'only the heartbeat').to.deep.equal([30_000]);
  });

  it("takes the caller's id, and tells a duplicate", async () => {
    const { client, peer } = await connected();
    const publishing = client.publish(topic, 1, { id: 'order-7:paid' });
    const frame = await peer.next('publish');
    expect(frame).to.include({ id: 'order-7:paid' });
    accept(peer, frame, { duplicate: true });
    expect(await publishing).to.deep.equal({ id: 'order-7:paid', duplicate: true });
  });

  for (const id of ['', 'a b', 'ä', 'a'.repeat(129)])
    it(`refuses the id ${JSON.stringify(id.slice(0, 5))} of ${id.length} characters`, async () => {
      const { client, peer } = await connected();
      expect(await rejection(client.publish(topic, 1, { id }))).to.include({ error: 'invalid_id', topic });
      void client.publish(topic, 2, { id: 'a'.repeat(128) }).catch(ignore);
      expect(await peer.next('publish'), 'nothing was sent before').to.include({ data: 2 });
    });

  it('rejects with publish_conflict', async () => {
    const { client, peer } = await connected();
    const publishing = rejection(client.publish(topic, 1, { id: 'a' }));
    const { msgRef } = await peer.next('publish');
    peer.send({ type: 'error', error: 'publish_conflict', code: 42960, topic, msgRef });
    expect(await publishing).to.include({ error: 'publish_conflict', code: 42960, topic, msgRef });
  });

  it('sends what had no answer again after a reconnect, in its order, one by one, and new ones after them', async () => {
    const { client, peer } = await connected();
    const data = { count: 0 };
    const publishing = [0, 1, 2].map((count) => client.publish(topic, Object.assign(data, { count })));
    const [first, second, third] = [
      await peer.next('publish'),
      await peer.next('publish'),
      await peer.next('publish'),
    ] as const;
    accept(peer, second);
    await publishing[1];
    peer.drop();
    const next = await reconnected(client);
    const later = client.publish(topic, 'later');
    expect(await next.next('publish'), 'as it was at the call').to.deep.equal(first);
    accept(next, first, { duplicate: true });
    expect(await publishing[0]).to.deep.equal({ id: first.id, duplicate: true });
    expect(await next.next('publish')).to.deep.equal(third);
    accept(next, third);
    expect(await publishing[2]).to.deep.equal({ id: third.id, duplicate: false });
    const last = await next.next('publish');
    expect(last).to.include({ data: 'later' });
    accept(next, last);
    await later;
    expect(harness.time.pending, 'only the heartbeat').to.deep.equal([30_000]);
  });

  it('sends it on every connection until it is answered', async () => {
    const { client, peer } = await connected();
    const publishing = client.publish(topic, 1);
    const frame = await peer.next('publish');
    peer.drop();
    const second = await reconnected(client);
    expect(await second.next('publish')).to.deep.equal(frame);
    const behind = client.publish(topic, 2);
    second.drop();
    const third = await reconnected(client);
    accept(third, await third.next('publish'));
    accept(third, await third.next('publish'));
    expect(await publishing).to.deep.equal({ id: frame.id, duplicate: false });
    await behind;
  });

  it('tries once more, before the others, what is refused for its rate when it is sent again', async () => {
    const { client, peer } = await connected();
    const publishing = [client.publish(topic, 1), client.publish(topic, 2)];
    const frames = [await peer.next('publish'), await peer.next('publish')];
    peer.drop();
    const next = await reconnected(client);
    const { msgRef } = await next.next('publish');
    next.send({ type: 'error', error: 'rate_limit_exceeded', code: 42910, topic, msgRef });
    await harness.time.pass(1_000);
    for (const frame of frames) {
      expect(await next.next('publish')).to.deep.equal(frame);
      accept(next, frame);
    }
    await Promise.all(publishing);
  });

  it('rejects what is refused for its rate at the first attempt', async () => {
    const { client, peer } = await connected();
    const publishing = rejection(client.publish(topic, 1));
    const { msgRef } = await peer.next('publish');
    peer.send({ type: 'error', error: 'rate_limit_exceeded', code: 42910, topic, msgRef });
    expect(await publishing).to.include({ error: 'rate_limit_exceeded' });
  });

  it('goes on with the next one when one is refused, or is too old', async () => {
    const { client, peer } = await connected();
    const publishing = [1, 2, 3].map((data) => client.publish(topic, data));
    const failing = publishing.slice(0, 2).map(rejection);
    const frames = [await peer.next('publish'), await peer.next('publish'), await peer.next('publish')];
    peer.drop();
    const next = await reconnected(client);
    const { msgRef } = await next.next('publish');
    next.send({ type: 'error', error: 'unknown_topic', code: 42940, topic, msgRef });
    expect(await failing[0]).to.include({ error: 'unknown_topic' });
    expect(await next.next('publish')).to.deep.equal(frames[1]);
    await harness.time.pass(99);
    expect(await failing[1]).to.include({ error: 'request_timeout', topic, msgRef: frames[1]?.msgRef });
    const last = await next.next('publish');
    expect(last).to.deep.equal(frames[2]);
    accept(next, last);
    await publishing[2];
  });

  it('gives up what is too old while there is no connection', async () => {
    const { client, peer } = await connected();
    const publishing = rejection(client.publish(topic, 1));
    await peer.next('publish');
    peer.drop();
    await harness.time.scheduled(1_000);
    await harness.time.pass(99);
    expect(await publishing).to.include({ error: 'request_timeout', topic });
    const next = await reconnected(client);
    void client.publish(topic, 'marker').catch(ignore);
    expect(await next.next('publish')).to.include({ data: 'marker' });
  });

  it('gives no id to a publish that is to have none, and never sends it twice', async () => {
    const { client, peer } = await connected();
    const accepted = client.publish(topic, 1, { id: false });
    const frame = await peer.next('publish');
    expect(frame).not.to.have.property('id');
    accept(peer, frame);
    expect(await accepted).to.deep.equal({ id: undefined, duplicate: false });
    const lost = rejection(client.publish(topic, 2, { id: false }));
    await peer.next('publish');
    peer.drop();
    expect(await lost).to.include({ error: 'connection_lost', topic });
  });

  it('rejects what it cannot send again, because the next server knows no ids', async () => {
    const { client, peer } = await connected();
    const lost = rejection(client.publish(topic, 1));
    await peer.next('publish');
    peer.drop();
    const next = await reconnected(client, {});
    expect(await lost).to.include({ error: 'connection_lost', topic });
    const publishing = client.publish(topic, 2, { id: 'a' });
    const frame = await next.next('publish');
    expect(frame).not.to.have.property('id');
    accept(next, frame);
    expect(await publishing).to.deep.equal({ id: undefined, duplicate: false });
  });

  it('rejects everything when the client is closed', async () => {
    const { client, peer } = await connected();
    const lost = rejection(client.publish(topic, 1));
    await peer.next('publish');
    peer.drop();
    await harness.time.scheduled(1_000);
    await client.close();
    expect(await lost).to.include({ error: 'connection_lost', topic });
    expect(harness.time.pending).to.deep.equal([]);
  });
});
