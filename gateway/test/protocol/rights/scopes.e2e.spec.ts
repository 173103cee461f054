import { expect } from 'chai';
import type { ActorChanges } from '@roomwire/shared/domain/actor';
import type { Scope } from '@roomwire/shared/domain/scope';
import { eventually } from '@roomwire/testing/run/eventually';
import type { Frame, FrameClient } from '@roomwire/testing/clients/frameClient';
import { joiningAfter } from '../../support/joiningAfter.js';
import { overlaid } from '../../support/overlaid.js';
import { World, type WorldOptions } from '../../support/world.js';

const denied = { type: 'auth', success: false, error: 'access_denied' };

describe('an actor in a scope', () => {
  let world: World;
  let topic: string;
  let acme: Scope;
  let other: Scope;

  const open = async (options: WorldOptions = {}) => {
    world = await World.open(options);
    topic = await world.newsroom();
    acme = await world.scope('acme');
    other = await world.scope('other');
  };

  beforeEach(() => open());
  afterEach(() => world.close());

  const joinIn = ({ accessScopeId }: Scope) => world.join({ accessScopeId });

  const updated = async (actorTokenId: string, changes: ActorChanges) =>
    world.happened(
      { type: 'ActorUpdated', data: { actorTokenId, changes } },
      { patch: 'actors', id: actorTokenId, set: changes },
    );

  const scopeUpdated = (accessScopeId: string, changes: Partial<Pick<Scope, 'isActive' | 'name'>>) =>
    world.happened(
      { type: 'ScopeUpdated', data: { accessScopeId, changes } },
      { patch: 'scopes', id: accessScopeId, set: changes },
    );

  it('[WS-SCOPE-1] reads and writes three-part addresses, and shares them with its own scope only', async () => {
    const members = { acme: await joinIn(acme), other: await joinIn(other), none: await world.join() };
    const readers = { acme: await joinIn(acme), other: await joinIn(other), none: await world.join() };
    for (const reader of Object.values(readers)) await reader.subscribe(topic);
    for (const [name, writer] of Object.entries(members)) {
      expect(await writer.publish(topic, name, { msgRef: 'r' }).next()).to.include({ topic });
    }
    for (const [name, reader] of Object.entries(readers)) {
      expect(await reader.next()).to.deep.equal({ type: 'message', topic, data: name });
    }
  });

  it('[WS-SCOPE-1] cannot name a scope, neither its own nor another', async () => {
    const client = await joinIn(acme);
    for (const address of ['app-1/acme/lobby/news', 'app-1/other/lobby/news', 'app-1/_/lobby/news']) {
      expect(await client.ask({ type: 'subscribe', topic: address })).to.include({ error: 'unknown_topic' });
    }
  });

  it('[WS-SCOPE-2] is denied when the scope is inactive, deleted, or of another project', async () => {
    const asleep = await world.scope('asleep', { isActive: false });
    const foreign = await world.scope('foreign', { projectId: await world.project() });
    for (const accessScopeId of [asleep.accessScopeId, foreign.accessScopeId, 'no-such-scope']) {
      const { token } = await world.actor({ accessScopeId });
      expect(await (await world.connect()).ask({ type: 'auth', token })).to.deep.equal(denied);
    }
  });

  it('[WS-SCOPE-3] is closed with scope_inactive when the scope is deactivated, and no other is', async () => {
    const inside = [await joinIn(acme), await joinIn(acme)];
    const outside = [await joinIn(other), await world.join()];
    await scopeUpdated(acme.accessScopeId, { isActive: false });
    for (const client of inside) {
      expect(await client.closed).to.deep.equal({ code: 4001, reason: 'scope_inactive' });
    }
    await scopeUpdated(acme.accessScopeId, { isActive: true });
    for (const client of outside) await client.subscribe(topic);
    await joinIn(acme);
  });

  it('[WS-SCOPE-3] is closed with scope_inactive when the scope is deleted', async () => {
    const client = await joinIn(acme);
    const { accessScopeId } = acme;
    await world.happened(
      { type: 'ScopeDeleted', data: { accessScopeId } },
      { remove: 'scopes', id: accessScopeId },
    );
    expect(await client.closed).to.deep.equal({ code: 4001, reason: 'scope_inactive' });
  });

  it('[WS-SCOPE-3] is closed with scope_inactive when the scope ends while it authenticates', async () => {
    await world.close();
    let onRead: (() => Promise<void>) | undefined;
    await open({
      views: (real) =>
        overlaid(real, {
          get: async (view, id) => {
            const found = await real.get(view, id);
            if (view === 'scopes') await onRead?.();
            return found;
          },
        }),
    });
    onRead = async () => {
      onRead = undefined;
      await scopeUpdated(acme.accessScopeId, { isActive: false });
    };
    const { token } = await world.actor({ accessScopeId: acme.accessScopeId });
    const client = (await world.connect()).send({ type: 'auth', token });
    expect(await client.closed).to.deep.equal({ code: 4001, reason: 'scope_inactive' });
  });

  it('[WS-SCOPE-3] the revalidation finds an inactive scope that no event reported', async () => {
    await world.close();
    await open({ revalidationMs: 20 });
    const client = await joinIn(acme);
    await world.put({ patch: 'scopes', id: acme.accessScopeId, set: { isActive: false } });
    expect(await client.closed).to.deep.equal({ code: 4001, reason: 'scope_inactive' });
  });

  it('[WS-PRES-5] actors of different scopes do not see each other in one room', async () => {
    const [ann, bob, out] = [await joinIn(acme), await joinIn(other), await world.join()];
    for (const client of [ann, bob, out]) {
      client.send({ type: 'presence', roomId: 'lobby', data: {} });
      const list = (await client.ask({ type: 'getPresence', roomId: 'lobby' })) as { data: unknown[] };
      expect(list.data, 'itself alone').to.have.lengthOf(1);
    }
  });

  describe('that is moved while it is connected', () => {
    let mover: FrameClient;
    let actorTokenId: string;
    let inAcme: FrameClient;
    let inOther: FrameClient;

    const arrive = async () => {
      const { record, token } = await world.actor({ accessScopeId: acme.accessScopeId });
      ({ actorTokenId } = record);
      mover = await (await world.joinAs(token)).subscribe(topic, { filters: ['eu'] });
      inAcme = await (await joinIn(acme)).subscribe(topic);
      inOther = await (await joinIn(other)).subscribe(topic);
    };

    /** Until what it publishes arrives where it should, once; its subscriptions are there before. */
    const moved = async (to: FrameClient): Promise<void> => {
      const heard: unknown[] = [];
      let said = 0;
      await eventually(async () => {
        await mover.publish(topic, ++said, { msgRef: 'r' }).next();
        to.sendBytes(new Uint8Array());
        for (let frame = await to.next(); frame !== 'heartbeat'; frame = await to.next())
          heard.push(frame['data']);
        return heard.length > 0;
      });
      mover.publish(topic, 'I am here');
      while (heard.at(-1) !== 'I am here') heard.push(((await to.next()) as Frame)['data']);
      expect(new Set(heard).size).to.equal(heard.length);
    };

    beforeEach(arrive);

    it('[WS-SCOPE-4] publishes to the new scope, and its subscriptions follow with their options', async () => {
      await updated(actorTokenId, { accessScopeId: other.accessScopeId });
      await moved(inOther);
      const [old, fresh] = [await joinIn(acme), await joinIn(other)];
      await old.publish(topic, 'of the old scope', { filter: 'eu', msgRef: 'r' }).next();
      fresh.publish(topic, 'unfiltered').publish(topic, 'of the new scope', { filter: 'eu' });
      expect(await mover.next()).to.include({ data: 'of the new scope' });
      expect(await mover.ask({ type: 'unsubscribe', topic })).to.include({ type: 'unsubscribed' });
      await fresh.publish(topic, 'unheard', { filter: 'eu', msgRef: 'r' }).next();
      expect(await mover.ask({ type: 'unsubscribe', topic })).to.include({ type: 'unsubscribed' });
    });

    it('[WS-SCOPE-4] is no longer present in the room of the old scope', async () => {
      for (const client of [inAcme, mover]) client.send({ type: 'presence', roomId: 'lobby', data: {} });
      expect(await inAcme.next()).to.include({ type: 'presence', event: 'join' });
      await updated(actorTokenId, { accessScopeId: other.accessScopeId });
      expect(await inAcme.next()).to.deep.equal({
        type: 'presence',
        event: 'leave',
        data: { actor_token_id: actorTokenId },
      });
      await moved(inOther);
      const list = await inOther.ask({ type: 'getPresence', roomId: 'lobby' });
      expect(list).to.deep.equal({ type: 'presenceList', roomId: 'lobby', data: [] });
    });

    it('[WS-SCOPE-4] [WS-PRES-14] [WS-PRES-17] leaves all rooms of the old scope, and counts nothing there', async () => {
      const { appId } = await world.find('rooms', { slug: 'lobby' });
      await world.room(await world.find('apps', { appId }), 'hall');
      for (const roomId of ['lobby', 'hall']) mover.send({ type: 'presence', roomId, keep: true });
      expect(await mover.ask({ type: 'presence', roomId: 'lobby', mode: 'count' })).to.include({
        present: 1,
      });
      for (const roomId of ['lobby', 'hall']) inAcme.send({ type: 'presence', roomId, keep: true });
      expect(await mover.next()).to.include({ type: 'presence', roomId: 'hall', event: 'join' });
      expect(await mover.next()).to.include({ type: 'presenceCount', present: 2 });
      await updated(actorTokenId, { accessScopeId: other.accessScopeId });
      for (const roomId of [await inAcme.next(), await inAcme.next()].map(
        (frame) => (frame as Frame)['roomId'],
      ))
        expect(roomId).to.be.oneOf(['lobby', 'hall']);
      inAcme.send({ type: 'presence', roomId: 'lobby', leave: true });
      await moved(inOther);
    });

    it('[WS-FILTER-5] keeps the filters that it sets during the move', async () => {
      await updated(actorTokenId, { accessScopeId: other.accessScopeId });
      expect(await mover.ask({ type: 'setFilters', topic, filters: ['us'] })).to.include({
        type: 'filtersUpdated',
      });
      await moved(inOther);
      const fresh = await joinIn(other);
      fresh.publish(topic, 'former', { filter: 'eu' }).publish(topic, 'current', { filter: 'us' });
      expect(await mover.next()).to.include({ data: 'current' });
    });

    it('[WS-SCOPE-4] is denied by its new scope and no longer by its old one', async () => {
      await updated(actorTokenId, { accessScopeId: other.accessScopeId });
      await scopeUpdated(acme.accessScopeId, { isActive: false });
      expect(await inAcme.closed).to.include({ reason: 'scope_inactive' });
      await mover.subscribe(topic);
      await scopeUpdated(other.accessScopeId, { isActive: false });
      expect(await mover.closed).to.deep.equal({ code: 4001, reason: 'scope_inactive' });
    });

    it('[WS-SCOPE-4] out of every scope, shares addresses with actors without a scope', async () => {
      const unscoped = await (await world.join()).subscribe(topic);
      await updated(actorTokenId, { accessScopeId: null });
      await moved(unscoped);
    });

    it('[WS-SCOPE-4] is closed when the new scope is inactive', async () => {
      const asleep = await world.scope('asleep', { isActive: false });
      await updated(actorTokenId, { accessScopeId: asleep.accessScopeId });
      expect(await mover.closed).to.deep.equal({ code: 4001, reason: 'scope_inactive' });
    });

    it('[WS-SCOPE-4] follows a rename of its scope and of nothing else', async () => {
      await scopeUpdated(acme.accessScopeId, { name: 'Acme & Sons' });
      (await joinIn(acme)).publish(topic, 'still here', { filter: 'eu' });
      expect(await mover.next()).to.include({ data: 'still here' });
    });
  });

  describe('that is moved while it subscribes', () => {
    it('[WS-SCOPE-4] is subscribed in the new scope, and never in the old one', async () => {
      await world.close();
      let allow: () => void = () => undefined;
      const allowed = new Promise<void>((resolve) => (allow = resolve));
      const attended: string[] = [];
      await open({
        bus: joiningAfter((room) => {
          attended.push(room);
          return room.includes('/acme/') ? allowed : undefined;
        }),
      });
      const { record, token } = await world.actor({ accessScopeId: acme.accessScopeId });
      const client = (await world.joinAs(token)).send({ type: 'subscribe', topic });
      await eventually(() => attended.length === 1);
      await updated(record.actorTokenId, { accessScopeId: other.accessScopeId });
      const [old, fresh] = [await joinIn(acme), await joinIn(other)];
      // Frames after the subscribe wait for it, and it waits until the move is known.
      await eventually(async () => {
        const [actor] = await world.views.find('actors', { filter: { actorTokenId: record.actorTokenId } });
        return actor?.accessScopeId === other.accessScopeId;
      });
      await new Promise(setImmediate);
      allow();
      expect(await client.next()).to.include({ type: 'subscribed' });
      old.publish(topic, 'old');
      fresh.publish(topic, 'new');
      expect(await client.next()).to.include({ data: 'new' });
      expect(attended.map((key) => key.split('/')[2])).to.eql(['acme', 'other']);
    });
  });

  it('[WS-SCOPE-4] moves subscriptions that failed to move once the bus is available again', async () => {
    await world.close();
    let isAway = false;
    let refusals = 0;
    await open({
      bus: joiningAfter(() => {
        if (!isAway) return;
        refusals++;
        throw new Error('away');
      }),
    });
    const { record, token } = await world.actor({ accessScopeId: acme.accessScopeId });
    const client = await (await world.joinAs(token)).subscribe(topic);
    isAway = true;
    await updated(record.actorTokenId, { accessScopeId: other.accessScopeId });
    await eventually(() => refusals > 0);
    (await joinIn(acme)).publish(topic, 'old');
    isAway = false;
    const fresh = await joinIn(other);
    const arrival = client.next();
    let frame: unknown;
    void arrival.then((got) => (frame = got));
    await eventually(() => {
      if (frame === undefined) fresh.publish(topic, 'new');
      return frame !== undefined;
    });
    expect(frame).to.include({ data: 'new' });
  });
});
