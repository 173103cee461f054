import { expect } from 'chai';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { ObserverKeys, observerId } from '@roomwire/shared/credentials/observerToken';
import type { ConsoleSession } from '@roomwire/shared/domain/consoleAccess';
import { unlimitedPlan } from '@roomwire/shared/domain/organization';
import {
  createdSessionRevocation,
  type SessionRevocationFields,
} from '@roomwire/shared/domain/sessionRevocation';
import * as records from '@roomwire/testing/builders/records';
import type { Frame, FrameClient } from '@roomwire/testing/clients/frameClient';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { changedMeanwhile } from '../../support/changedMeanwhile.js';
import { nextPosition } from '../../support/estate.js';
import { World } from '../../support/world.js';

const denied = { type: 'auth', success: false, error: 'access_denied' };
const readOnly = { type: 'error', error: 'observer_read_only', code: 42942 };
const revoked = { code: 4001, reason: 'token_revoked' };

describe('an observer of the console', () => {
  let world: World;
  let clock: ManualClock;

  beforeEach(async () => {
    clock = new ManualClock();
    world = await World.open({ clock, expirySweepMs: 5, connectionsPerActor: 2 });
  });
  afterEach(() => world.close());

  const seconds = () => Math.floor(clock.now() / 1_000);
  const sessionOf = (fields: Partial<ConsoleSession> = {}): ConsoleSession => ({
    ...{ organizationId: world.organizationId, subject: 'ada', principal: 'session:ada', isOperator: false },
    ...{ tokenId: 'j1', issuedAt: seconds(), ...fields },
  });
  const tokenOf = ({
    accessScopeId = null,
    session = sessionOf(),
    keys = world.observerKeys,
    lasts = 3_600,
  }: {
    readonly accessScopeId?: string | null;
    readonly session?: ConsoleSession;
    readonly keys?: ObserverKeys;
    readonly lasts?: number;
  } = {}) =>
    keys.mint(
      { projectId: world.projectId, accessScopeId, session },
      { issuedAt: seconds(), expiresAt: seconds() + lasts },
    );
  const ask = async (token: string) =>
    (await (await world.connect()).ask({ type: 'auth', token, protocolVersion: 2 })) as Frame;
  const observe = (fields?: Parameters<typeof tokenOf>[0]): Promise<FrameClient> =>
    world.joinAs(tokenOf(fields));
  const subscribe = (client: FrameClient, topic: string) =>
    client.ask({ type: 'subscribe', topic }) as Promise<Frame>;
  const publish = async (topic: string, data: string, fields = {}): Promise<void> => {
    const client = await world.join(fields);
    expect(await client.ask({ type: 'publish', topic, data, msgRef: data })).to.include({
      type: 'published',
    });
  };
  const revokeSessions = async (fields: Partial<SessionRevocationFields>, on = world): Promise<void> => {
    const data = {
      ...{ revocationId: systemRandom.uuid(), organizationId: on.organizationId },
      ...{ jti: null, subject: null, byOperator: false, ...fields },
    };
    const at = '2026-01-01T00:00:00.000Z';
    const doc = { ...createdSessionRevocation(data, at), createdPosition: nextPosition() };
    await on.happened(
      { type: 'SessionRevoked', data },
      { put: 'sessionRevocations', id: data.revocationId, doc },
    );
  };
  const isAlive = async (client: FrameClient) =>
    expect(await client.ask({ type: 'unsubscribe', topic: 'a' })).to.include({ type: 'unsubscribed' });

  it('[WS-OBS-1] is made by a token that the service has signed, and by no other', async () => {
    expect(await ask(tokenOf())).to.deep.equal({
      ...{ type: 'auth', success: true, actorTokenId: observerId(world.projectId, 'session:ada') },
      ...{ projectId: world.projectId, actorType: 'observer', protocolVersion: 2, restoredSubscriptions: [] },
    });
    const token = tokenOf();
    expect(
      await ask(tokenOf({ keys: new ObserverKeys({ current: new Uint8Array(32).fill(6) }) })),
    ).to.deep.equal(denied);
    const [head, , signature] = token.split('.');
    const [, other] = tokenOf({ session: sessionOf({ principal: 'session:eve' }) }).split('.');
    expect(await ask(`${head}.${other}.${signature}`)).to.deep.equal(denied);
    expect(await ask(tokenOf({ lasts: -1 }))).to.deep.equal({ ...denied, error: 'token_expired' });
  });

  it('[WS-OBS-2] gets what goes through every room that is open to anybody, in the scope of its token', async () => {
    const app = await world.app('app-1', { config: { accessMode: 'private' } });
    const room = await world.room(app, 'lobby');
    await world.grant(room, { actorType: 'device' });
    await world.room(app, 'closed', { status: 'disabled' });
    const scope = await world.scope('tenant-a');
    const [outside, inside] = [await observe(), await observe({ accessScopeId: scope.accessScopeId })];
    const topic = 'app-1/lobby/news';
    for (const client of [outside, inside]) {
      expect(await subscribe(client, topic)).to.include({ type: 'subscribed' });
      expect(await subscribe(client, 'app-1/closed/news')).to.include({ error: 'unknown_topic' });
      expect(await client.ask({ type: 'getPresence', roomId: 'app-1/lobby' })).to.include({
        type: 'presenceList',
      });
    }
    await publish(topic, 'hidden', { actorType: 'device', accessScopeId: scope.accessScopeId });
    await publish(topic, 'seen', { actorType: 'device' });
    expect(await inside.next()).to.include({ data: 'hidden' });
    expect(await outside.next()).to.include({ data: 'seen' });
  });

  it('[WS-OBS-2] loses a room that is closed to all', async () => {
    const topic = await world.newsroom();
    const observer = await observe();
    await subscribe(observer, topic);
    const { appId, roomId } = await world.find('rooms', { slug: 'lobby' });
    await world.happened(
      { type: 'RoomUpdated', data: { appId, roomId, changes: { status: 'disabled' } } },
      { patch: 'rooms', id: roomId, set: { status: 'disabled' } },
    );
    expect(await subscribe(observer, topic)).to.include({ error: 'unknown_topic' });
  });

  it('[WS-OBS-3] is told that it only reads, and stays', async () => {
    const topic = await world.newsroom();
    const observer = await observe();
    expect(await observer.ask({ type: 'publish', topic, data: 'x', msgRef: 'r' })).to.include({
      ...readOnly,
      topic,
      msgRef: 'r',
    });
    expect(
      await observer.ask({ type: 'subscribe', topic, loadBalance: true, loadBalanceGroup: 'workers' }),
    ).to.include({ ...readOnly, topic });
    expect(await observer.ask({ type: 'presence', roomId: 'app-1/lobby', data: {} })).to.include({
      ...readOnly,
      roomId: 'app-1/lobby',
    });
    await isAlive(observer);
  });

  it('[WS-OBS-4] is seen by nobody', async () => {
    const topic = await world.newsroom();
    const [member, observer] = [await world.join(), await observe()];
    await world.announce(member, 'app-1/lobby', { here: true });
    await subscribe(observer, topic);
    await subscribe(member, topic);
    const room = `${world.projectId}/app-1/_/lobby`;
    expect(await world.gateway.liveState.occupancy([room])).to.deep.equal([{ present: 1, subscribers: 1 }]);
    const { data } = (await observer.ask({ type: 'getPresence', roomId: 'app-1/lobby' })) as {
      readonly data?: readonly unknown[];
    };
    expect(data).to.have.length(1);
  });

  it('[WS-OBS-5] takes no place of the plan, but is one of few connections of its user', async () => {
    await world.put({
      put: 'organizations',
      id: world.organizationId,
      doc: { ...records.organization(world.organizationId), plan: { ...unlimitedPlan, maxConnections: 1 } },
    });
    const observers = [await observe(), await observe()];
    expect(await ask(tokenOf())).to.include({ error: 'connection_limit_reached' });
    expect(await ask(tokenOf({ session: sessionOf({ principal: 'session:eve' }) }))).to.include({
      success: true,
    });
    const member = await world.join();
    expect(await ask((await world.actor()).token)).to.include({ error: 'connection_limit_reached' });
    for (const client of [...observers, member]) await isAlive(client);
  });

  it('[WS-OBS-6] goes on with the next token of its user, also in another scope', async () => {
    const topic = await world.newsroom();
    const scope = await world.scope('tenant-a');
    const observer = await observe();
    await subscribe(observer, topic);
    const another = tokenOf({ session: sessionOf({ principal: 'session:eve' }) });
    expect(await observer.ask({ type: 'reauth', token: another })).to.include({ error: 'actor_mismatch' });
    const next = tokenOf({ accessScopeId: scope.accessScopeId, session: sessionOf({ tokenId: 'j2' }) });
    expect(await observer.ask({ type: 'reauth', token: next })).to.include({ success: true });
    await isAlive(observer);
    await publish(topic, 'there', { accessScopeId: scope.accessScopeId });
    expect(await observer.next()).to.include({ data: 'there' });
  });

  for (const [what, fields] of [
    ['by its id', { jti: 'j1' }],
    ['with all of its subject', { subject: 'ada' }],
  ] as const)
    it(`[WS-OBS-7] ends with the session that it stands for, revoked ${what}, and is refused then`, async () => {
      clock.pass(1_500);
      const issuedAt = Date.parse('2025-12-31T00:00:00.000Z') / 1_000;
      const session = sessionOf({ issuedAt });
      const observer = await observe({ session });
      const other = await observe({
        session: sessionOf({ tokenId: 'j2', issuedAt, principal: 'session:eve', subject: 'eve' }),
      });
      await revokeSessions({ ...fields, organizationId: systemRandom.uuid() });
      await isAlive(observer);
      await revokeSessions(fields);
      expect(await observer.closed).to.deep.equal(revoked);
      expect(await ask(tokenOf({ session }))).to.deep.equal(denied);
      await isAlive(other);
    });

  it('[WS-OBS-7] of an operator ends by operators alone', async () => {
    const session = sessionOf({ isOperator: true });
    const observer = await observe({ session });
    await revokeSessions({ jti: 'j1' });
    await isAlive(observer);
    await revokeSessions({ jti: 'j1', byOperator: true, organizationId: systemRandom.uuid() });
    expect(await observer.closed).to.deep.equal(revoked);
  });

  it('[WS-OBS-7] ends where nobody has said that its session was revoked, and with its organization', async () => {
    const session = sessionOf();
    const observer = await observe({ session });
    const data = {
      ...{ revocationId: systemRandom.uuid(), organizationId: world.organizationId },
      ...{ jti: 'j1', subject: null, byOperator: false },
    };
    const doc = {
      ...createdSessionRevocation(data, '2026-01-01T00:00:00.000Z'),
      createdPosition: nextPosition(),
    };
    await world.put({ put: 'sessionRevocations', id: data.revocationId, doc });
    await world.tell('ProjectUpdatedByAFutureRelease', {}, 1);
    expect(await observer.closed).to.deep.equal(revoked);

    const another = await observe({ session: sessionOf({ tokenId: 'j2' }) });
    const { organizationId } = world;
    const suspended = { ...records.organization(organizationId), status: 'suspended' as const };
    await world.happened(
      { type: 'OrganizationUpdated', data: { organizationId, changes: { status: 'suspended' } } },
      { put: 'organizations', id: organizationId, doc: suspended },
    );
    expect(await another.closed).to.deep.equal(revoked);
  });

  it('[WS-OBS-7] ends with its token', async () => {
    const observer = await observe({ lasts: 10 });
    clock.pass(10_000);
    expect(await observer.closed).to.deep.equal({ code: 4003, reason: 'token_expired' });
  });

  it('[WS-OBS-7] ends where its session is revoked while it authenticates', async () => {
    const { world: racing, change } = await changedMeanwhile();
    const session = { ...sessionOf(), organizationId: racing.organizationId };
    const seconds = Math.floor(Date.now() / 1_000);
    const token = racing.observerKeys.mint(
      { projectId: racing.projectId, accessScopeId: null, session },
      { issuedAt: seconds, expiresAt: seconds + 600 },
    );
    change(() => revokeSessions({ jti: 'j1' }, racing));
    const client = (await racing.connect()).send({ type: 'auth', token });
    const reply = await Promise.race([client.closed, client.next()]);
    // It is found by the look-up, or by the change that came meanwhile.
    if ((reply as { success?: boolean }).success === false) expect(reply).to.deep.equal(denied);
    else expect(await client.closed).to.deep.equal(revoked);
    await racing.close();
  });
});
