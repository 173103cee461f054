import { expect } from 'chai';
import type { Gap, Message, SubscribeOptions, Subscription } from '../src/index.js';
import { rejection, topic, useHarness, type Watched } from './support/harness.js';
import { Queue } from './support/queue.js';
import { kept, replay, withHistory } from './support/record.js';
import type { Frame, Peer } from './support/scriptedBroker.js';

interface Followed extends Watched {
  readonly peer: Peer;
  readonly frame: Frame;
  readonly subscription: Subscription;
  readonly messages: Queue<Message>;
  readonly gaps: Queue<Gap>;
}

const ignore = (): void => undefined;

describe('resume', () => {
  const harness = useHarness();

  const followed = async (options: SubscribeOptions, reply: Partial<Frame>): Promise<Followed> => {
    const watched = await harness.connected({}, withHistory);
    const [messages, gaps] = [new Queue<Message>(), new Queue<Gap>()];
    const joining = watched.client.subscribe(topic, (message) => messages.push(message), {
      ...options,
      onGap: (gap) => gaps.push(gap),
    });
    const frame = await watched.peer.confirm(reply);
    return { ...watched, frame, subscription: await joining, messages, gaps };
  };

  /** Loses the connection; the server's end of the next one. */
  const reconnected = async (peer: Peer): Promise<Peer> => {
    peer.drop();
    await harness.time.pass(1_000);
    const next = await harness.broker.nextPeer();
    await next.accept(withHistory);
    return next;
  };

  /** Everything that was sent has arrived. */
  const marked = async (peer: Peer, errors: Watched['errors']): Promise<void> => {
    peer.send({ type: 'error', error: 'marker' });
    await errors.next();
  };

  const texts = async (messages: Queue<Message>, count: number): Promise<unknown[]> => {
    const data: unknown[] = [];
    while (data.length < count) data.push((await messages.next()).data);
    return data;
  };

  it('[WS-HIST-4] begins at the present, and goes on there when nothing was delivered', async () => {
    const { frame, peer, subscription } = await followed({ resume: true }, { position: 'p7' });
    expect(frame).to.deep.equal({ type: 'subscribe', topic, meta: true, from: { last: 0 } });
    expect(subscription.position).to.equal('p7');
    const next = await reconnected(peer);
    expect(await next.confirm()).to.deep.include({ meta: true, from: { position: 'p7' } });
  });

  it('goes on from the beginning where the topic had no message', async () => {
    const { peer, subscription } = await followed({ rewind: 50, resume: true }, { position: '' });
    expect(subscription.position).to.equal('');
    const next = await reconnected(peer);
    expect(await next.confirm()).to.deep.include({ from: { position: '' } });
  });

  it('goes on behind the newest message that was delivered', async () => {
    const { peer, messages, subscription } = await followed({ resume: true }, { position: 'p1' });
    peer.send(kept('p2'));
    peer.send(kept('p3'));
    expect(await texts(messages, 2)).to.deep.equal(['p2', 'p3']);
    expect(subscription.position).to.equal('p3');
    const next = await reconnected(peer);
    expect(await next.confirm({ position: 'p5', continuity: 'continuous' })).to.deep.include({
      from: { position: 'p3' },
    });
    replay(next, 'p4', 'p5');
    next.send(kept('p6'));
    expect(await texts(messages, 3)).to.deep.equal(['p4', 'p5', 'p6']);
  });

  it('asks once more where the connection was lost before the answer', async () => {
    const { peer } = await followed({ resume: true }, { position: 'p1' });
    const next = await reconnected(peer);
    await next.next('subscribe');
    const third = await reconnected(next);
    expect(await third.confirm()).to.deep.include({ from: { position: 'p1' } });
  });

  it('goes on within a replay that was cut off', async () => {
    const { peer, messages } = await followed({ rewind: 3, resume: true }, { position: 'p3' });
    peer.send({ type: 'replayStart', topic, count: 3 });
    peer.send(kept('p1', true));
    expect(await texts(messages, 1)).to.deep.equal(['p1']);
    const next = await reconnected(peer);
    expect(await next.confirm({ position: 'p3' })).to.deep.include({ from: { position: 'p1' } });
  });

  it('is past the end of a replay that is complete, whatever the filters have left out', async () => {
    const { client, peer, subscription, errors } = await followed(
      { rewind: 3, resume: true, filters: ['eu'] },
      { position: 'p9' },
    );
    expect(subscription.position, 'before the replay').to.equal(undefined);
    replay(peer, 'p2');
    peer.send({ type: 'error', error: 'marker' });
    await errors.next();
    expect(client.state.name).to.equal('connected');
    expect(subscription.position).to.equal('p9');
  });

  it('goes on where it was confirmed, when there was nothing to rewind', async () => {
    const { peer } = await followed({ rewind: 2, resume: true, filters: ['eu'] }, { position: 'p1' });
    const next = await reconnected(peer);
    expect(await next.confirm({ position: 'p9' })).to.deep.include({ from: { position: 'p1' } });
  });

  it('rewinds again when the connection was lost before the first message of a replay', async () => {
    const { client, peer, messages, gaps, errors } = await followed(
      { rewind: 2, resume: true },
      { position: 'p1' },
    );
    peer.send({ type: 'replayStart', topic, count: 1 });
    peer.send({ type: 'error', error: 'marker' });
    await errors.next();
    expect(client.state.name).to.equal('connected');
    const next = await reconnected(peer);
    expect(await next.confirm({ position: 'p9' })).to.deep.include({ from: { last: 2 } });
    replay(next, 'p8', 'p9');
    expect(await texts(messages, 2)).to.deep.equal(['p8', 'p9']);
    // Whether there were others between them, nobody can tell.
    expect(await gaps.next()).to.deep.equal({ topic, reason: 'unknown', after: 'p1', before: undefined });
    expect(gaps.length).to.equal(0);
  });

  it('knows that nothing is missing where nothing was published until a second rewind', async () => {
    const { peer, messages, gaps, errors } = await followed({ rewind: 2, resume: true }, { position: 'p1' });
    peer.send({ type: 'replayStart', topic, count: 2 });
    peer.send({ type: 'error', error: 'marker' });
    await errors.next();
    const next = await reconnected(peer);
    await next.confirm({ position: 'p1' });
    replay(next, 'p0', 'p1');
    expect(await texts(messages, 2)).to.deep.equal(['p0', 'p1']);
    expect(gaps.length).to.equal(0);
  });

  it('begins behind a position that it is given, and keeps it until a message comes', async () => {
    const { frame, peer, subscription } = await followed(
      { resume: { position: 'p4' }, rewind: 50 },
      { position: 'p4', continuity: 'continuous' },
    );
    expect(frame).to.deep.include({ from: { position: 'p4' } });
    expect(subscription.position).to.equal('p4');
    const next = await reconnected(peer);
    expect(await next.confirm()).to.deep.include({ from: { position: 'p4' } });
  });

  for (const reason of ['expired', 'limit'] as const)
    it(`[WS-HIST-5] says what is missing before the replay: ${reason}`, async () => {
      const { peer, messages, gaps } = await followed({ resume: true }, { position: 'p1' });
      const next = await reconnected(peer);
      const gap = { reason, after: 'p1', before: 'p8' };
      await next.confirm({ position: 'p8', continuity: 'gap', gap });
      expect(await gaps.next()).to.deep.equal({ topic, ...gap });
      replay(next, 'p8');
      expect(await texts(messages, 1)).to.deep.equal(['p8']);
    });

  it('[WS-HIST-5] begins anew behind a position that the server does not know', async () => {
    const { peer, messages, gaps, subscription } = await followed({ resume: true }, { position: 'x1' });
    const next = await reconnected(peer);
    const unknown = { position: 'b2', continuity: 'gap', gap: { reason: 'unknown' } };
    expect(await next.confirm(unknown)).to.deep.include({ from: { position: 'x1' } });
    expect(await gaps.next()).to.deep.equal({
      topic,
      reason: 'unknown',
      after: undefined,
      before: undefined,
    });
    // It sorts before the position of the former room.
    next.send(kept('b1', true));
    await texts(messages, 1);
    expect(subscription.position).to.equal('b1');
    const third = await reconnected(next);
    expect(await third.confirm()).to.deep.include({ from: { position: 'b1' } });
  });

  it('asks again with the position that the server did not know, until a message comes', async () => {
    const { peer, gaps } = await followed({ resume: true }, { position: 'x1' });
    const next = await reconnected(peer);
    await next.confirm({ position: 'b2', continuity: 'gap', gap: { reason: 'unknown' } });
    await gaps.next();
    const third = await reconnected(next);
    expect(await third.confirm()).to.deep.include({ from: { position: 'x1' } });
  });

  it('says a gap to each handler, and reports one that fails', async () => {
    const { client, peer, errors, gaps } = await followed({ resume: true }, { position: 'p1' });
    const cause = new Error('handler');
    await client.subscribe(topic, ignore, {
      resume: true,
      onGap: () => {
        throw cause;
      },
    });
    await client.subscribe(topic, ignore, { resume: true });
    const next = await reconnected(peer);
    await next.confirm({ position: 'p8', continuity: 'gap', gap: { reason: 'expired', before: 'p8' } });
    expect(await gaps.next()).to.include({ reason: 'expired' });
    expect(await errors.next()).to.include({ error: 'handler_failed', topic, cause });
  });

  it('shares one position among handlers of the same options', async () => {
    const { client, peer, subscription, messages } = await followed({ resume: true }, { position: 'p1' });
    const other = await client.subscribe(topic, ignore, { resume: true });
    expect(await rejection(client.subscribe(topic, ignore, { meta: true }))).to.include({
      error: 'subscription_conflict',
    });
    peer.send(kept('p2'));
    await texts(messages, 1);
    expect([subscription.position, other.position]).to.deep.equal(['p2', 'p2']);
  });

  it('passes over what a restored subscription delivers before the answer, because it is in the replay', async () => {
    const { peer, messages } = await followed({ resume: true }, { position: 'p1' });
    const next = await reconnected(peer);
    next.send(kept('p3'));
    expect(await next.confirm({ position: 'p3', continuity: 'continuous' })).to.deep.include({
      from: { position: 'p1' },
    });
    replay(next, 'p2', 'p3');
    next.send(kept('p4'));
    expect(await texts(messages, 3)).to.deep.equal(['p2', 'p3', 'p4']);
  });

  it('ends where the topic has lost its history, or the server cannot have any', async () => {
    const { peer, subscription, errors } = await followed({ resume: true }, { position: 'p1' });
    const next = await reconnected(peer);
    await next.next('subscribe');
    next.send({ type: 'error', error: 'history_disabled', code: 42951, topic });
    expect(await subscription.ended).to.include({ error: 'history_disabled' });
    expect(await errors.next()).to.equal(await subscription.ended);
  });

  it('ends on a server without history, which could not say what is missing', async () => {
    const { peer, subscription } = await followed({ resume: true }, { position: 'p1' });
    peer.drop();
    await harness.time.pass(1_000);
    await (await harness.broker.nextPeer()).accept({ features: ['meta'] });
    expect(await subscription.ended).to.include({ error: 'unsupported_feature' });
  });

  it('tells positions without it, where there is meta, and does not use them', async () => {
    const { frame, peer, messages, subscription } = await followed({ meta: true }, { position: 'p1' });
    expect(frame).to.deep.equal({ type: 'subscribe', topic, meta: true });
    expect(subscription.position).to.equal('p1');
    peer.send(kept('p2'));
    await texts(messages, 1);
    expect(subscription.position).to.equal('p2');
    const next = await reconnected(peer);
    expect(await next.confirm({ position: 'p4' })).to.deep.equal({ type: 'subscribe', topic, meta: true });
  });

  it('sends publishes without an answer again beside it', async () => {
    const { client, peer } = await harness.connected({}, { features: ['meta', 'history', 'idempotency'] });
    const messages = new Queue<Message>();
    const joining = client.subscribe(topic, (message) => messages.push(message), { resume: true, own: true });
    await peer.confirm({ position: 'p1' });
    await joining;
    const publishing = client.publish(topic, 'mine', { id: 'own-1' });
    await peer.next('publish');
    peer.drop();
    await harness.time.pass(1_000);
    const next = await harness.broker.nextPeer();
    await next.accept({ features: ['meta', 'history', 'idempotency'] });
    expect(await next.confirm({ position: 'p2', continuity: 'continuous' })).to.deep.include({
      from: { position: 'p1' },
    });
    const { msgRef } = await next.next('publish');
    replay(next, 'p2');
    next.send({ type: 'published', topic, msgRef, id: 'own-1', duplicate: true });
    expect(await publishing).to.deep.equal({ id: 'own-1', duplicate: true });
    expect(await texts(messages, 1)).to.deep.equal(['p2']);
  });

  it('keeps the position of a stream while a message waits that nobody has taken, and after the end', async () => {
    const { client, peer, errors } = await harness.connected({}, withHistory);
    const shared = client.subscribe(topic, ignore, { resume: true });
    const opening = client.stream(topic, { resume: true });
    await peer.confirm({ position: 'p1' });
    peer.send(kept('p2'));
    const stream = await opening;
    peer.send(kept('p3'));
    await marked(peer, errors);
    expect(stream.position, 'nothing is taken').to.equal('p1');
    const loop = stream[Symbol.asyncIterator]();
    await loop.next();
    expect(stream.position).to.equal('p2');
    await loop.next();
    await stream.unsubscribe();
    peer.send(kept('p4'));
    await marked(peer, errors);
    expect([stream.position, (await shared).position]).to.deep.equal(['p3', 'p4']);
  });

  it('has, of a stream, the position of what the loop has taken', async () => {
    const { client, peer, errors } = await harness.connected({}, withHistory);
    const opening = client.stream(topic, { resume: true });
    await peer.confirm({ position: 'p1' });
    const stream = await opening;
    expect(stream.position).to.equal('p1');
    for (const position of ['p2', 'p3']) peer.send(kept(position));
    peer.send({ type: 'error', error: 'marker' });
    await errors.next();
    const loop = stream[Symbol.asyncIterator]();
    expect((await loop.next()).value).to.include({ data: 'p2' });
    expect(stream.position).to.equal('p2');
    await loop.next();
    expect(stream.position).to.equal('p3');
  });
});
