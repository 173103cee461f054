import { expect } from 'chai';
import type { MemberChange, PresenceEntry, Room } from '../src/index.js';
import { plainBackoff, rejection, useHarness } from './support/harness.js';
import { Queue } from './support/queue.js';
import type { Peer } from './support/scriptedBroker.js';

const entry = (actorTokenId: string, presence: object = {}, joinedAt = 1_700_000_000): PresenceEntry => ({
  actorTokenId,
  presence: presence as PresenceEntry['presence'],
  joinedAt,
});
const [ann, ben, cat] = [entry('ann'), entry('ben', { mood: 'fine' }), entry('cat')];

describe('a room', () => {
  const harness = useHarness();

  /** Takes an announcement with the two questions behind it. */
  const answer = async (peer: Peer, roomId: string, data: readonly PresenceEntry[]): Promise<void> => {
    expect(await peer.next('presence')).to.include({ roomId });
    await peer.next('getPresence');
    expect(await peer.next('getPresence')).to.include({ roomId });
    peer.send({ type: 'presenceList', data: [] });
    peer.send({ type: 'presenceList', roomId, data });
  };

  const changesOf = (room: Room): Queue<[string, MemberChange]> => {
    const changes = new Queue<[string, MemberChange]>();
    for (const name of ['join', 'update', 'leave'] as const)
      room.on(name, (change) => changes.push([name, change]));
    return changes;
  };

  const tell = (peer: Peer, event: string, { actorTokenId, presence }: PresenceEntry): void =>
    peer.send({ type: 'presence', event, data: { actor_token_id: actorTokenId, presence } });

  const entered = async (...members: readonly PresenceEntry[]) => {
    const watched = await harness.connected();
    const room = watched.client.room('den');
    const entering = room.enter({ name: 'Ann' });
    await answer(watched.peer, 'den', members);
    await entering;
    const changes = changesOf(room);
    return { ...watched, room, changes };
  };

  it('knows its members once it is entered', async () => {
    const { room } = await entered(ann, ben);
    expect(room.members).to.deep.equal([ann, ben]);
  });

  it('tells who comes, changes and leaves, with before and after', async () => {
    const { peer, room, changes } = await entered(ann);
    tell(peer, 'join', ben);
    const [event, { before, after }] = await changes.next();
    expect([event, before, after?.presence]).to.deep.equal(['join', undefined, { mood: 'fine' }]);
    tell(peer, 'update', entry('ben', { mood: 'bad' }));
    const change = await changes.next();
    expect(change[0]).to.equal('update');
    expect([change[1].before?.presence, change[1].after?.presence]).to.deep.equal([
      { mood: 'fine' },
      { mood: 'bad' },
    ]);
    expect(change[1].after?.joinedAt).to.equal(after?.joinedAt);
    expect(room.members.map(({ actorTokenId }) => actorTokenId)).to.deep.equal(['ann', 'ben']);
    peer.send({ type: 'presence', event: 'leave', data: { actor_token_id: 'ben' } });
    expect(await changes.next()).to.deep.equal([
      'leave',
      { ...change[1], before: change[1].after, after: undefined },
    ]);
    expect(room.members).to.deep.equal([ann]);
  });

  it('has another list after a change, and the same one without', async () => {
    const { peer, room, changes } = await entered(ann);
    const before = room.members;
    expect(room.members).to.equal(before);
    tell(peer, 'join', ben);
    await changes.next();
    expect(room.members).to.not.equal(before);
    expect(before).to.deep.equal([ann]);
  });

  it('keeps the list without a connection, and tells after a reconnect what is other', async () => {
    const { peer, room, changes, states } = await entered(ann, ben, cat);
    peer.drop();
    await states.next();
    expect(room.members).to.have.length(3);
    await harness.time.pass(plainBackoff.baseMs);
    const next = await harness.broker.nextPeer();
    await next.accept();
    const dan = entry('dan');
    const better = entry('ben', { mood: 'better' });
    await answer(next, 'den', [entry('ann', {}, 1_700_000_009), better, dan]);
    expect([await changes.next(), await changes.next(), await changes.next()]).to.deep.equal([
      ['update', { actorTokenId: 'ben', before: ben, after: better }],
      ['leave', { actorTokenId: 'cat', before: cat, after: undefined }],
      ['join', { actorTokenId: 'dan', before: undefined, after: dan }],
    ]);
    expect(room.members).to.have.length(3);
    expect(changes).to.have.length(0);
  });

  it('is right about events around the list: one before it is in it, one behind it comes on top', async () => {
    const { client, peer } = await harness.connected();
    const room = client.room('den');
    const entering = room.enter();
    for (const type of ['presence', 'getPresence', 'getPresence']) await peer.next(type);
    peer.send({ type: 'presenceList', data: [] });
    tell(peer, 'join', ben);
    peer.send({ type: 'presenceList', roomId: 'den', data: [ann, ben] });
    tell(peer, 'join', cat);
    await entering;
    const listing = client.presence('den');
    await peer.next('getPresence');
    expect(room.members.map(({ actorTokenId }) => actorTokenId)).to.deep.equal(['ann', 'ben', 'cat']);
    peer.send({ type: 'presenceList', roomId: 'den', data: [ann] });
    await listing;
    expect(room.members, 'any list of the room counts').to.deep.equal([ann]);
  });

  it('forgets its members when the client enters another one', async () => {
    const { client, peer, room } = await entered(ann, ben);
    const moving = client.enter('yard');
    await peer.next('presence');
    await peer.next('getPresence');
    tell(peer, 'join', cat);
    peer.send({ type: 'presenceList', data: [] });
    tell(peer, 'join', entry('dan'));
    await moving;
    expect(room.members).to.deep.equal([]);
  });

  it('that the client is in already begins with the question who is there', async () => {
    const { client, peer } = await harness.connected();
    const entering = client.enter('den');
    await peer.next('presence');
    await peer.next('getPresence');
    peer.send({ type: 'presenceList', data: [] });
    await entering;
    const room = client.room('den');
    const changes = changesOf(room);
    expect(await peer.next('getPresence')).to.include({ roomId: 'den' });
    peer.send({ type: 'presenceList', roomId: 'den', data: [ann] });
    expect(await changes.next()).to.deep.equal([
      'join',
      { actorTokenId: 'ann', before: undefined, after: ann },
    ]);
    expect(client.room('den')).to.equal(room);
  });

  it('that is refused has no members, and the room before it stays', async () => {
    const { client, peer, room } = await entered(ann);
    const entering = rejection(client.room('cell').enter());
    for (const type of ['presence', 'getPresence', 'getPresence']) await peer.next(type);
    const refusal = { type: 'error', error: 'unknown_topic', code: 42940, topic: 'cell' };
    peer.send(refusal);
    peer.send({ type: 'presenceList', data: [] });
    peer.send(refusal);
    expect(await entering).to.include({ error: 'unknown_topic' });
    expect(client.room('cell').members).to.deep.equal([]);
    expect(room.members).to.deep.equal([ann]);
  });

  it('that is refused after a reconnect is forgotten, and reported', async () => {
    const { peer, room, errors } = await entered(ann);
    peer.drop();
    await harness.time.pass(plainBackoff.baseMs);
    const next = await harness.broker.nextPeer();
    await next.accept();
    for (const type of ['presence', 'getPresence', 'getPresence']) await next.next(type);
    const refusal = { type: 'error', error: 'unknown_topic', code: 42940, topic: 'den' };
    next.send(refusal);
    next.send({ type: 'presenceList', data: [] });
    next.send(refusal);
    expect(await errors.next()).to.include({ error: 'unknown_topic', topic: 'den' });
    expect(room.members).to.deep.equal([]);
  });
});
