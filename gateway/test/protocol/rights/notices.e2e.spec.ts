import { expect } from 'chai';
import type { AppChanges } from '@roomwire/shared/domain/app';
import type { App } from '@roomwire/shared/domain/app';
import type { Grant, Room, RoomChanges } from '@roomwire/shared/domain/room';
import { clientToken } from '@roomwire/testing/clients/clientTokens';
import type { FrameClient } from '@roomwire/testing/clients/frameClient';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { eventually } from '@roomwire/testing/run/eventually';
import { joiningAfter } from '../../support/joiningAfter.js';
import { overlaid } from '../../support/overlaid.js';
import { World, type WorldOptions } from '../../support/world.js';

const topic = 'app-1/lobby/news';

describe('notices', () => {
  let world: World;
  let clock: ManualClock;

  const open = async (options: WorldOptions = {}) => {
    clock = new ManualClock();
    world = await World.open({ clock, expirySweepMs: 5, ...options });
  };

  beforeEach(() => open());
  afterEach(() => world.close());

  const connect = async (token: string): Promise<FrameClient> => {
    const client = await world.connect();
    const reply = await client.ask({ type: 'auth', token, protocolVersion: 2, notices: true });
    expect(reply).to.include({ type: 'auth', success: true });
    return client;
  };

  /** What it gets before the answer to a heartbeat, at which what is due is told. */
  const told = async (client: FrameClient): Promise<readonly unknown[]> => {
    const frames: unknown[] = [];
    client.sendBytes(new Uint8Array());
    for (let frame = await client.next(); frame !== 'heartbeat'; frame = await client.next())
      frames.push(frame);
    return frames;
  };

  it('[WS-NOTICE-1] are for clients that ask for them, with a boolean', async () => {
    const { token } = await world.actor();
    const stranger = await world.connect();
    expect(await stranger.ask({ type: 'auth', token, notices: 'yes' })).to.include({
      error: 'invalid_frame',
    });
    expect(await stranger.ask({ type: 'auth', token, notices: true })).not.to.have.property('notices');
  });

  describe('of a token that expires', () => {
    let key: Awaited<ReturnType<World['signingKey']>>;
    let keyId: string;

    const inSeconds = (count: number) => Math.floor(clock.now() / 1_000) + count;
    const tokenFor = (seconds: number) => clientToken(key, keyId, { exp: inSeconds(seconds) });

    beforeEach(async () => {
      key = await world.signingKey();
      keyId = (await world.actor()).record.keyId;
    });

    it('[WS-NOTICE-1] come 30 seconds before, once, and then its end', async () => {
      const authExpiresAt = inSeconds(120);
      const client = await connect(tokenFor(120));
      clock.pass(89_999);
      expect(await told(client)).to.eql([]);
      clock.pass(1);
      expect(await client.next()).to.deep.equal({ type: 'tokenExpiring', authExpiresAt });
      clock.pass(29_999);
      expect(await told(client)).to.eql([]);
      clock.pass(1);
      expect(await client.next()).to.include({ type: 'disconnect' });
      expect(await client.closed).to.include({ code: 4003 });
    });

    it('[WS-NOTICE-1] come at half of its life where that is shorter', async () => {
      const client = await connect(tokenFor(10));
      clock.pass(4_999);
      expect(await told(client)).to.eql([]);
      clock.pass(1);
      expect(await client.next()).to.include({ type: 'tokenExpiring' });
    });

    it('[WS-NOTICE-1] come anew with each token, and not under one that does not expire', async () => {
      const client = await connect(tokenFor(60));
      clock.pass(30_000);
      expect(await client.next()).to.include({ type: 'tokenExpiring' });
      const renewed = inSeconds(40);
      await client.ask({ type: 'reauth', token: tokenFor(40) });
      expect(await told(client)).to.eql([]);
      clock.pass(10_000);
      expect(await client.next()).to.deep.equal({ type: 'tokenExpiring', authExpiresAt: renewed });
      await client.ask({ type: 'reauth', token: clientToken(key, keyId) });
      clock.pass(3_600_000);
      expect(await told(client)).to.eql([]);
    });

    it('[WS-NOTICE-1] do not come to clients that have not asked for them', async () => {
      const client = await world.joinAs(tokenFor(60));
      clock.pass(59_999);
      expect(await told(client)).to.eql([]);
    });
  });

  describe('of a subscription whose rights end', () => {
    let app: App;
    let room: Room;
    let client: FrameClient;
    let silent: FrameClient;
    let actorTokenId: string;

    const prepare = async (fields: Partial<App> = {}) => {
      app = await world.app('app-1', fields);
      room = await world.room(app, 'lobby');
      const { record, token } = await world.actor();
      ({ actorTokenId } = record);
      [client, silent] = [await connect(token), await world.joinAs(token)];
    };

    const subscribed = async () => {
      for (const one of [client, silent]) await one.subscribe(topic);
    };

    const granted = async (fields: Partial<Grant>): Promise<Grant> => {
      const grant = await world.grant(room, fields);
      await world.happened({ type: 'RoomGrantAdded', data: grant });
      return grant;
    };

    const revoked = ({ roomActorAccessId, appId, roomId }: Grant) =>
      world.happened(
        { type: 'RoomGrantRevoked', data: { appId, roomId, roomActorAccessId } },
        { remove: 'grants', id: roomActorAccessId },
      );

    const roomUpdated = ({ appId, roomId }: Room, changes: RoomChanges) =>
      world.happened(
        { type: 'RoomUpdated', data: { appId, roomId, changes } },
        { patch: 'rooms', id: roomId, set: changes },
      );

    const appUpdated = ({ appId }: App, changes: AppChanges) =>
      world.happened(
        { type: 'AppUpdated', data: { appId, changes } },
        { patch: 'apps', id: appId, set: changes },
      );

    /** The one that asked hears of it, and the one that did not has no subscription either. */
    const endedFor = async (reason: string) => {
      expect(await client.next()).to.deep.equal({ type: 'subscriptionEnded', topic, reason });
      expect(await told(client)).to.eql([]);
      for (const one of [client, silent])
        await eventually(async () => {
          const reply = await one.ask({ type: 'setFilters', topic, filters: [] });
          return reply !== 'heartbeat' && reply['error'] === 'not_subscribed';
        });
    };

    beforeEach(() => prepare());

    it('[WS-NOTICE-2] grant_required: the room has got its first grant', async () => {
      await subscribed();
      await granted({ actorType: 'service' });
      await endedFor('grant_required');
    });

    it('[WS-NOTICE-2] grant_required: the app has become private', async () => {
      await subscribed();
      await appUpdated(app, { config: { accessMode: 'private' } });
      await endedFor('grant_required');
    });

    it('[WS-NOTICE-2] grant_required: the first grants let it do something else', async () => {
      await subscribed();
      await granted({ actorTokenId, permission: 'publish' });
      await endedFor('grant_required');
    });

    it('[WS-NOTICE-2] grant_revoked: its grant is gone', async () => {
      await granted({ actorType: 'service' });
      const grant = await granted({ actorTokenId });
      await subscribed();
      await revoked(grant);
      await endedFor('grant_revoked');
    });

    it('[WS-NOTICE-2] grant_revoked: its grant is gone, and the app is private', async () => {
      await appUpdated(app, { config: { accessMode: 'private' } });
      const grant = await granted({ actorTokenId });
      await subscribed();
      await revoked(grant);
      await endedFor('grant_revoked');
    });

    it('[WS-NOTICE-2] grant_revoked: its grant is inactive', async () => {
      const { roomActorAccessId } = await granted({ actorTokenId });
      await subscribed();
      await world.put({ patch: 'grants', id: roomActorAccessId, set: { isActive: false } });
      await roomUpdated(room, { name: 'Lobby' });
      await endedFor('grant_revoked');
    });

    it('[WS-NOTICE-2] grant_expired', async () => {
      await granted({ actorTokenId, expiresAt: new Date(clock.now() + 1_000).toISOString() });
      await subscribed();
      clock.pass(1_000);
      await endedFor('grant_expired');
    });

    it('[WS-NOTICE-2] grant_expired: it had expired when it was made', async () => {
      await subscribed();
      await granted({ actorTokenId, expiresAt: '2020-01-01T00:00:00.000Z' });
      await endedFor('grant_expired');
    });

    it('[WS-NOTICE-2] room_disabled', async () => {
      await subscribed();
      await roomUpdated(room, { status: 'disabled' });
      await endedFor('room_disabled');
    });

    it('[WS-NOTICE-2] room_deleted', async () => {
      await subscribed();
      const { appId, roomId } = room;
      await world.happened({ type: 'RoomDeleted', data: { appId, roomId } }, { remove: 'rooms', id: roomId });
      await endedFor('room_deleted');
    });

    it('[WS-NOTICE-2] app_disabled', async () => {
      await subscribed();
      await appUpdated(app, { status: 'disabled' });
      await endedFor('app_disabled');
    });

    it('[WS-NOTICE-2] app_deleted', async () => {
      await subscribed();
      const { appId } = app;
      await world.happened({ type: 'AppDeleted', data: { appId } }, { remove: 'apps', id: appId });
      await endedFor('app_deleted');
    });

    it('[WS-NOTICE-2] app_deleted: another one has its slug', async () => {
      await subscribed();
      const { appId } = app;
      await world.put({ remove: 'apps', id: appId });
      await world.app('app-1');
      await world.happened({ type: 'AppDeleted', data: { appId } });
      await endedFor('app_deleted');
    });

    it('[WS-NOTICE-2] topic_removed: from the room, or from the app', async () => {
      await subscribed();
      await roomUpdated(room, { topics: ['chat'] });
      await endedFor('topic_removed');
      await roomUpdated(room, { topics: ['news'] });
      await subscribed();
      await appUpdated(app, { topics: ['chat'] });
      await endedFor('topic_removed');
    });

    it('[WS-NOTICE-2] address_changed: the app has another slug', async () => {
      await subscribed();
      await appUpdated(app, { slug: 'renamed' });
      await endedFor('address_changed');
      await client.subscribe('renamed/lobby/news');
    });

    it('[WS-NOTICE-2] capability: see WS-CAP-5; and the reply to the reauth comes first', async () => {
      const key = await world.signingKey();
      const { keyId } = (await world.actor()).record;
      client = await connect(clientToken(key, keyId));
      silent = await world.joinAs(clientToken(key, keyId));
      await subscribed();
      const token = clientToken(key, keyId, { roomwire: { capabilities: {} } });
      for (const one of [client, silent])
        expect(await one.ask({ type: 'reauth', token })).to.include({ type: 'reauth', success: true });
      await endedFor('capability');
    });

    it('[WS-NOTICE-3] come behind `subscribed`, also where the rights ended during the subscribe', async () => {
      await world.close();
      let isAsked = false;
      let allow: () => void = () => undefined;
      const allowed = new Promise<void>((resolve) => (allow = resolve));
      await open({ bus: joiningAfter(() => ((isAsked = true), allowed)) });
      await prepare();
      await granted({ actorTokenId, expiresAt: new Date(clock.now() + 1_000).toISOString() });
      client.send({ type: 'subscribe', topic });
      await eventually(() => isAsked);
      clock.pass(1_000);
      allow();
      expect(await client.next()).to.include({ type: 'subscribed' });
      expect(await client.next()).to.include({ type: 'subscriptionEnded', reason: 'grant_expired' });
    });

    it('[WS-NOTICE-3] leave nothing to set filters of, also of a member whose change of filters waits', async () => {
      await world.close();
      let isChanging = false;
      let isAsked = false;
      const bus: WorldOptions['bus'] = (real) =>
        overlaid(real, {
          send: async (channel, record, acknowledgement) => {
            const { kind } = record as { readonly kind?: unknown };
            isAsked ||= isChanging && kind === 'join';
            if (isAsked) throw new Error('away');
            return real.send(channel, record, acknowledgement);
          },
        });
      await open({ bus });
      await prepare();
      await granted({ actorTokenId, expiresAt: new Date(clock.now() + 1_000).toISOString() });
      await client.subscribe(topic, { loadBalance: true });
      isChanging = true;
      client.send({ type: 'setFilters', topic, filters: ['eu'] });
      await eventually(() => isAsked, { what: 'the change waits' });
      clock.pass(1_000);
      expect(await client.next()).to.include({ type: 'subscriptionEnded', reason: 'grant_expired' });
      expect(await client.next()).to.include({ type: 'error', error: 'not_subscribed' });
    });

    it('[WS-NOTICE-2] scope_changed: its actor has moved to a scope in which it may not be there', async () => {
      await world.close();
      let isMoving = false;
      let refusals = 0;
      const join = (): Promise<void> => {
        if (!isMoving) return Promise.resolve();
        refusals++;
        return Promise.reject(new Error('away'));
      };
      await open({ bus: joiningAfter(join) });
      await prepare();
      await subscribed();
      isMoving = true;
      const { accessScopeId } = await world.scope('acme');
      await world.happened(
        { type: 'ActorUpdated', data: { actorTokenId, changes: { accessScopeId } } },
        { patch: 'actors', id: actorTokenId, set: { accessScopeId } },
      );
      await eventually(() => refusals >= 2);
      await roomUpdated(room, { status: 'disabled' });
      isMoving = false;
      await endedFor('scope_changed');
    });

    it('[WS-NOTICE-3] do not come for what the client has ended itself', async () => {
      await subscribed();
      await client.ask({ type: 'unsubscribe', topic });
      await granted({ actorType: 'service' });
      await eventually(async () => {
        const reply = await client.ask({ type: 'subscribe', topic });
        return reply !== 'heartbeat' && reply['error'] === 'unknown_topic';
      });
    });

    it('[WS-NOTICE-3] leave other subscriptions as they are, and the topic free to be subscribed to again', async () => {
      const other = `app-1/${(await world.roomInLine(room)).slug}/news`;
      await client.subscribe(other);
      await subscribed();
      const grant = await granted({ actorType: 'service' });
      await endedFor('grant_required');
      await revoked(grant);
      await eventually(async () => {
        const reply = await client.ask({ type: 'subscribe', topic });
        return reply !== 'heartbeat' && reply['type'] === 'subscribed';
      });
      (await world.join()).publish(topic, 'again').publish(other, 'as before');
      expect(await client.next()).to.include({ data: 'again' });
      expect(await client.next()).to.include({ data: 'as before' });
    });

    it('[WS-NOTICE-2] wait for the records where these do not say what has become of the address', async () => {
      await world.close();
      let isAway = false;
      let failures = 0;
      await open({
        views: (real) =>
          overlaid(real, {
            get: (view, id) => {
              if (!isAway || view !== 'apps') return real.get(view, id);
              failures++;
              return Promise.reject(new Error('away'));
            },
          }),
      });
      await prepare();
      await subscribed();
      const { appId } = app;
      isAway = true;
      await world.happened({ type: 'AppDeleted', data: { appId } }, { remove: 'apps', id: appId });
      await eventually(() => failures > 0);
      isAway = false;
      await endedFor('app_deleted');
    });
  });
});
