import { expect } from 'chai';
import { RoomwireError, type Message } from '../src/index.js';
import { rejection, topic, useHarness } from './support/harness.js';
import { Queue } from './support/queue.js';

describe('subscribe', () => {
  const harness = useHarness();
  const ignore = (): void => undefined;

  it('resolves when the server confirms, and delivers messages', async () => {
    const { client, peer } = await harness.connected();
    const messages = new Queue<Message>();
    const subscribing = client.subscribe(topic, (message) => messages.push(message));
    expect(await peer.confirm()).to.deep.equal({ type: 'subscribe', topic });
    expect(await subscribing).to.include({ topic });
    peer.send({ type: 'message', topic, data: { text: 'hi' }, filter: 'eu', msgId: 'm1' });
    expect(await messages.next()).to.deep.equal({
      topic,
      data: { text: 'hi' },
      msgId: 'm1',
      filter: 'eu',
      isReplay: false,
      meta: undefined,
    });
  });

  it('[WS-META-1] [WS-OWN-1] asks for meta and own messages, and only when it is told to', async () => {
    const { client, peer } = await harness.connected();
    const subscribing = client.subscribe(topic, ignore, { meta: true, own: true });
    expect(await peer.confirm()).to.deep.equal({ type: 'subscribe', topic, meta: true, own: true });
    await subscribing;
    const other = client.subscribe('chat/lobby/other', ignore, { meta: false, own: false });
    expect(await peer.confirm()).to.deep.equal({ type: 'subscribe', topic: 'chat/lobby/other' });
    await other;
  });

  it('[WS-META-2] hands over the meta of a message; a backend has no actor', async () => {
    const { client, peer } = await harness.connected();
    const messages = new Queue<Message>();
    const subscribing = client.subscribe(topic, (message) => messages.push(message), { meta: true });
    await peer.confirm();
    await subscribing;
    const meta = { id: 'm1', at: 1_785_000_000_123, from: 'a1' };
    peer.send({ type: 'message', topic, data: 1, meta });
    expect((await messages.next()).meta).to.deep.equal(meta);
    peer.send({ type: 'message', topic, data: 2, meta: { ...meta, from: null } });
    expect((await messages.next()).meta).to.deep.equal({ ...meta, from: null });
  });

  for (const option of ['meta', 'own'] as const)
    it(`takes two handlers of a topic that differ in ${option} for a conflict`, async () => {
      const { client, peer } = await harness.connected();
      const joining = client.subscribe(topic, ignore, { [option]: true });
      await peer.confirm();
      await joining;
      expect(await rejection(client.subscribe(topic, ignore))).to.include({
        error: 'subscription_conflict',
        topic,
      });
      await client.subscribe(topic, ignore, { [option]: true });
    });

  it('sends the options', async () => {
    const { client, peer } = await harness.connected();
    const options = {
      qos: 2,
      filters: ['eu', ['eu', 'urgent']],
      loadBalance: true,
      loadBalanceGroup: 'g',
    } as const;
    const subscribing = client.subscribe(topic, ignore, options);
    expect(await peer.confirm()).to.deep.equal({ type: 'subscribe', topic, ...options });
    await subscribing;
  });

  it('rejects with the error frame of its topic', async () => {
    const { client, peer } = await harness.connected();
    const refused = rejection(client.subscribe(topic, ignore));
    const accepted = client.subscribe('chat/lobby/other', ignore);
    await peer.next('subscribe');
    await peer.next('subscribe');
    peer.send({ type: 'error', error: 'unknown_topic', code: 42940, topic, hint: 'Ask for access' });
    peer.send({ type: 'subscribed', topic: 'chat/lobby/other' });
    expect(await refused)
      .to.be.instanceOf(RoomwireError)
      .and.include({ error: 'unknown_topic', code: 42940, topic, hint: 'Ask for access' });
    await accepted;
  });

  it('may be repeated after a refusal', async () => {
    const { client, peer } = await harness.connected();
    const refused = rejection(client.subscribe(topic, ignore, { filters: ['a#'] }));
    await peer.next('subscribe');
    peer.send({ type: 'error', error: 'invalid_filter_chars (/, #, +, | not allowed)', topic });
    expect((await refused).error).to.equal('invalid_filter_chars');
    const second = client.subscribe(topic, ignore, { filters: ['a'] });
    expect(await peer.confirm()).to.deep.include({ filters: ['a'] });
    await second;
  });

  it('shares one subscription on the wire, and ends it with the last handler', async () => {
    const { client, peer } = await harness.connected();
    const seen: string[] = [];
    const joining = [
      client.subscribe(topic, () => void seen.push('one')),
      client.subscribe(topic, () => void seen.push('two')),
    ];
    await peer.confirm();
    const [one, two] = await Promise.all(joining);
    const three = await client.subscribe(topic, () => void seen.push('three'));
    await one?.unsubscribe();
    peer.send({ type: 'message', topic, data: 1 });
    await two?.unsubscribe();
    const leaving = three.unsubscribe();
    // Had more than one subscribe, or an unsubscribe too early, been sent, this would not be the next frame.
    await peer.release();
    await leaving;
    expect(await three.ended).to.equal(undefined);
  });

  it('delivers a message to each handler, and to none that has unsubscribed', async () => {
    const { client, peer } = await harness.connected();
    const seen = new Queue<string>();
    const joining = client.subscribe(topic, async () => {
      seen.push('one');
      await (await second).unsubscribe();
    });
    const second = client.subscribe(topic, () => seen.push('two'));
    const third = client.subscribe(topic, () => seen.push('three'));
    await peer.confirm();
    await Promise.all([joining, second, third]);
    peer.send({ type: 'message', topic, data: 1 });
    expect([await seen.next(), await seen.next(), await seen.next()]).to.deep.equal(['one', 'two', 'three']);
    peer.send({ type: 'message', topic, data: 2 });
    expect([await seen.next(), await seen.next()]).to.deep.equal(['one', 'three']);
  });

  it('refuses other options for a topic that is already subscribed', async () => {
    const { client, peer } = await harness.connected();
    const first = client.subscribe(topic, ignore);
    const conflict = await rejection(client.subscribe(topic, ignore, { filters: ['eu'] }));
    expect(conflict).to.include({ error: 'subscription_conflict', topic });
    // The default, said aloud, is no other option.
    const second = client.subscribe(topic, ignore, { qos: 1, filters: [] });
    await peer.confirm();
    await Promise.all([first, second]);
  });

  it('waits for the confirmation of an unsubscribe before it subscribes again', async () => {
    const { client, peer } = await harness.connected();
    const joining = client.subscribe(topic, ignore);
    await peer.confirm();
    const subscription = await joining;
    const leaving = subscription.unsubscribe();
    const again = client.subscribe(topic, ignore, { qos: 2 });
    await peer.release();
    await leaving;
    expect(await peer.confirm()).to.include({ qos: 2 });
    await again;
    await subscription.unsubscribe();
  });

  for (const [what, options] of [
    ['the same', {}],
    ['other', { filters: ['eu'] }],
  ] as const)
    it(`[WS-UNSUB-1] keeps what a subscription still gets from a handler with ${what} options that follows it`, async () => {
      const { client, peer } = await harness.connected();
      const joining = client.subscribe(topic, ignore);
      await peer.confirm();
      void (await joining).unsubscribe();
      const seen: unknown[] = [];
      const again = client.subscribe(topic, ({ data }) => void seen.push(data), options);
      await peer.next('unsubscribe');
      peer.send({ type: 'message', topic, data: 'old', msgId: 'm1', requiresAck: true });
      peer.send({ type: 'unsubscribed', topic });
      await peer.confirm();
      peer.send({ type: 'message', topic, data: 'new', msgId: 'm2', requiresAck: true });
      await again;
      expect(await peer.next('ack'), 'what nobody got is not acknowledged').to.include({ msgId: 'm2' });
      expect(seen).to.deep.equal(['new']);
    });

  it('keeps what other filters let through from a handler that follows while they are set', async () => {
    const { client, peer } = await harness.connected();
    const joining = client.subscribe(topic, ignore);
    await peer.confirm();
    const former = await joining;
    const filtering = client.setFilters(topic, ['us']);
    await peer.next('setFilters');
    void former.unsubscribe();
    const seen: unknown[] = [];
    const again = client.subscribe(topic, ({ data }) => void seen.push(data), { filters: ['eu'] });
    peer.send({ type: 'message', topic, data: 'old', filter: 'us' });
    peer.send({ type: 'filtersUpdated', topic, filters: ['us'] });
    await peer.release();
    await peer.confirm();
    peer.send({ type: 'message', topic, data: 'new', filter: 'eu', msgId: 'm1', requiresAck: true });
    await again;
    await peer.next('ack');
    await filtering.catch(ignore);
    expect(seen).to.deep.equal(['new']);
  });

  it('stores a subscription that is made without a connection', async () => {
    const { client } = harness.open();
    const joining = client.subscribe(topic, ignore);
    const peer = await harness.broker.nextPeer();
    await peer.accept();
    await peer.confirm();
    expect(await joining).to.include({ topic });
  });

  it('rejects after the request time-out, and unsubscribes in case it was accepted', async () => {
    const { client, peer } = await harness.connected({ timeouts: { requestMs: 66 } });
    const late = rejection(client.subscribe(topic, ignore));
    await peer.next('subscribe');
    await harness.time.pass(66);
    expect(await late).to.include({ error: 'request_timeout', topic });
    const tooSoon = rejection(client.subscribe(topic, ignore));
    await harness.time.pass(66);
    expect(await tooSoon).to.include({ error: 'request_timeout', topic });
    const again = client.subscribe(topic, ignore);
    peer.send({ type: 'subscribed', topic });
    await peer.release();
    await peer.confirm();
    await again;
  });

  it('rejects options that cannot be encoded, and keeps no state of them', async () => {
    const { client, peer } = await harness.connected();
    const options = { loadBalanceGroup: (() => 'g') as unknown as string };
    expect(await rejection(client.subscribe(topic, ignore, options))).to.include({ error: 'invalid_data' });
    const joining = client.subscribe(topic, ignore);
    await peer.confirm();
    await joining;
  });

  it('reports a handler that fails, and continues', async () => {
    const { client, peer, errors } = await harness.connected();
    const cause = new Error('handler');
    const joining = client.subscribe(topic, ({ data }) => {
      if (data === 1) throw cause;
      return data === 2 ? Promise.reject(cause) : undefined;
    });
    await peer.confirm();
    await joining;
    for (const data of [1, 2, 3]) peer.send({ type: 'message', topic, data });
    for (let i = 0; i < 2; i++)
      expect(await errors.next()).to.include({ error: 'handler_failed', topic, cause });
    expect(client.state.name).to.equal('connected');
  });

  it('acknowledges a recorded message when its handlers have finished, and not when one fails', async () => {
    const { client, peer } = await harness.connected();
    const joining = client.subscribe(topic, async ({ data }) => {
      if (data === 'bad') throw new Error('no');
    });
    await peer.confirm();
    await joining;
    peer.send({ type: 'message', topic, data: 'bad', msgId: 'm1', requiresAck: true });
    peer.send({ type: 'message', topic, data: 'plain', msgId: 'm2' });
    peer.send({
      type: 'message',
      topic: 'chat/lobby/other',
      data: 'not ours',
      msgId: 'm3',
      requiresAck: true,
    });
    peer.send({ type: 'message', topic, data: 'good', msgId: 'm4', requiresAck: true });
    expect(await peer.next('ack')).to.include({ msgId: 'm4' });
  });

  it('reports an error frame that answers no request', async () => {
    const { peer, errors } = await harness.connected();
    peer.send({ type: 'error', error: 'not_subscribed', topic });
    expect(await errors.next()).to.include({ error: 'not_subscribed', topic });
    peer.send({ type: 'error', error: 'unknown_type' });
    expect(await errors.next()).to.include({ error: 'unknown_type', topic: undefined });
  });

  it('reports a frame that cannot be decoded, and continues', async () => {
    const { client, peer, errors } = await harness.connected();
    const messages = new Queue<Message>();
    const joining = client.subscribe(topic, (message) => messages.push(message));
    await peer.confirm();
    await joining;
    peer.sendRaw(Uint8Array.of(0xc1));
    peer.sendRaw('text');
    peer.send({ type: 'message', topic, data: 'after' });
    expect((await errors.next()).error).to.equal('undecodable_frame');
    expect((await errors.next()).error).to.equal('undecodable_frame');
    expect(await messages.next()).to.include({ data: 'after' });
  });
});
