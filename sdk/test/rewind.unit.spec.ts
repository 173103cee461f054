import { expect } from 'chai';
import type { Gap, Message } from '../src/index.js';
import { rejection, topic, useHarness } from './support/harness.js';
import { Queue } from './support/queue.js';
import { kept, replay, withHistory } from './support/record.js';

const ignore = (): void => undefined;

describe('rewind', () => {
  const harness = useHarness();

  for (const [what, rewind, from] of [
    ['the newest messages', 50, { last: 50 }],
    ['messages since a time', { since: 1_785_000_000_123 }, { since: 1_785_000_000_123 }],
    ['messages since a date', { since: new Date(1_785_000_000_123) }, { since: 1_785_000_000_123 }],
  ] as const)
    it(`[WS-HIST-4] asks for ${what}`, async () => {
      const { client, peer } = await harness.connected({}, withHistory);
      const joining = client.subscribe(topic, ignore, { rewind });
      expect(await peer.confirm({ position: '', continuity: 'fresh' })).to.deep.equal({
        ...{ type: 'subscribe', topic, from },
      });
      await joining;
    });

  it('[WS-HIST-7] delivers replayed messages as such, then the live ones', async () => {
    const { client, peer } = await harness.connected({}, withHistory);
    const messages = new Queue<Message>();
    const joining = client.subscribe(topic, (message) => messages.push(message), { rewind: 2, meta: true });
    await peer.confirm({ position: 'p2', continuity: 'fresh' });
    await joining;
    replay(peer, 'p1', 'p2');
    peer.send(kept('p3'));
    for (const [position, isReplay] of [
      ['p1', true],
      ['p2', true],
      ['p3', false],
    ] as const) {
      const message = await messages.next();
      expect(message).to.deep.include({ data: position, isReplay });
      expect(message.meta?.position).to.equal(position);
    }
  });

  it('holds for the beginning, and not after a reconnect, of which no gap is told', async () => {
    const { client, peer, errors } = await harness.connected({}, withHistory);
    const gaps: Gap[] = [];
    const joining = client.subscribe(topic, ignore, { rewind: 2, onGap: (gap) => gaps.push(gap) });
    await peer.confirm({ position: 'p2', continuity: 'fresh' });
    const subscription = await joining;
    expect(subscription.position).to.equal(undefined);
    peer.drop();
    await harness.time.pass(1_000);
    const next = await harness.broker.nextPeer();
    await next.accept(withHistory);
    expect(await next.confirm()).to.deep.equal({ type: 'subscribe', topic });
    next.send({ type: 'error', error: 'marker' });
    await errors.next();
    expect(gaps).to.deep.equal([]);
  });

  it('holds again where the connection was lost before the answer', async () => {
    const { client, peer } = await harness.connected({}, withHistory);
    const joining = client.subscribe(topic, ignore, { rewind: 2 });
    await peer.next('subscribe');
    peer.drop();
    await harness.time.pass(1_000);
    const next = await harness.broker.nextPeer();
    await next.accept(withHistory);
    expect(await next.confirm({ position: 'p1' })).to.deep.include({ from: { last: 2 } });
    await joining;
  });

  it('is shared by handlers that come before the answer, and a conflict for those that would get nothing of it', async () => {
    const { client, peer, errors } = await harness.connected({}, withHistory);
    const seen: unknown[] = [];
    const [one, other] = [0, 1].map(() =>
      client.subscribe(topic, ({ data }) => void seen.push(data), { rewind: 1 }),
    );
    expect((await rejection(client.subscribe(topic, ignore))).error).to.equal('subscription_conflict');
    expect((await rejection(client.subscribe(topic, ignore, { rewind: 3 }))).error).to.equal(
      'subscription_conflict',
    );
    await peer.confirm({ position: 'p1', continuity: 'fresh' });
    const subscriptions = await Promise.all([one, other]);
    expect((await rejection(client.subscribe(topic, ignore, { rewind: 1 }))).error).to.equal(
      'subscription_conflict',
    );
    replay(peer, 'p1');
    peer.send({ type: 'error', error: 'marker' });
    await errors.next();
    expect(seen).to.deep.equal(['p1', 'p1']);
    expect(subscriptions).to.have.length(2);
  });

  it('begins anew for whoever comes after the last handler has left', async () => {
    const { client, peer } = await harness.connected({}, withHistory);
    const joining = client.subscribe(topic, ignore, { rewind: 1 });
    await peer.confirm({ position: 'p1', continuity: 'fresh' });
    const leaving = (await joining).unsubscribe();
    const messages = new Queue<Message>();
    const again = client.subscribe(topic, (message) => messages.push(message), { rewind: 1 });
    // Still of the first subscription: they come again in the second one.
    replay(peer, 'p1');
    await peer.release();
    await leaving;
    expect(await peer.confirm({ position: 'p1', continuity: 'fresh' })).to.deep.include({
      from: { last: 1 },
    });
    replay(peer, 'p1');
    peer.send(kept('p2'));
    await again;
    expect([(await messages.next()).data, (await messages.next()).data]).to.deep.equal(['p1', 'p2']);
  });

  for (const options of [{ rewind: 1 }, { resume: true }, { resume: { position: 'p1' } }])
    it(`rejects where the server has no history: ${JSON.stringify(options)}`, async () => {
      const { client, peer } = await harness.connected();
      expect(await rejection(client.subscribe(topic, ignore, options)))
        .to.include({ error: 'unsupported_feature', topic })
        .and.have.property('message')
        .that.includes('older');
      const plain = client.subscribe(topic, ignore);
      await peer.confirm();
      await plain;
    });

  it('[WS-HIST-11] rejects on a topic without history', async () => {
    const { client, peer } = await harness.connected({}, withHistory);
    const refused = rejection(client.subscribe(topic, ignore, { rewind: 1 }));
    await peer.next('subscribe');
    peer.send({ type: 'error', error: 'history_disabled', code: 42951, topic, hint: 'Switch it on' });
    expect(await refused).to.include({ error: 'history_disabled', code: 42951, hint: 'Switch it on' });
  });

  it('passes over the replay frames of worker groups', async () => {
    const { client, peer, errors } = await harness.connected({}, withHistory);
    const joining = client.subscribe(topic, ignore, { resume: true });
    await peer.confirm({ position: 'p1', continuity: 'fresh' });
    const subscription = await joining;
    peer.send({ type: 'replayStart', count: 3 });
    peer.send({ type: 'replayEnd', replayed: 3 });
    peer.send({ type: 'error', error: 'marker' });
    expect((await errors.next()).error).to.equal('marker');
    expect(subscription.position).to.equal('p1');
  });
});
