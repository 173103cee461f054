import { expect } from 'chai';
import { externalActorId } from '@roomwire/shared/credentials/externalActor';
import type { Actor } from '@roomwire/shared/domain/actor';
import { createdTokenRevocation } from '@roomwire/shared/domain/tokenRevocation';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import type { Refusal } from '@roomwire/shared/ports/accessLog';
import { clientToken } from '@roomwire/testing/clients/clientTokens';
import type { FrameClient } from '@roomwire/testing/clients/frameClient';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { eventually } from '@roomwire/testing/run/eventually';
import { changedMeanwhile } from '../../support/changedMeanwhile.js';
import { nextPosition } from '../../support/estate.js';
import { World } from '../../support/world.js';

const denied = { type: 'auth', success: false, error: 'access_denied' };
const revoked = { code: 4001, reason: 'token_revoked' };

describe('a client token that was revoked', () => {
  let world: World;
  let clock: ManualClock;
  let key: Awaited<ReturnType<World['signingKey']>>;
  let actor: Actor;
  let accessToken: string;
  let refusals: Refusal[];

  beforeEach(async () => {
    [clock, refusals] = [new ManualClock(), []];
    // At a second and a half.
    clock.pass(1_500 - (clock.now() % 1_000));
    world = await World.open({
      ...{ clock, expirySweepMs: 5 },
      accessRecorder: { refused: (refusal) => void refusals.push(refusal) },
    });
    key = await world.signingKey({ allowExternalActors: true });
    ({ record: actor, token: accessToken } = await world.actor());
  });
  afterEach(() => world.close());

  /** Unix seconds, with their fraction. */
  const seconds = () => clock.now() / 1_000;
  const iso = (ms = clock.now()) => new Date(ms).toISOString();

  /** As the projections write it; `said` says whether the gateways hear of it. */
  const revoke = async (actorTokenId: string, subject: string, before = iso(), on = world, said = true) => {
    const revocationId = systemRandom.uuid();
    const fields = { revocationId, projectId: on.projectId, subject, actorTokenId, before };
    const doc = { ...createdTokenRevocation(fields, iso()), createdPosition: nextPosition() };
    const change = { put: 'tokenRevocations', id: revocationId, doc } as const;
    if (said) await on.happened({ type: 'TokensRevoked', data: fields }, change);
    else await on.put(change);
  };
  const revokeActor = (before?: string) => revoke(actor.actorTokenId, actor.actorTokenId, before);
  const revokeExternal = (name: string, before?: string) =>
    revoke(externalActorId(world.projectId, `ext:${name}`), `ext:${name}`, before);

  const recordedToken = (iat?: unknown, keyId = actor.keyId) => clientToken(key, keyId, { iat });
  const externalToken = (name: string, iat?: unknown) =>
    clientToken(key, `ext:${name}`, { iat, exp: Math.floor(seconds()) + 3_600 });
  const ask = async (token: string) => (await world.connect()).ask({ type: 'auth', token });
  const isAlive = async (client: FrameClient) =>
    expect(await client.ask({ type: 'unsubscribe', topic: 'a' })).to.include({ type: 'unsubscribed' });

  for (const [whose, tokenAt, revokeIt] of [
    ['an actor', recordedToken, revokeActor],
    [
      'an external actor',
      (iat?: unknown) => externalToken('ada', iat),
      (at?: string) => revokeExternal('ada', at),
    ],
  ] as const)
    it(`[HTTP-REVOKE-2] of ${whose} is closed and refused, by the second in which it was issued`, async () => {
      const second = Math.floor(seconds());
      const old = [undefined, 'yesterday', second - 1, second - 0.001].map((iat) => tokenAt(iat));
      const kept = [second, second + 0.001, second + 3_600].map((iat) => tokenAt(iat));
      const ended = await Promise.all(old.map((token) => world.joinAs(token)));
      const going = await Promise.all(kept.map((token) => world.joinAs(token)));
      const others = [
        await world.joinAs(recordedToken(undefined, (await world.actor()).record.keyId)),
        await world.joinAs(externalToken('eve')),
        await world.joinAs(accessToken),
      ];
      await revokeIt();
      for (const client of ended) expect(await client.closed).to.deep.equal(revoked);
      for (const client of [...going, ...others]) await isAlive(client);
      for (const token of old) expect(await ask(token)).to.deep.equal(denied);
      for (const token of kept) expect(await ask(token)).to.include({ success: true });
      expect(await ask(accessToken)).to.include({ success: true });
    });

  it('[HTTP-REVOKE-2] is told to the access log', async () => {
    const [token, client] = [externalToken('ada'), await world.joinAs(externalToken('ada'))];
    await revokeExternal('ada');
    expect(await client.closed).to.deep.equal(revoked);
    expect(await ask(token)).to.deep.equal(denied);
    await eventually(() => refusals.length === 2);
    for (const { principal, reason } of refusals)
      expect([principal, reason]).to.deep.equal(['actor:ext:ada', 'token_revoked']);
  });

  it('[HTTP-REVOKE-3] stays so, whatever is revoked later up to an earlier time', async () => {
    const early = iso(clock.now() - 60_000);
    const [old, newer] = [seconds() - 120, seconds() - 30].map((iat) => recordedToken(iat));
    await revokeActor(early);
    expect(await ask(newer as string)).to.include({ success: true });
    const client = await world.joinAs(newer as string);
    await revokeActor();
    expect(await client.closed).to.deep.equal(revoked);
    await revokeActor(early);
    for (const token of [old, newer]) expect(await ask(token as string)).to.deep.equal(denied);
  });

  it('[HTTP-REVOKE-4] of an external actor is no longer looked for after a day, that of an actor always', async () => {
    await revokeExternal('ada');
    await revokeActor();
    clock.pass(24 * 3_600_000 - 1);
    expect(await ask(externalToken('ada'))).to.deep.equal(denied);
    clock.pass(6_000);
    expect(await ask(externalToken('ada'))).to.include({ success: true });
    expect(await ask(recordedToken())).to.deep.equal(denied);
  });

  it('[HTTP-REVOKE-2] renews no connection', async () => {
    const client = await world.joinAs(recordedToken(seconds() + 1));
    await revokeActor();
    expect(await client.ask({ type: 'reauth', token: recordedToken() })).to.deep.equal({
      ...{ type: 'reauth', success: false, error: 'access_denied' },
    });
    expect(await client.ask({ type: 'reauth', token: accessToken })).to.include({ success: true });
    await revokeActor(iso(clock.now()));
    await isAlive(client);
  });

  for (const external of [false, true])
    it(`[HTTP-REVOKE-2] while it authenticates is closed${external ? ', an external one' : ''}`, async () => {
      const { world: racing, change } = await changedMeanwhile();
      const its = await racing.signingKey({ allowExternalActors: true });
      const { record } = await racing.actor();
      const subject = external ? 'ext:ada' : record.keyId;
      const id = external ? externalActorId(racing.projectId, subject) : record.actorTokenId;
      change(() => revoke(id, external ? subject : id, new Date().toISOString(), racing));
      const exp = Math.floor(Date.now() / 1_000) + 600;
      const token = clientToken(its, subject, { exp, iat: exp - 1_200 });
      const client = (await racing.connect()).send({ type: 'auth', token });
      const reply = await Promise.race([client.closed, client.next()]);
      // It is found by the look-up, or by the change that came meanwhile.
      if (!('success' in (reply as object)) || (reply as { success?: boolean }).success)
        expect(await client.closed).to.deep.equal(revoked);
      else expect(reply).to.deep.equal(denied);
      await racing.close();
    });

  it('[HTTP-REVOKE-2] without an event is found by the revalidation', async () => {
    const checking = await World.open({ clock, revalidationMs: 20 });
    const its = await checking.signingKey({ allowExternalActors: true });
    const { record } = await checking.actor();
    const exp = Math.floor(seconds()) + 600;
    const [recorded, external] = [
      await checking.joinAs(clientToken(its, record.keyId, { exp })),
      await checking.joinAs(clientToken(its, 'ext:ada', { exp })),
    ];
    await revoke(record.actorTokenId, record.actorTokenId, iso(), checking, false);
    expect(await recorded.closed).to.deep.equal(revoked);
    await isAlive(external);
    await revoke(externalActorId(checking.projectId, 'ext:ada'), 'ext:ada', iso(), checking, false);
    expect(await external.closed).to.deep.equal(revoked);
    await checking.close();
  });
});
