import { expect } from 'chai';
import type { FrameClient } from '@roomwire/testing/clients/frameClient';
import { clientTokenOf } from '@roomwire/testing/clients/clientTokens';
import { StalledClient } from '@roomwire/testing/clients/stalledClient';
import { eventually } from '@roomwire/testing/run/eventually';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { TracedRoom, type TracedService } from './tracedRoom.js';

/** Every cause for which a message may not have arrived, each made to happen. */
export const tracedCauses = (open: () => Promise<TracedService>): void => {
  let room: TracedRoom;

  beforeEach(async () => void (room = await TracedRoom.open(await open())));
  afterEach(() => room.close());

  /** The next message of a connection. */
  const dataOf = async (socket: FrameClient): Promise<unknown> => {
    const frame = await socket.next();
    return frame === 'heartbeat' ? frame : frame['data'];
  };

  it('says that it was delivered, by its id, by its position, and at its time', async () => {
    const bob = await room.person({ name: 'Bob' });
    const socket = await room.listen(bob);
    const { id, position, at } = await room.publish('hello', { id: 'order-7', filter: 'eu' });
    expect(await dataOf(socket)).to.equal('hello');
    const found = await room.trace(bob, { messageId: id });
    expect(found).to.include({ outcome: 'delivered', reason: null, name: 'Bob', keyId: bob.keyId });
    expect(found.connections).to.have.length(1);
    expect(found.connections[0]).to.include({ outcome: 'delivered', how: 'live', closedAt: null });
    expect(found.connections[0]?.evidence.map(({ fact }) => fact.kind)).to.eql(['subscribed']);
    const [message] = await room.messages({ position, actorId: bob.keyId });
    expect(message).to.deep.include({
      id,
      at,
      position,
      published: true,
      actorTokenId: null,
      filters: ['eu'],
    });
    expect(message?.actors[0]?.outcome).to.equal('delivered');
    expect(await room.trace(bob, { at })).to.include({ outcome: 'delivered' });
  });

  it('says that it was its own', async () => {
    const bob = await room.person();
    const other = await room.person();
    const [socket, elsewhere] = [await room.listen(bob), await room.listen(bob, { own: true }, 0)];
    const listener = await room.listen(other);
    socket.publish(room.topic, 'mine', { id: 'mine' });
    expect(await dataOf(listener)).to.equal('mine');
    expect(await dataOf(elsewhere)).to.equal('mine');
    const found = await room.trace(bob, { messageId: 'mine' });
    // One of its connections has asked for what it publishes on others.
    expect(found.connections.map(({ outcome }) => outcome)).to.eql(['delivered', 'own']);
    elsewhere.terminate();
    await socket.ask({ type: 'publish', topic: room.topic, data: 'again', id: 'again', msgRef: 'a' });
    const alone = async () => (await room.trace(bob, { messageId: 'again' })).outcome;
    await eventually(async () => (await alone()) === 'own', { withinMs: 20_000 });
    expect(await room.trace(other, { messageId: 'mine' })).to.include({ outcome: 'delivered' });
  });

  it('says that it was not connected, and not subscribed, and when that changed', async () => {
    const [bob, eve] = [await room.person(), await room.person()];
    const first = await room.publish(1);
    const socket = await room.connect(bob);
    const second = await room.publish(2);
    await socket.subscribe(room.topic);
    const third = await room.publish(3);
    expect(await dataOf(socket)).to.equal(3);
    await socket.ask({ type: 'unsubscribe', topic: room.topic });
    const fourth = await room.publish(4);
    await socket.close();
    const outcomeOf = async (position: string) => (await room.trace(bob, { position })).outcome;
    expect(await outcomeOf(first.position)).to.equal('not_connected');
    expect(await outcomeOf(second.position)).to.equal('not_subscribed');
    expect(await outcomeOf(third.position)).to.equal('delivered');
    expect(await outcomeOf(fourth.position)).to.equal('not_subscribed');
    let fifth: { position: string } | undefined;
    await eventually(
      async () => (fifth = await room.publish(5)) && (await outcomeOf(fifth.position)) === 'not_connected',
      { withinMs: 20_000 },
    );
    const left = await room.trace(bob, { position: fifth?.position ?? '' });
    expect(left.explanation).to.match(
      /^The actor was not connected\. Its last connection had ended at \d{4}-/,
    );
    expect(await room.trace(eve, { position: third.position })).to.include({ outcome: 'not_connected' });
    // The same at a time alone.
    expect((await room.trace(bob, { at: first.at })).outcome).to.equal('not_connected');
    expect((await room.trace(bob, { at: fourth.at })).outcome).to.equal('not_subscribed');
  });

  it('[WS-FILTER-3] says by which filters it was left out', async () => {
    const bob = await room.person();
    const filters = ['us', ['eu', 'urgent']];
    const socket = await room.listen(bob, { filters });
    const before = await room.publish('calm', { filter: 'eu' });
    await room.publish('marker', { filters: ['eu', 'urgent'] });
    expect(await dataOf(socket)).to.equal('marker');
    await socket.ask({ type: 'setFilters', topic: room.topic, filters: [] });
    const after = await room.publish('calm', { filter: 'eu' });
    const found = await room.trace(bob, { position: before.position });
    expect(found).to.deep.include({ outcome: 'filtered', filters });
    expect(found.explanation).to.equal(
      'It was subscribed with the filters us or (eu and urgent); the message has only eu.',
    );
    expect(await room.trace(bob, { position: after.position })).to.include({ outcome: 'delivered' });
  });

  it('says by which rule it was denied, and who made it so', async () => {
    const [bob, ann] = [await room.person(), await room.person()];
    const socket = await room.listen(bob, {}, 1, { notices: true });
    const before = await room.publish('open');
    expect(await dataOf(socket)).to.equal('open');
    const { project } = room.service;
    const grants = `/apps/${room.appId}/rooms/${room.roomId}/actors`;
    expect(
      (await project.post(grants, { actorTokenId: ann.actorTokenId, permission: 'pubSub' })).status,
    ).to.equal(201);
    expect(await socket.next()).to.include({ type: 'subscriptionEnded', reason: 'grant_required' });
    const after = await room.publish('private');
    const found = await room.trace(bob, { position: after.position });
    expect(found).to.include({ outcome: 'denied', rule: 'grant_missing' });
    expect(found.event).to.include({ type: 'RoomGrantAdded' });
    expect(found.event?.principal).to.match(/^apiKey:/);
    expect(await room.trace(bob, { position: before.position })).to.include({ outcome: 'delivered' });
    expect(await room.trace(bob, { at: before.at })).to.include({ outcome: 'delivered', rule: null });
    // Whoever is disabled cannot be connected.
    await project.patch(`/actors/${bob.actorTokenId}`, { status: 'disabled' });
    expect(await socket.closed).to.include({ code: 4001 });
    const last = await room.publish('later');
    expect(await room.trace(bob, { position: last.position })).to.include({
      outcome: 'denied',
      rule: 'actor_disabled',
    });
  });

  it('[WS-SCOPE-1] says that it was for another scope', async () => {
    const { project } = room.service;
    const { accessScopeId, slug } = (await project.post('/scopes', { slug: 'tenant', name: 'Tenant' })).body;
    const [bob, inside] = [await room.person(), await room.person({ accessScopeId })];
    const [outer, inner] = [await room.listen(bob), await room.listen(inside)];
    const scoped = await room.publish('inside', { scope: slug });
    await room.publish('outside');
    expect([await dataOf(outer), await dataOf(inner)]).to.eql(['outside', 'inside']);
    const asked = { scope: accessScopeId, position: scoped.position };
    expect(await room.trace(inside, asked)).to.include({ outcome: 'delivered' });
    expect(await room.trace(bob, asked)).to.include({ outcome: 'denied', rule: 'other_scope' });
    const [message] = await room.messages({ ...asked, scope: 'tenant' });
    expect(message?.actors.map(({ actorTokenId }) => actorTokenId)).to.eql([inside.actorTokenId]);
  });

  it('[WS-GROUP-2] says which member of a group got the job', async () => {
    const [bob, ann] = [await room.person(), await room.person()];
    const options = { loadBalance: true, loadBalanceGroup: 'workers', jobs: { prefetch: 1 } };
    const sockets = [await room.listen(bob, options), await room.listen(ann, options, 0)];
    const { position } = await room.publish('job', { id: 'job-1' });
    const got = await Promise.race(sockets.map(async (socket, at) => (await socket.next()) && at));
    const [worker, other] = got === 0 ? [bob, ann] : [ann, bob];
    await eventually(async () => (await room.trace(worker, { position })).outcome === 'delivered', {
      withinMs: 20_000,
    });
    const found = await room.trace(other, { position });
    expect(found).to.include({ outcome: 'other_member' });
    expect(found.members).to.have.length(1);
    expect(found.members[0]).to.include({ actorTokenId: worker.actorTokenId, delivery: 1 });
    expect((await room.trace(worker, { position })).connections[0]).to.include({ how: 'job' });
  });

  it('[WS-CONN-6] says that it was in what a slow consumer had not read', async function () {
    this.timeout(120_000);
    const bob = await room.person();
    const stalled = await StalledClient.connect(room.service.gateways[1]);
    try {
      await stalled.ask({ type: 'auth', token: bob.token });
      await stalled.ask({ type: 'subscribe', topic: room.topic });
      const positions = [(await room.publish('read')).position];
      await eventually(() => stalled.received.includes('read'));
      stalled.stall();
      const data = 'x'.repeat(500_000);
      const last = () => room.trace(bob, { position: positions.at(-1) ?? '' });
      let found = await last();
      while (found.outcome !== 'not_connected') {
        expect(positions.length).to.be.below(120);
        for (let n = 0; n < 8; n += 1) positions.push((await room.publish(data)).position);
        positions.push((await room.publish('small')).position);
        found = await last();
      }
      expect(found.explanation).to.include('1013 slow_consumer');
      const outcomes: string[] = [];
      for (const position of positions.filter((_, n) => n % 3 === 0))
        outcomes.push((await room.trace(bob, { position })).outcome);
      const runs = outcomes.filter((outcome, at) => outcome !== outcomes[at - 1]);
      // Within a second nobody can tell whether it was read.
      expect(runs.filter((outcome) => outcome !== 'unknown')).to.eql([
        ...['delivered', 'slow_consumer', 'not_connected'],
      ]);
    } finally {
      stalled.socket.destroy();
    }
  });

  it('[WS-HIST-7] says that it came in a replay, after it was missed', async () => {
    const bob = await room.person();
    const missed = await room.publish('missed');
    const later = await room.publish('later');
    const socket = await room.connect(bob);
    socket.send({ type: 'subscribe', topic: room.topic, from: { last: 1 } });
    await eventually(async () => (await dataOf(socket)) === 'later');
    const outcomeOf = async (position: string) => (await room.trace(bob, { position })).connections[0]?.how;
    await eventually(async () => (await outcomeOf(later.position)) === 'replay', { withinMs: 20_000 });
    expect(await room.trace(bob, { position: missed.position })).to.include({ outcome: 'not_connected' });
  });

  it('looks at those in the room where there are very many connections, and does not guess about the rest', async function () {
    this.timeout(120_000);
    const bob = await room.person();
    const listening = await room.listen(bob);
    const most = limitTable.traceConnections.value;
    const others: FrameClient[] = [];
    while (others.length < most) others.push(await room.connect(bob));
    const { position, at } = await room.publish('to the oldest');
    expect(await dataOf(listening)).to.equal('to the oldest');
    for (const asked of [{ position }, { at }])
      expect(await room.trace(bob, asked)).to.include({ outcome: 'delivered', hasMoreConnections: true });
    for (const socket of others) await socket.subscribe(room.topic, { filters: ['eu'] });
    const { position: later } = await room.publish('to the oldest again');
    expect(await dataOf(listening)).to.equal('to the oldest again');
    expect(await room.trace(bob, { position: later })).to.include({
      ...{ outcome: 'unknown', reason: 'too_many_connections', hasMoreConnections: true },
    });
  });

  it('answers each of several messages with one id, and nothing wrong where there is none', async () => {
    const [bob, ann, eve] = [await room.person(), await room.person(), await room.person()];
    const socket = await room.listen(bob, {}, 0);
    await room.publish('by a backend', { id: 'same' });
    for (const as of [ann, eve]) await room.publish('by an actor', { id: 'same', as: as.actorTokenId });
    await socket.next();
    const messages = await room.messages({ messageId: 'same', actorId: bob.keyId });
    expect(messages.map(({ actorTokenId, actors }) => [actorTokenId, actors[0]?.outcome])).to.eql([
      [eve.actorTokenId, 'delivered'],
      [ann.actorTokenId, 'delivered'],
      [null, 'delivered'],
    ]);
    const own = await room.messages({ messageId: 'same', actorId: eve.keyId });
    expect(own.map(({ actors }) => actors[0]?.outcome)).to.eql([
      'not_connected',
      'not_connected',
      'not_connected',
    ]);
    expect(await room.trace(bob, { messageId: 'never' })).to.include({
      outcome: 'unknown',
      reason: 'not_found',
    });
  });

  it('knows nothing of a message without history, but of a time', async () => {
    const bob = await room.person();
    await (await room.connect(bob)).subscribe(room.news);
    const { id, at } = await room.publish('gone', { topic: room.news, id: 'gone' });
    const asked = { topic: room.news };
    expect(await room.trace(bob, { ...asked, messageId: id })).to.include({
      outcome: 'unknown',
      reason: 'no_history',
    });
    expect(await room.trace(bob, { ...asked, at })).to.include({ outcome: 'delivered' });
    const long = await room.trace(bob, { ...asked, at: '2020-01-01T00:00:00Z' });
    expect(long).to.include({ outcome: 'unknown', reason: 'not_recorded' });
  });

  it('says why a message is not known, also where nobody is asked about', async () => {
    const bob = await room.person();
    const reasonOf = async (query: Readonly<Record<string, string>>) => {
      const [named] = await room.messages({ ...query, actorId: bob.actorTokenId });
      const [message] = await room.messages(query);
      expect(message).to.include({ at: null, published: false });
      expect(message?.explanation).to.equal(named?.actors[0]?.explanation);
      expect(message?.reason).to.equal(named?.actors[0]?.reason);
      return message?.reason;
    };
    const [app, slug] = room.topic.split('/') as [string, string];
    expect(await reasonOf({ messageId: 'never' })).to.equal('not_found');
    expect(await reasonOf({ messageId: 'a', topic: room.news })).to.equal('no_history');
    for (const topic of [`${app}/${slug}/nothing`, `${app}/nowhere/chat`, 'nothing/nowhere/chat'])
      expect(await reasonOf({ messageId: 'a', topic })).to.equal('no_topic');
    const { id } = await room.publish('known', { id: 'known' });
    const [known] = await room.messages({ messageId: id });
    expect(known).to.include({ reason: null, explanation: null });
  });

  it('tells of an external actor by its subject, and what it was allowed to', async () => {
    const { project } = room.service;
    const { signingKey } = (await project.post('/signing-keys', { name: 'K', allowExternalActors: true }))
      .body;
    const [sub, seconds] = ['ext:ada', Math.floor(Date.now() / 1_000)];
    const token = clientTokenOf(signingKey, { sub, iat: seconds, exp: seconds + 600 });
    const socket = await room.listen({ token });
    const first = await room.publish('open');
    expect(await dataOf(socket)).to.equal('open');
    const outcomes = async (position: string) => {
      const [message] = await room.messages({ position, actorId: sub });
      return message?.actors.map(({ outcome }) => outcome);
    };
    expect(await outcomes(first.position)).to.eql(['delivered']);
    await socket.ask({ type: 'unsubscribe', topic: room.topic });
    expect(await outcomes((await room.publish('left')).position)).to.eql(['not_subscribed']);
    const grants = `/apps/${room.appId}/rooms/${room.roomId}/actors`;
    await project.post(grants, { actorType: 'device', permission: 'pubSub' });
    expect(await outcomes((await room.publish('private')).position)).to.eql(['denied']);
    const [stranger] = await room.messages({ position: first.position, actorId: 'ext:eve' });
    expect(stranger?.actors[0]).to.include({ outcome: 'not_connected', rule: null });
  });

  it('answers of all that were in the room, page by page', async () => {
    const people = [await room.person(), await room.person({ actorType: 'device' }), await room.person()];
    const [bob, ann, eve] = people as [(typeof people)[0], (typeof people)[0], (typeof people)[0]];
    await room.listen(bob);
    await room.listen(ann, { filters: ['eu'] });
    const left = await room.listen(eve, {}, 0);
    await left.ask({ type: 'unsubscribe', topic: room.topic });
    await room.person();
    const { position } = await room.publish('to all');
    const outcomes = new Map<string, string>();
    let [cursor, pages] = [undefined as string | undefined, 0];
    do {
      const { status, body } = await room.ask({ position, limit: '1', ...(cursor && { cursor }) });
      expect(status).to.equal(200);
      for (const { actorTokenId, outcome } of body.messages[0].actors) outcomes.set(actorTokenId, outcome);
      cursor = body.nextCursor ?? undefined;
      pages += 1;
    } while (cursor !== undefined && pages < 10);
    expect(Object.fromEntries(outcomes)).to.eql({
      [bob.actorTokenId]: 'delivered',
      [ann.actorTokenId]: 'filtered',
      [eve.actorTokenId]: 'not_subscribed',
    });
  });
};
