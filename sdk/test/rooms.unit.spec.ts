import { expect } from 'chai';
import type { RoomChange } from '../src/index.js';
import { plainBackoff, rejection, useHarness } from './support/harness.js';
import { Queue } from './support/queue.js';
import type { Frame, Peer } from './support/scriptedBroker.js';

const features = ['rooms'];
const refusal = (topic: string): Frame => ({ type: 'error', error: 'unknown_topic', code: 42940, topic });

/** Takes presence frames with the question behind them, and answers it. */
const confirm = async (peer: Peer): Promise<Frame> => {
  const frame = await peer.next('presence');
  expect(await peer.next('getPresence')).to.deep.equal({ type: 'getPresence' });
  peer.send({ type: 'presenceList', data: [] });
  return frame;
};

const joins = (peer: Peer, actor_token_id: string, roomId?: string): void =>
  peer.send({
    ...{ type: 'presence', event: 'join', data: { actor_token_id, presence: {} } },
    ...(roomId === undefined ? {} : { roomId }),
  });

describe('several rooms', () => {
  const harness = useHarness();

  const entered = async (...roomIds: readonly string[]) => {
    const watched = await harness.connected({}, { features });
    const { client, peer } = watched;
    for (const [index, roomId] of roomIds.entries()) {
      const entering = client.enter(roomId, { in: roomId }, { keep: index > 0 });
      await confirm(peer);
      await entering;
    }
    return watched;
  };

  const reconnected = async (peer: Peer, reply: Partial<Frame> = { features }): Promise<Peer> => {
    peer.drop();
    await harness.time.pass(plainBackoff.baseMs);
    const next = await harness.broker.nextPeer();
    await next.accept(reply);
    return next;
  };

  it('are entered with `keep`', async () => {
    const { client, peer } = await entered('den');
    const entering = client.enter('yard', { n: 1 }, { keep: true });
    expect(await confirm(peer)).to.deep.equal({
      ...{ type: 'presence', roomId: 'yard', data: { n: 1 }, keep: true },
    });
    await entering;
  });

  it('are told apart by the room that an event names, and one without is about the first', async () => {
    const { client, peer } = await entered('den', 'yard');
    const changes = new Queue<RoomChange>();
    client.on('presence', (change) => changes.push(change));
    joins(peer, 'ben', 'yard');
    joins(peer, 'cat');
    expect(await changes.next()).to.include({ actorTokenId: 'ben', roomId: 'yard' });
    expect(await changes.next()).to.include({ actorTokenId: 'cat', roomId: 'den' });
  });

  it('each have their members', async () => {
    const { client, peer } = await harness.connected({}, { features });
    const [den, yard] = [client.room('den'), client.room('yard')];
    for (const [room, keep, id] of [
      [den, false, 'ann'],
      [yard, true, 'ben'],
    ] as const) {
      const entering = room.enter({}, { keep });
      await confirm(peer);
      await peer.next('getPresence');
      const data = [{ actorTokenId: id, presence: {}, joinedAt: 1 }];
      peer.send({ type: 'presenceList', roomId: room.roomId, data });
      await entering;
    }
    const joined = new Promise((resolve) => den.on('join', resolve));
    joins(peer, 'cat', 'yard');
    joins(peer, 'dan');
    await joined;
    const ids = [den, yard].map(({ members }) => members.map(({ actorTokenId }) => actorTokenId));
    expect(ids).to.deep.equal([
      ['ann', 'dan'],
      ['ben', 'cat'],
    ]);
    const leaving = yard.leave();
    expect([den.members.length, yard.members.length]).to.deep.equal([2, 0]);
    expect(await confirm(peer)).to.deep.equal({ type: 'presence', roomId: 'yard', leave: true });
    await leaving;
  });

  it('are all entered again after a reconnect, none leaving another', async () => {
    const { peer } = await entered('den', 'yard', 'hall');
    const next = await reconnected(peer);
    for (const roomId of ['den', 'yard', 'hall'])
      expect(await confirm(next)).to.deep.equal({
        ...{ type: 'presence', roomId, data: { in: roomId }, keep: true },
      });
    await reconnected(next).then((last) => last.next('presence'));
  });

  it('are left together by entering one without `keep`', async () => {
    const { client, peer } = await entered('den', 'yard');
    const entering = client.enter('hall', {});
    expect(await confirm(peer)).to.deep.equal({ type: 'presence', roomId: 'hall', data: {} });
    await entering;
    const next = await reconnected(peer);
    expect(await confirm(next)).to.deep.equal({ type: 'presence', roomId: 'hall', data: {} });
    void client.presence('marker').catch(() => undefined);
    expect(await next.next('getPresence'), 'no other room is entered').to.include({ roomId: 'marker' });
  });

  it('are not entered again once they are left, nor those that were refused', async () => {
    const { client, peer, errors } = await entered('den', 'yard', 'hall');
    const leaving = client.leave('den');
    await confirm(peer);
    await leaving;
    const next = await reconnected(peer);
    for (const roomId of ['yard', 'hall']) {
      expect(await next.next('presence')).to.include({ roomId });
      await next.next('getPresence');
      if (roomId === 'yard') next.send(refusal('yard'));
      next.send({ type: 'presenceList', data: [] });
    }
    expect(await errors.next()).to.include({ error: 'unknown_topic', topic: 'yard' });
    const last = await reconnected(next);
    expect(await confirm(last)).to.deep.equal({ type: 'presence', roomId: 'hall', data: { in: 'hall' } });
  });

  it('are left without a connection as well', async () => {
    const { client, peer, states } = await entered('den');
    peer.drop();
    await states.next();
    await client.leave('den');
    await harness.time.pass(plainBackoff.baseMs);
    const next = await harness.broker.nextPeer();
    await next.accept({ features });
    await client.ready();
    void client.presence('marker').catch(() => undefined);
    expect(await next.next('getPresence')).to.include({ roomId: 'marker' });
  });

  it('are at most as many as the server says', async () => {
    const { client, peer } = await entered('den');
    const entering = rejection(client.enter('yard', {}, { keep: true }));
    await peer.next('presence');
    await peer.next('getPresence');
    peer.send({ type: 'error', error: 'subscription_limit', code: 42970, roomId: 'yard' });
    peer.send({ type: 'presenceList', data: [] });
    expect(await entering).to.include({ error: 'subscription_limit', topic: 'yard' });
  });

  it('says that it could not leave', async () => {
    const { client, peer } = await entered('den');
    const leaving = rejection(client.leave('den'));
    await peer.next('presence');
    await peer.next('getPresence');
    peer.send({ type: 'error', error: 'rate_limit_exceeded', code: 42910, topic: 'den' });
    peer.send({ type: 'presenceList', data: [] });
    expect(await leaving).to.include({ error: 'rate_limit_exceeded' });
  });

  it('need a server that has `rooms`: an older one would enter where the client is to leave', async () => {
    const { client, peer } = await harness.connected();
    for (const wrong of [
      client.enter('den', {}, { keep: true }),
      client.leave('den'),
      client.count('den', () => undefined),
    ])
      expect(await rejection(wrong)).to.include({ error: 'unsupported_feature', topic: 'den' });
    void client.presence('marker').catch(() => undefined);
    expect(await peer.next('getPresence'), 'nothing was sent').to.include({ roomId: 'marker' });
  });
});

describe('a count', () => {
  const harness = useHarness();

  const counting = async () => {
    const watched = await harness.connected({}, { features });
    const counts = new Queue<number>();
    const opening = watched.client.count('den', (present) => counts.push(present));
    expect(await watched.peer.next('presence')).to.deep.equal({
      ...{ type: 'presence', roomId: 'den', mode: 'count' },
    });
    watched.peer.send({ type: 'presenceCount', roomId: 'den', present: 3 });
    return { ...watched, counts, watch: await opening };
  };

  it('is told at once, and when it changes', async () => {
    const { peer, counts } = await counting();
    peer.send({ type: 'presenceCount', roomId: 'den', present: 4 });
    expect([await counts.next(), await counts.next()]).to.deep.equal([3, 4]);
  });

  it('goes on after a reconnect', async () => {
    const { peer, counts } = await counting();
    peer.drop();
    await harness.time.pass(plainBackoff.baseMs);
    const next = await harness.broker.nextPeer();
    await next.accept({ features });
    expect(await next.next('presence')).to.include({ roomId: 'den', mode: 'count' });
    next.send({ type: 'presenceCount', roomId: 'den', present: 9 });
    expect([await counts.next(), await counts.next()]).to.deep.equal([3, 9]);
  });

  it('ends at once, and is not asked for again', async () => {
    const { client, peer, counts, watch } = await counting();
    await counts.next();
    const stopping = watch.stop();
    peer.send({ type: 'presenceCount', roomId: 'den', present: 5 });
    expect(await confirm(peer)).to.deep.equal({ type: 'presence', roomId: 'den', leave: true });
    await stopping;
    expect(counts).to.have.length(0);
    const again = client.count('den', () => undefined);
    await peer.next('presence');
    peer.send({ type: 'presenceCount', roomId: 'den', present: 5 });
    await again;
  });

  it('has one handler', async () => {
    const { client } = await counting();
    const error = await rejection(client.count('den', () => undefined));
    expect(error).to.include({ error: 'subscription_conflict', topic: 'den' });
  });

  it('that is refused is forgotten', async () => {
    const { client, peer } = await harness.connected({}, { features });
    for (let times = 0; times < 2; times++) {
      const opening = rejection(client.count('den', () => undefined));
      await peer.next('presence');
      peer.send(refusal('den'));
      expect(await opening).to.include({ error: 'unknown_topic' });
    }
  });

  it('goes on when the client leaves the room, and the client stays when it ends', async () => {
    const { client, peer, counts, watch } = await counting();
    const entering = client.enter('den', { n: 1 });
    await confirm(peer);
    await entering;

    const leaving = client.leave('den');
    expect(await peer.next('presence')).to.include({ leave: true });
    expect(await confirm(peer)).to.include({ mode: 'count' });
    peer.send({ type: 'presenceCount', roomId: 'den', present: 2 });
    await leaving;
    expect([await counts.next(), await counts.next()]).to.deep.equal([3, 2]);

    const back = client.enter('den', { n: 2 });
    await confirm(peer);
    await back;
    const stopping = watch.stop();
    expect(await peer.next('presence')).to.include({ leave: true });
    expect(await confirm(peer)).to.deep.equal({
      ...{ type: 'presence', roomId: 'den', data: { n: 2 }, keep: true },
    });
    await stopping;
  });
});
