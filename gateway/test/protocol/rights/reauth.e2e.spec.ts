import { expect } from 'chai';
import type { Actor } from '@roomwire/shared/domain/actor';
import { clientToken } from '@roomwire/testing/clients/clientTokens';
import type { FrameClient } from '@roomwire/testing/clients/frameClient';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { overlaid } from '../../support/overlaid.js';
import { World } from '../../support/world.js';

const failure = (error: string) => ({ type: 'reauth', success: false, error });

describe('reauth', () => {
  let world: World;
  let clock: ManualClock;
  let key: Awaited<ReturnType<World['signingKey']>>;
  let actor: Actor;
  let accessToken: string;
  let client: FrameClient;
  let isAway = false;

  const inSeconds = (count: number) => Math.floor(clock.now() / 1000) + count;
  const tokenFor = (count: number) => clientToken(key, actor.keyId, { exp: inSeconds(count) });
  const reauth = (token: unknown, on = client) => on.ask({ type: 'reauth', token });
  const isAlive = async (on = client) =>
    expect(await on.ask({ type: 'unsubscribe', topic: 'a' })).to.include({ type: 'unsubscribed' });

  beforeEach(async () => {
    isAway = false;
    clock = new ManualClock();
    world = await World.open({
      clock,
      expirySweepMs: 5,
      views: (real) =>
        overlaid(real, {
          find: (view, query) => (isAway ? Promise.reject(new Error('away')) : real.find(view, query)),
        }),
    });
    key = await world.signingKey();
    ({ record: actor, token: accessToken } = await world.actor());
    client = await world.joinAs(tokenFor(60));
  });

  afterEach(() => world.close());

  it('[WS-REAUTH-1] renews a connection, which keeps its subscriptions', async () => {
    const topic = await world.newsroom();
    await client.subscribe(topic);
    clock.pass(59_000);
    const exp = inSeconds(60);
    expect(await reauth(clientToken(key, actor.keyId, { exp }))).to.deep.equal({
      type: 'reauth',
      success: true,
      authExpiresAt: exp,
    });
    clock.pass(59_999);
    (await world.join()).publish(topic, 'still here');
    expect(await client.next()).to.include({ data: 'still here' });
    clock.pass(1);
    expect(await client.next()).to.deep.equal({ type: 'disconnect', reason: 'token_expired' });
    expect(await client.closed).to.deep.equal({ code: 4003, reason: 'token_expired' });
  });

  it('[WS-REAUTH-1] returns no expiry for a token without one', async () => {
    expect(await reauth(clientToken(key, actor.keyId))).to.deep.equal({ type: 'reauth', success: true });
    clock.pass(3_600_000);
    await isAlive();
  });

  it('[WS-REAUTH-2] accepts an access token of the actor, too', async () => {
    expect(await reauth(accessToken)).to.deep.equal({ type: 'reauth', success: true });
    clock.pass(3_600_000);
    await isAlive();
    const byAccessToken = await world.joinAs(accessToken);
    await reauth(tokenFor(1), byAccessToken);
    clock.pass(1_000);
    expect(await byAccessToken.next()).to.include({ type: 'disconnect' });
  });

  it('[WS-REAUTH-3] fails without changing anything', async () => {
    const other = await world.actor();
    const failures: readonly (readonly [unknown, string])[] = [
      [clientToken(key, other.record.keyId), 'actor_mismatch'],
      [other.token, 'actor_mismatch'],
      [tokenFor(0), 'token_expired'],
      [clientToken({ ...key, secret: 'x' }, actor.keyId), 'access_denied'],
      ['nonsense', 'access_denied'],
      [undefined, 'access_denied'],
      [7, 'access_denied'],
    ];
    for (const [token, error] of failures) expect(await reauth(token)).to.deep.equal(failure(error));
    isAway = true;
    expect(await reauth(accessToken)).to.deep.equal(failure('connection_failed'));
    for (let count = 0; count < 10; count++) await reauth('nonsense');
    await isAlive();
    clock.pass(60_000);
    expect(await client.next()).to.include({ type: 'disconnect' });
  });

  it('[WS-REAUTH-1] applies other changes of the actor too', async () => {
    const expiresAt = new Date(clock.now() + 1_000).toISOString();
    await world.put({ patch: 'actors', id: actor.actorTokenId, set: { expiresAt } });
    await reauth(tokenFor(60));
    clock.pass(1_000);
    expect(await client.closed).to.deep.equal({ code: 4001, reason: 'token_expired' });
  });

  it('[WS-REAUTH-1] [WS-SCOPE-4] applies the scope of the actor', async () => {
    const topic = await world.newsroom();
    await client.subscribe(topic);
    const { accessScopeId } = await world.scope('acme');
    await world.put({ patch: 'actors', id: actor.actorTokenId, set: { accessScopeId } });
    await reauth(tokenFor(60));
    await isAlive();
    (await world.join()).publish(topic, 'unscoped');
    (await world.join({ accessScopeId })).publish(topic, 'scoped');
    expect(await client.next()).to.include({ data: 'scoped' });
  });

  it('[WS-REAUTH-1] separates a connection from its first key', async () => {
    const next = await world.signingKey();
    await reauth(clientToken(next, actor.keyId));
    const { signingKeyId } = key.record;
    await world.happened(
      { type: 'SigningKeyDeleted', data: { signingKeyId } },
      { remove: 'signingKeys', id: signingKeyId },
    );
    await world.happened(
      { type: 'SigningKeyDeleted', data: { signingKeyId: next.record.signingKeyId } },
      { remove: 'signingKeys', id: next.record.signingKeyId },
    );
    expect(await client.closed).to.deep.equal({ code: 4001, reason: 'token_revoked' });
  });

  it('[WS-AUTH-1] does not authenticate a connection', async () => {
    const stranger = await world.connect();
    expect(await reauth(accessToken, stranger)).to.deep.equal({ type: 'error', error: 'not_authenticated' });
  });
});
