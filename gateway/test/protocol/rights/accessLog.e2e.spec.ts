import { expect } from 'chai';
import { createSecretBox } from '@roomwire/shared/credentials/secretBox';
import { unlimitedPlan } from '@roomwire/shared/domain/organization';
import type { Refusal } from '@roomwire/shared/ports/accessLog';
import { clientToken } from '@roomwire/testing/clients/clientTokens';
import type { FrameClient } from '@roomwire/testing/clients/frameClient';
import * as records from '@roomwire/testing/builders/records';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { eventually } from '@roomwire/testing/run/eventually';
import { overlaid } from '../../support/overlaid.js';
import { World } from '../../support/world.js';

const otherBox = createSecretBox({ current: new Uint8Array(32).fill(9) });

describe('what the gateway tells the access log', () => {
  let world: World;
  let clock: ManualClock;
  let refusals: Refusal[];
  let reads: number;
  /** Whether projects cannot be read. */
  let isAway: boolean;

  beforeEach(async () => {
    [clock, refusals, reads, isAway] = [new ManualClock(), [], 0, false];
    world = await World.open({
      ...{ clock, expirySweepMs: 5, connectionsPerActor: 2 },
      accessRecorder: { refused: (refusal) => void refusals.push(refusal) },
      views: (real) =>
        overlaid(real, {
          get: async (view, id) => {
            reads++;
            if (isAway && view === 'projects') throw new Error('away');
            return real.get(view, id);
          },
        }),
    });
  });
  afterEach(() => world.close());

  const attempt = async (token: string): Promise<unknown> =>
    (await world.connect()).ask({ type: 'auth', token });
  const denied = { type: 'auth', success: false, error: 'access_denied' };
  const wrong = (token: string) => token.replace(/.{10}$/, 'aaaaaaaaaa');
  const whenTold = (count: number) =>
    eventually(() => refusals.length >= count, { what: `${count} refusals` });
  const told = () => refusals.map(({ principal, reason }) => `${principal} ${reason}`);
  const of = (keyId: string, fields: Partial<Refusal>): Refusal => ({
    ...{ organizationId: world.organizationId, projectId: world.projectId, principal: `actor:${keyId}` },
    ...{ address: '127.0.0.1', method: 'WS', route: 'auth', status: 401, reason: '', ...fields },
  });

  it('[WS-AUTH-4] has the reason of a refused access token that is known, and nothing of another', async () => {
    const { record, token } = await world.actor();
    expect(await attempt(`at_live_0123456789abcdef01234567.${'a'.repeat(43)}`)).to.eql(denied);
    expect(await attempt('junk')).to.eql(denied);
    expect(await attempt(wrong(token))).to.eql(denied);
    await whenTold(1);
    expect(refusals).to.eql([of(record.keyId, { reason: 'wrong_secret' })]);
    const scope = await world.scope('closed', { isActive: false });
    const { organizationId } = world;
    const actors = [
      ['actor_disabled', await world.actor({ status: 'disabled' })],
      ['actor_expired', await world.actor({ expiresAt: new Date(clock.now()).toISOString() })],
      ['scope_inactive', await world.actor({ accessScopeId: scope.accessScopeId })],
    ] as const;
    for (const [, actor] of actors) expect(await attempt(actor.token)).to.eql(denied);
    await world.put({ patch: 'organizations', id: organizationId, set: { status: 'suspended' } });
    const suspended = await world.actor();
    expect(await attempt(suspended.token)).to.eql(denied);
    await whenTold(5);
    expect(refusals.slice(1)).to.eql([
      ...actors.map(([reason, actor]) => of(actor.record.keyId, { reason })),
      of(suspended.record.keyId, { reason: 'organization_suspended' }),
    ]);
    expect(JSON.stringify(refusals))
      .to.not.include(token.split('.')[1]?.slice(0, 20))
      .and.not.include('aaaa');
  });

  it('[WS-AUTH-9] has the reason of a refused client token whose signing key is known', async () => {
    const [key, disabled] = [await world.signingKey(), await world.signingKey({ status: 'disabled' })];
    const { record } = await world.actor();
    const stranger = await world.actor({}, await world.project());
    const now = Math.floor(clock.now() / 1_000);
    const refused = [
      ['bad_signature', clientToken({ ...key, secret: 'guessed' }, record.keyId)],
      ['not_yet_valid', clientToken(key, record.keyId, { nbf: now + 60 })],
      ['token_expired', clientToken(key, record.keyId, { exp: now })],
      ['actor_missing', clientToken(key, 'at_live_nobody')],
      ['other_project', clientToken(key, stranger.record.keyId)],
      ['signing_key_inactive', clientToken(disabled, record.keyId)],
    ] as const;
    for (const [reason, token] of refused) {
      const error = reason === 'token_expired' ? reason : 'access_denied';
      expect(await attempt(token), reason).to.eql({ ...denied, error });
    }
    const sealed = await world.signingKey({ sealedSecret: otherBox.seal('whatever', 'x') });
    const error = 'authentication_failed';
    expect(await attempt(clientToken(sealed, record.keyId))).to.eql({ ...denied, error });
    await whenTold(refused.length + 1);
    expect(told().at(-1)).to.equal(`signingKey:${sealed.record.keyId} signing_key_unopenable`);
    expect(await attempt(clientToken({ ...key, record: { keyId: 'sk_live_unknown' } }, 'x'))).to.eql(denied);
    const keyOf = (reason: string) => (reason === 'signing_key_inactive' ? disabled : key);
    expect(refusals.slice(0, -1)).to.eql(
      refused.map(([reason]) => of('', { principal: `signingKey:${keyOf(reason).record.keyId}`, reason })),
    );
  });

  it('[WS-AUTH-18] has each repetition, which costs no read', async () => {
    const { token } = await world.actor();
    expect(await attempt(wrong(token))).to.eql(denied);
    await whenTold(1);
    reads = 0;
    for (let again = 0; again < 3; again++) expect(await attempt(wrong(token))).to.eql(denied);
    expect([refusals.length, reads]).to.eql([4, 0]);
  });

  it('delays and fails no answer while nobody can tell whose the credential is', async () => {
    const [first, second] = [await world.actor(), await world.actor()];
    isAway = true;
    expect(await attempt(wrong(first.token))).to.eql(denied);
    isAway = false;
    expect(await attempt(wrong(second.token))).to.eql(denied);
    await whenTold(1);
    expect(told()).to.eql([`actor:${second.record.keyId} wrong_secret`]);
  });

  it('[WS-REAUTH-1] has a reauth that failed, also for another actor', async () => {
    const [own, other] = [await world.actor(), await world.actor()];
    const client = await world.joinAs(own.token);
    for (const token of [wrong(own.token), other.token])
      expect(await client.ask({ type: 'reauth', token })).to.include({ type: 'reauth', success: false });
    await whenTold(2);
    expect(refusals).to.eql([
      of(own.record.keyId, { route: 'reauth', reason: 'wrong_secret' }),
      of(other.record.keyId, { route: 'reauth', reason: 'actor_mismatch' }),
    ]);
  });

  it('[WS-AUTH-12] [WS-AUTH-17] has connections that are too many, of the actor and of the plan', async () => {
    const [busy, late] = [await world.actor(), await world.actor()];
    await world.joinAs(busy.token);
    await world.joinAs(busy.token);
    const limited = { ...denied, error: 'connection_limit_reached' };
    expect(await attempt(busy.token)).to.eql(limited);
    const plan = { ...unlimitedPlan, maxConnections: 2 };
    const { organizationId } = world;
    await world.happened(
      { type: 'OrganizationUpdated', data: { organizationId, changes: { plan } } },
      { put: 'organizations', id: organizationId, doc: { ...records.organization(organizationId), plan } },
    );
    expect(await attempt(late.token)).to.eql(limited);
    expect(refusals).to.eql([
      of(busy.record.keyId, { status: 403, reason: 'actor_connection_limit' }),
      of(late.record.keyId, { status: 403, reason: 'connection_limit' }),
    ]);
  });

  describe('of a connection that is ended', () => {
    let client: FrameClient;
    let actorTokenId: string;
    let keyId: string;

    const join = async (fields: Parameters<World['actor']>[0] = {}): Promise<void> => {
      const { record, token } = await world.actor(fields);
      ({ actorTokenId, keyId } = record);
      client = await world.joinAs(token);
    };
    const expectTold = async (reason: string, close: object): Promise<void> => {
      expect(await client.closed).to.eql(close);
      const { code } = close as { code: number };
      expect(refusals).to.eql([of(keyId, { route: 'connection', status: code, reason })]);
    };
    const revoked = { code: 4001, reason: 'token_revoked' };
    const suspended = { status: 'suspended' } as const;

    it('[WS-AUTH-7] has that its actor is disabled, once', async () => {
      await join();
      const { organizationId } = world;
      const disabled = { status: 'disabled' } as const;
      await world.happened(
        { type: 'ActorUpdated', data: { actorTokenId, changes: disabled } },
        { patch: 'actors', id: actorTokenId, set: disabled },
      );
      await world.happened(
        { type: 'OrganizationUpdated', data: { organizationId, changes: suspended } },
        { patch: 'organizations', id: organizationId, set: suspended },
      );
      await expectTold('actor_disabled', revoked);
    });

    it('[WS-AUTH-7] has that its actor, project or organization is gone', async () => {
      const { organizationId, projectId } = world;
      await join();
      await world.happened({ type: 'ActorDeleted', data: { actorTokenId } });
      await expectTold('actor_missing', { code: 4001, reason: 'token_not_found' });
      await join();
      refusals = [];
      await world.happened({ type: 'ProjectDeleted', data: { projectId } });
      await expectTold('project_missing', { code: 4001, reason: 'project_not_found' });
      await join();
      refusals = [];
      await world.happened(
        { type: 'OrganizationUpdated', data: { organizationId, changes: suspended } },
        { patch: 'organizations', id: organizationId, set: suspended },
      );
      await expectTold('organization_suspended', revoked);
    });

    it('[WS-AUTH-7] has that its actor expires', async () => {
      await join({ expiresAt: new Date(clock.now() + 1_000).toISOString() });
      clock.pass(1_000);
      await expectTold('actor_expired', { code: 4001, reason: 'token_expired' });
    });

    it('[WS-SCOPE-2] has that its scope is inactive', async () => {
      const { accessScopeId } = await world.scope('ward');
      await join({ accessScopeId });
      await world.happened(
        { type: 'ScopeUpdated', data: { accessScopeId, changes: { isActive: false } } },
        { patch: 'scopes', id: accessScopeId, set: { isActive: false } },
      );
      await expectTold('scope_inactive', { code: 4001, reason: 'scope_inactive' });
    });

    it('[WS-AUTH-11] has that its signing key is disabled', async () => {
      const key = await world.signingKey();
      const { record } = await world.actor();
      ({ keyId } = record);
      client = await world.joinAs(clientToken(key, keyId));
      const { signingKeyId } = key.record;
      await world.happened(
        { type: 'SigningKeyUpdated', data: { signingKeyId, changes: { status: 'disabled' } } },
        { patch: 'signingKeys', id: signingKeyId, set: { status: 'disabled' } },
      );
      await expectTold('signing_key_inactive', revoked);
    });

    it('[WS-AUTH-13] has that the plan allows fewer', async () => {
      await join();
      const plan = { ...unlimitedPlan, maxConnections: 0 };
      const { organizationId } = world;
      await world.happened(
        { type: 'OrganizationUpdated', data: { organizationId, changes: { plan } } },
        { patch: 'organizations', id: organizationId, set: { plan } },
      );
      await expectTold('connection_limit', { code: 4002, reason: 'connection_limit_reached' });
    });

    it('has nothing of one that goes by itself, or with its gateway', async () => {
      await join();
      await client.close();
      await join();
      await world.gateway.close();
      await client.closed;
      expect(refusals).to.eql([]);
    });
  });
});
