import { expect } from 'chai';
import type { LobbyEvent, RoomChange } from '../src/index.js';
import { plainBackoff, rejection, useHarness } from './support/harness.js';
import { Queue } from './support/queue.js';
import type { Peer } from './support/scriptedBroker.js';

const entry = { actorTokenId: 'ann', presence: { mood: 'fine' }, joinedAt: 1_700_000_000 };
const refusal = { type: 'error', error: 'unknown_topic', code: 42940, topic: 'den' };

/** Takes an announcement and what confirms it. */
const accept = async (peer: Peer): Promise<unknown> => {
  const { roomId, data } = await peer.next('presence');
  expect(await peer.next('getPresence')).to.deep.equal({ type: 'getPresence' });
  peer.send({ type: 'presenceList', data: [] });
  return { roomId, data };
};

describe('presence', () => {
  const harness = useHarness();

  it('is in effect when the following request is answered', async () => {
    const { client, peer } = await harness.connected();
    const entering = client.enter('den', { mood: 'fine' });
    expect(await accept(peer)).to.deep.equal({ roomId: 'den', data: { mood: 'fine' } });
    await entering;
    expect(harness.time.pending, 'only the heartbeat').to.deep.equal([30_000]);
  });

  it('rejects with the refusal, and assigns the following answers to their requests', async () => {
    const { client, peer } = await harness.connected();
    const first = rejection(client.enter('den'));
    const second = client.enter('den', { again: true });
    const listing = client.presence('den');
    for (const type of ['presence', 'getPresence', 'presence', 'getPresence', 'getPresence']) {
      await peer.next(type);
    }
    peer.send(refusal);
    for (let answers = 0; answers < 2; answers++) peer.send({ type: 'presenceList', data: [] });
    peer.send({ type: 'presenceList', roomId: 'den', data: [entry] });
    expect(await first).to.include({ error: 'unknown_topic', code: 42940, topic: 'den' });
    await second;
    expect(await listing).to.deep.equal([entry]);
  });

  it('lists no actors of a room that is refused', async () => {
    const { client, peer } = await harness.connected();
    const listing = rejection(client.presence('den'));
    await peer.next('getPresence');
    peer.send(refusal);
    expect(await listing).to.include({ error: 'unknown_topic' });
  });

  it('reports the changes in the room', async () => {
    const { client, peer } = await harness.connected();
    const entering = client.enter('den');
    await accept(peer);
    await entering;
    const changes = new Queue<RoomChange>();
    client.on('presence', (change) => changes.push(change));
    const data = { actor_token_id: 'ben', presence: { n: 1 } };
    for (const event of ['join', 'update']) peer.send({ type: 'presence', event, data });
    peer.send({ type: 'presence', event: 'leave', data: { actor_token_id: 'ben' } });
    for (const event of ['join', 'update']) {
      expect(await changes.next()).to.deep.equal({
        ...{ event, actorTokenId: 'ben', presence: { n: 1 }, roomId: 'den' },
      });
    }
    expect(await changes.next()).to.deep.equal({ event: 'leave', actorTokenId: 'ben', roomId: 'den' });
  });

  it('is announced again after a reconnect, with the last accepted data', async () => {
    const { client, peer, errors } = await harness.connected();
    const entering = client.enter('den', { n: 1 });
    await accept(peer);
    await entering;
    const refused = rejection(client.enter('cell', { n: 2 }));
    await peer.next('presence');
    await peer.next('getPresence');
    peer.send({ ...refusal, topic: 'cell' });
    await refused;
    peer.drop();
    await harness.time.pass(plainBackoff.baseMs);
    const next = await harness.broker.nextPeer();
    await next.accept();
    expect(await next.next('presence')).to.deep.include({ roomId: 'den', data: { n: 1 } });
    await next.next('getPresence');
    next.send(refusal);
    expect(await errors.next()).to.include({ error: 'unknown_topic', topic: 'den' });
  });

  it('rejects requests after the request time-out, when the connection drops, and without one', async () => {
    const { client, peer } = await harness.connected({ timeouts: { requestMs: 88 } });
    const late = rejection(client.presence('den'));
    await peer.next('getPresence');
    await harness.time.pass(88);
    expect(await late).to.include({ error: 'request_timeout' });
    const lost = rejection(client.presence('den'));
    await peer.next('getPresence');
    peer.drop();
    expect(await lost).to.include({ error: 'connection_lost' });
    expect(await rejection(client.enter('den'))).to.include({ error: 'not_connected' });
  });

  it('assigns a late answer to its request', async () => {
    const { client, peer } = await harness.connected({ timeouts: { requestMs: 88 } });
    const late = rejection(client.presence('den'));
    await peer.next('getPresence');
    await harness.time.pass(88);
    await late;
    const listing = client.presence('den');
    await peer.next('getPresence');
    peer.send({ type: 'presenceList', roomId: 'den', data: [] });
    peer.send({ type: 'presenceList', roomId: 'den', data: [entry] });
    expect(await listing).to.deep.equal([entry]);
  });
});

describe('a lobby', () => {
  const harness = useHarness();
  const presence = { bar: { ann: entry } };

  it('delivers a snapshot, and then the changes', async () => {
    const { client, peer } = await harness.connected();
    const events = new Queue<LobbyEvent>();
    const opening = client.lobby('east', (event) => events.push(event));
    expect(await peer.next('lobbySubscribe')).to.deep.equal({ type: 'lobbySubscribe', lobbyId: 'east' });
    peer.send({ type: 'lobbySubscribed', lobbyId: 'east', presence });
    const change = { type: 'lobbyPresence', lobbyId: 'east', roomId: 'bar', actorId: 'ben' };
    peer.send({ ...change, event: 'join', data: { n: 1 } });
    peer.send({ ...change, event: 'leave', data: {} });
    const lobby = await opening;
    expect(await events.next()).to.deep.equal({ event: 'snapshot', presence });
    const ben = { roomId: 'bar', actorTokenId: 'ben' };
    expect(await events.next()).to.deep.equal({ event: 'join', ...ben, presence: { n: 1 } });
    expect(await events.next()).to.deep.equal({ event: 'leave', ...ben });
    const leaving = lobby.unsubscribe();
    await peer.next('lobbyUnsubscribe');
    peer.send({ ...change, event: 'join', data: {} });
    peer.send({ type: 'lobbyUnsubscribed', lobbyId: 'east' });
    await leaving;
    expect(events).to.have.length(0);
  });

  it('rejects with the refusal, and may be opened again', async () => {
    const { client, peer } = await harness.connected();
    for (let attempt = 0; attempt < 2; attempt++) {
      const opening = rejection(client.lobby('east', () => undefined));
      await peer.next('lobbySubscribe');
      peer.send({ type: 'error', error: 'not_authorized', lobbyId: 'east' });
      expect(await opening).to.include({ error: 'not_authorized', lobbyId: 'east' });
    }
  });

  it('accepts one handler', async () => {
    const { client, peer } = await harness.connected();
    const opening = client.lobby('east', () => undefined);
    await peer.next('lobbySubscribe');
    peer.send({ type: 'lobbySubscribed', lobbyId: 'east', presence: {} });
    await opening;
    expect(await rejection(client.lobby('east', () => undefined))).to.include({
      error: 'subscription_conflict',
      lobbyId: 'east',
    });
  });

  it('is subscribed again after a reconnect', async () => {
    const { client, peer } = await harness.connected();
    const events = new Queue<LobbyEvent>();
    const opening = client.lobby('east', (event) => events.push(event));
    await peer.next('lobbySubscribe');
    peer.send({ type: 'lobbySubscribed', lobbyId: 'east', presence: {} });
    await opening;
    peer.drop();
    await harness.time.pass(plainBackoff.baseMs);
    const next = await harness.broker.nextPeer();
    await next.accept();
    await next.next('lobbySubscribe');
    next.send({ type: 'lobbySubscribed', lobbyId: 'east', presence });
    expect(await events.next()).to.deep.equal({ event: 'snapshot', presence: {} });
    expect(await events.next()).to.deep.equal({ event: 'snapshot', presence });
  });

  it('begins with its snapshot also while a former watch of it has not ended', async () => {
    const { client, peer } = await harness.connected();
    const opening = client.lobby('east', () => undefined);
    await peer.next('lobbySubscribe');
    peer.send({ type: 'lobbySubscribed', lobbyId: 'east', presence: {} });
    void (await opening).unsubscribe();
    const events: string[] = [];
    const again = client.lobby('east', ({ event }) => void events.push(event));
    await peer.next('lobbyUnsubscribe');
    await peer.next('lobbySubscribe');
    const change = { type: 'lobbyPresence', lobbyId: 'east', roomId: 'bar', actorId: 'ben', data: {} };
    peer.send({ ...change, event: 'join' });
    peer.send({ type: 'lobbyUnsubscribed', lobbyId: 'east' });
    peer.send({ type: 'lobbySubscribed', lobbyId: 'east', presence });
    await again;
    expect(events).to.deep.equal(['snapshot']);
  });

  it('lists the actors in its rooms', async () => {
    const { client, peer } = await harness.connected();
    const listing = client.lobbyPresence('east');
    await peer.next('getLobbyPresence');
    peer.send({ type: 'lobbyPresenceList', lobbyId: 'east', presence });
    expect(await listing).to.deep.equal(presence);
  });

  it('reports a handler that throws, and continues', async () => {
    const { client, peer, errors } = await harness.connected();
    const subscribing = client.lobby('east', () => {
      throw new Error('mine');
    });
    await peer.next('lobbySubscribe');
    peer.send({ type: 'lobbySubscribed', lobbyId: 'east', presence });
    expect(await errors.next()).to.include({ error: 'handler_failed', lobbyId: 'east' });
    await subscribing;
  });
});
