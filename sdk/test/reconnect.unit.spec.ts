import { expect } from 'chai';
import { rejection, topic, useHarness } from './support/harness.js';
import { Queue } from './support/queue.js';

const ignore = (): void => undefined;

describe('reconnect', () => {
  const harness = useHarness();

  it('waits longer after each failure, and starts over after a success', async () => {
    const { client, peer, states } = await harness.connected({
      reconnect: { baseMs: 1_000, multiplier: 2, maxMs: 5_000, jitter: 0.2, restartSpreadMs: 300 },
    });
    peer.drop();
    // Chance is 0.5 in these tests: a tenth less than the full wait.
    for (const [failures, retryInMs] of [900, 1_800, 3_600, 4_500, 4_500].entries()) {
      const waiting = await states.until((state) => state.name === 'waiting');
      expect(waiting).to.include({ failures: failures + 1, retryInMs });
      await harness.time.pass(retryInMs);
      expect(await states.next()).to.include({ name: 'connecting', failures: failures + 1 });
      await (await harness.broker.nextPeer()).refuse('connection_failed');
    }
    await harness.time.pass(4_500);
    const next = await harness.broker.nextPeer();
    await next.accept();
    await client.ready();
    next.drop();
    await states.until((state) => state.name === 'connected');
    expect(await states.next()).to.include({ name: 'waiting', failures: 1, retryInMs: 900 });
  });

  it('renews the subscriptions with their options, except those that were unsubscribed', async () => {
    const { client, peer } = await harness.connected();
    const messages = new Queue<unknown>();
    const joining = [
      client.subscribe(topic, ({ data }) => messages.push(data), { filters: ['eu'] }),
      client.subscribe('chat/lobby/left', ignore),
      client.subscribe('chat/lobby/kept', ignore),
    ];
    for (let i = 0; i < 3; i++) await peer.confirm();
    const [, left] = await Promise.all(joining);
    peer.drop();
    await harness.time.pass(1_000);
    await left?.unsubscribe();
    const next = await harness.broker.nextPeer();
    await next.accept();
    expect(await next.confirm()).to.deep.equal({ type: 'subscribe', topic, filters: ['eu'] });
    expect(await next.confirm()).to.include({ topic: 'chat/lobby/kept' });
    next.send({ type: 'message', topic, data: 'again' });
    expect(await messages.next()).to.equal('again');
  });

  it('[WS-META-1] [WS-OWN-1] asks for meta and own messages again, with new filters and with restored sessions', async () => {
    const { client, peer } = await harness.connected({ resume: true });
    const joining = client.subscribe(topic, ignore, { meta: true, own: true });
    await peer.confirm();
    await joining;
    const setting = client.setFilters(topic, ['eu']);
    await peer.next('setFilters');
    peer.send({ type: 'filtersUpdated', topic });
    await setting;
    peer.drop();
    await harness.time.pass(1_000);
    const next = await harness.broker.nextPeer();
    const restored = { pattern: topic, topic: 'internal', filters: ['eu'], meta: true, own: true };
    await next.accept({ restoredSubscriptions: [restored] });
    expect(await next.confirm()).to.deep.equal({
      ...{ type: 'subscribe', topic, filters: ['eu'] },
      ...{ meta: true, own: true },
    });
  });

  it('repeats a subscribe without an answer when the connection drops', async () => {
    const { client, peer } = await harness.connected();
    const joining = client.subscribe(topic, ignore);
    await peer.next('subscribe');
    peer.drop();
    await harness.time.pass(1_000);
    const next = await harness.broker.nextPeer();
    await next.accept();
    await next.confirm();
    await joining;
  });

  it('resolves an unsubscribe without an answer when the connection drops', async () => {
    const { client, peer } = await harness.connected();
    const joining = client.subscribe(topic, ignore);
    await peer.confirm();
    const leaving = (await joining).unsubscribe();
    await peer.next('unsubscribe');
    peer.drop();
    await leaving;
  });

  it('unsubscribes after a reconnect what was unsubscribed while its subscribe was pending', async () => {
    const { client, peer } = await harness.connected();
    const joining = client.subscribe(topic, ignore);
    await peer.confirm();
    const subscription = await joining;
    peer.drop();
    await harness.time.pass(1_000);
    const next = await harness.broker.nextPeer();
    await next.accept();
    await client.ready();
    const leaving = subscription.unsubscribe();
    await next.confirm();
    await next.release();
    await leaving;
  });

  for (const [what, options, frame] of [
    ['other options', { meta: true }, { meta: true }],
    ['earlier messages', { rewind: 5 }, { from: { last: 5 } }],
  ] as const)
    it(`ends what handlers that have left were subscribing to, for one with ${what}`, async () => {
      const features = ['meta', 'history'];
      const { client, peer } = await harness.connected({}, { features });
      const joining = client.subscribe(topic, ignore);
      await peer.confirm();
      const subscription = await joining;
      peer.drop();
      await harness.time.pass(1_000);
      const next = await harness.broker.nextPeer();
      await next.accept({ features });
      await next.next('subscribe');
      const leaving = subscription.unsubscribe();
      const messages = new Queue<unknown>();
      const again = client.subscribe(topic, ({ data }) => messages.push(data), options);
      next.send({ type: 'subscribed', topic });
      await next.release();
      await leaving;
      expect(await next.confirm()).to.deep.equal({ type: 'subscribe', topic, ...frame });
      next.send({ type: 'message', topic, data: 'new' });
      await again;
      expect(await messages.next()).to.equal('new');
    });

  it('ends a subscription that is refused after a reconnect, and reports it', async () => {
    const { client, peer, errors } = await harness.connected();
    const joining = client.subscribe(topic, ignore);
    await peer.confirm();
    const subscription = await joining;
    peer.drop();
    await harness.time.pass(1_000);
    const next = await harness.broker.nextPeer();
    await next.accept();
    await next.next('subscribe');
    next.send({ type: 'error', error: 'unknown_topic', code: 42940, topic });
    expect(await subscription.ended).to.include({ error: 'unknown_topic', topic });
    expect(await errors.next()).to.equal(await subscription.ended);
    // What is over takes nothing from those who come later.
    const again = client.subscribe(topic, ignore);
    await subscription.unsubscribe();
    await next.confirm();
    await again;
  });

  it('unsubscribes restored subscriptions that were left without a connection, and no others', async () => {
    const { client, peer } = await harness.connected({ resume: true });
    const joining = client.subscribe(topic, ignore);
    await peer.confirm();
    const subscription = await joining;
    peer.drop();
    await harness.time.pass(1_000);
    await subscription.unsubscribe();
    const next = await harness.broker.nextPeer();
    const entry = { topic: 'internal', load_balance: false, load_balance_group: null, filters: [] };
    const patterns = ['chat/lobby/other', topic];
    await next.accept({ restoredSubscriptions: patterns.map((pattern) => ({ pattern, ...entry })) });
    expect(await next.release()).to.include({ topic });
    void client.publish('chat/lobby/marker', 1).catch(ignore);
    await next.next('publish');
  });

  it('reconnects soon, but not at once, after a planned restart', async () => {
    const { peer, states } = await harness.connected();
    peer.close(1012, 'service_restart');
    const waiting = await states.next();
    expect(waiting).to.include({ name: 'waiting', retryInMs: 150 });
    expect(waiting).to.deep.nested.include({
      'reason.closeCode': 1012,
      'reason.closeReason': 'service_restart',
    });
    await harness.time.pass(150);
    (await harness.broker.nextPeer()).close(1012, 'service_restart');
    expect(await states.until((state) => state.name === 'waiting')).to.include({ retryInMs: 3_000 });
  });

  for (const [code, reason] of [
    [1006, ''],
    [1013, 'slow_consumer'],
    [4000, 'idle_timeout'],
    [4002, 'connection_limit_reached'],
  ] as const)
    it(`backs off and reconnects after ${code} ${reason}`, async () => {
      const { client, peer, states } = await harness.connected();
      if (code === 1006) peer.drop();
      else peer.close(code, reason);
      expect(await states.next()).to.include({ name: 'waiting', retryInMs: 1_000 });
      await harness.time.pass(1_000);
      await (await harness.broker.nextPeer()).accept();
      await client.ready();
    });

  for (const [code, reason] of [
    [4001, 'token_revoked'],
    [4001, 'scope_inactive'],
    [4003, 'token_expired'],
  ] as const)
    it(`does not reconnect after ${code} ${reason} with a fixed token`, async () => {
      const { client, peer, states } = await harness.connected();
      const joining = client.subscribe(topic, ignore);
      await peer.confirm();
      const subscription = await joining;
      const publishing = rejection(client.publish(topic, 1));
      peer.close(code, reason);
      const closed = await states.next();
      if (closed.name !== 'closed') throw new Error(closed.name);
      expect(closed.reason).to.include({ closeCode: code, closeReason: reason });
      expect((await publishing).error).to.equal('connection_lost');
      expect(await subscription.ended).to.equal(closed.reason);
      expect(harness.time.pending).to.deep.equal([]);
    });
});
