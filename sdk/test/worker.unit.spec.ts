import { expect } from 'chai';
import { type AcknowledgeableMessage } from '../src/index.js';
import { deferred, type Deferred } from '../src/primitives.js';
import { rejection, topic, useHarness } from './support/harness.js';
import { Queue } from './support/queue.js';
import type { Peer } from './support/scriptedBroker.js';

const send = (peer: Peer, ...ids: readonly string[]): void => {
  for (const msgId of ids) peer.send({ type: 'message', topic, data: msgId, msgId, requiresAck: true });
};

describe('a worker that acknowledges by hand', () => {
  const harness = useHarness();
  const worker = { loadBalance: true, ack: 'manual' } as const;

  it('says itself what is done, in any order, and once', async () => {
    const { client, peer } = await harness.connected();
    const messages = new Queue<AcknowledgeableMessage>();
    const joining = client.subscribe(topic, (message) => messages.push(message), worker);
    expect(await peer.confirm()).to.deep.equal({ type: 'subscribe', topic, loadBalance: true });
    await joining;
    send(peer, 'm1', 'm2', 'm3');
    const [first, , third] = [await messages.next(), await messages.next(), await messages.next()];
    third.ack();
    expect(await peer.next('ack')).to.deep.equal({ type: 'ack', msgId: 'm3' });
    first.ack();
    first.ack();
    expect(await peer.next('ack')).to.deep.equal({ type: 'ack', msgId: 'm1' });
    void client.presence('marker').catch(() => undefined);
    await peer.next('getPresence');
  });

  it('may acknowledge before the handler is done, and although it failed', async () => {
    const { client, peer, errors } = await harness.connected();
    const joining = client.subscribe(
      topic,
      (message) => {
        message.ack();
        throw new Error('mine');
      },
      worker,
    );
    await peer.confirm();
    await joining;
    send(peer, 'm1');
    expect(await peer.next('ack')).to.include({ msgId: 'm1' });
    expect(await errors.next()).to.include({ error: 'handler_failed' });
  });

  it('waits for the other handlers of the topic', async () => {
    const { client, peer } = await harness.connected();
    const messages = new Queue<AcknowledgeableMessage>();
    const other = deferred<void>();
    const joining = Promise.all([
      client.subscribe(topic, (message) => messages.push(message), { ack: 'manual' }),
      client.subscribe(topic, ({ msgId }) => (msgId === 'm1' ? other.promise : undefined)),
    ]);
    await peer.confirm();
    await joining;
    send(peer, 'm1', 'm2');
    (await messages.next()).ack();
    (await messages.next()).ack();
    expect(await peer.next('ack')).to.include({ msgId: 'm2' });
    other.resolve();
    expect(await peer.next('ack')).to.include({ msgId: 'm1' });
  });

  it('sends nothing without a connection', async () => {
    const { client, peer, states } = await harness.connected();
    const messages = new Queue<AcknowledgeableMessage>();
    const joining = client.subscribe(topic, (message) => messages.push(message), worker);
    await peer.confirm();
    await joining;
    send(peer, 'm1');
    const message = await messages.next();
    peer.drop();
    await states.next();
    message.ack();
    await harness.time.pass(1_000);
    const next = await harness.broker.nextPeer();
    await next.accept();
    await next.confirm();
  });

  it('may be a loop', async () => {
    const { client, peer } = await harness.connected();
    const opening = client.stream(topic, worker);
    await peer.confirm();
    const stream = await opening;
    send(peer, 'm1', 'm2');
    for await (const message of stream) {
      message.ack();
      expect(await peer.next('ack')).to.include({ msgId: message.msgId });
      if (message.msgId === 'm2') {
        void peer.release();
        break;
      }
    }
  });
});

describe('a handler of bounded concurrency', () => {
  const harness = useHarness();

  const subscribed = async (concurrency: number) => {
    const { client, peer, ...watched } = await harness.connected();
    const begun = new Queue<unknown>();
    const work = new Map<unknown, Deferred<void>>();
    const handler = ({ data }: { readonly data: unknown }): Promise<void> => {
      const done = deferred<void>();
      work.set(data, done);
      begun.push(data);
      return done.promise;
    };
    const joining = client.subscribe(topic, handler, { loadBalance: true, concurrency });
    await peer.confirm();
    const subscription = await joining;
    return { ...watched, client, peer, begun, work, subscription };
  };

  it('gets so many messages at once, and the others in their order', async () => {
    const { peer, begun, work } = await subscribed(2);
    send(peer, 'm1', 'm2', 'm3', 'm4');
    expect([await begun.next(), await begun.next()]).to.deep.equal(['m1', 'm2']);
    work.get('m2')?.resolve();
    expect(await peer.next('ack')).to.include({ msgId: 'm2' });
    expect(await begun.next()).to.equal('m3');
    expect(begun).to.have.length(0);
    work.get('m3')?.reject(new Error('mine'));
    expect(await begun.next()).to.equal('m4');
  });

  it('leaves to others what waits when it is unsubscribed', async () => {
    const { peer, begun, work, subscription } = await subscribed(1);
    send(peer, 'm1', 'm2');
    expect(await begun.next()).to.equal('m1');
    const leaving = subscription.unsubscribe();
    await peer.release();
    await leaving;
    work.get('m1')?.resolve();
    expect(await peer.next('ack')).to.include({ msgId: 'm1' });
    send(peer, 'm3');
    void harness.time.pending;
    expect(begun).to.have.length(0);
  });

  it('needs a number of one or more', async () => {
    const { client } = await harness.connected();
    const error = await rejection(client.subscribe(topic, () => undefined, { concurrency: 0 }));
    expect(error).to.be.instanceOf(TypeError);
  });
});
