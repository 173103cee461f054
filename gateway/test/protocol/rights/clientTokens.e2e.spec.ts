import { expect } from 'chai';
import type { Actor } from '@roomwire/shared/domain/actor';
import type { SigningKey } from '@roomwire/shared/domain/signingKey';
import { createSecretBox } from '@roomwire/shared/credentials/secretBox';
import { eventually } from '@roomwire/testing/run/eventually';
import { changedMeanwhile } from '../../support/changedMeanwhile.js';
import { overlaid } from '../../support/overlaid.js';
import { clientToken } from '@roomwire/testing/clients/clientTokens';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { World } from '../../support/world.js';

const refused = (error: string) => ({ type: 'auth', success: false, error });

describe('a client token', () => {
  let world: World;
  let clock: ManualClock;
  let key: Awaited<ReturnType<World['signingKey']>>;
  let actor: Actor;

  /** Unix seconds. */
  const inSeconds = (count: number) => Math.floor(clock.now() / 1000) + count;

  beforeEach(async () => {
    clock = new ManualClock();
    world = await World.open({ clock, expirySweepMs: 5 });
    key = await world.signingKey();
    ({ record: actor } = await world.actor());
  });

  afterEach(() => world.close());

  const ask = async (token: string) =>
    (await world.connect()).ask({ type: 'auth', token, protocolVersion: 2 });

  const updated = (status: SigningKey['status']) => {
    const { signingKeyId } = key.record;
    return world.happened(
      { type: 'SigningKeyUpdated', data: { signingKeyId, changes: { status } } },
      { patch: 'signingKeys', id: signingKeyId, set: { status } },
    );
  };

  it('[WS-AUTH-9] authenticates the actor that its sub names', async () => {
    for (const claims of [{}, { exp: inSeconds(60), nbf: inSeconds(0), iat: inSeconds(-5), jti: 'x' }]) {
      expect(await ask(clientToken(key, actor.keyId, claims))).to.deep.equal({
        type: 'auth',
        success: true,
        actorTokenId: actor.actorTokenId,
        projectId: world.projectId,
        actorType: 'device',
        protocolVersion: 2,
        restoredSubscriptions: [],
      });
    }
  });

  it('[WS-AUTH-9] is refused for every defect, without naming it', async () => {
    const theirs = await world.project();
    const foreign = await world.signingKey({}, theirs);
    const stranger = await world.actor({}, theirs);
    const disabledKey = await world.signingKey({ status: 'disabled' });
    const gone = await world.signingKey();
    await world.put({ remove: 'signingKeys', id: gone.record.signingKeyId });
    const off = await world.actor({ status: 'disabled' });
    const asleep = await world.scope('asleep', { isActive: false });
    const scoped = await world.actor({ accessScopeId: asleep.accessScopeId });
    const good = clientToken(key, actor.keyId);
    const bad: Record<string, string> = {
      'another secret': clientToken({ ...key, secret: 'other' }, actor.keyId),
      'a key of another project': clientToken(foreign, actor.keyId),
      'an actor of another project': clientToken(key, stranger.record.keyId),
      'a disabled key': clientToken(disabledKey, actor.keyId),
      'a deleted key': clientToken(gone, actor.keyId),
      'an unknown actor': clientToken(key, `at_live_${'0'.repeat(24)}`),
      'the id of an actor instead of its keyId': clientToken(key, actor.actorTokenId),
      'a disabled actor': clientToken(key, off.record.keyId),
      'an actor of an inactive scope': clientToken(key, scoped.record.keyId),
      'not yet': clientToken(key, actor.keyId, { nbf: inSeconds(1) }),
      none: clientToken(key, actor.keyId, {}, { alg: 'none' }),
      'no signature': good.slice(0, good.lastIndexOf('.') + 1),
      RS256: clientToken(key, actor.keyId, {}, { alg: 'RS256' }),
      'no kid': clientToken(key, actor.keyId, {}, { kid: undefined }),
    };
    for (const [what, token] of Object.entries(bad)) {
      expect(await ask(token), what).to.deep.equal(refused('access_denied'));
    }
    expect(await ask(good)).to.include({ success: true });
  });

  it('[WS-AUTH-9] is refused with token_expired when its exp has passed, unless something else is wrong', async () => {
    const exp = inSeconds(0);
    expect(await ask(clientToken(key, actor.keyId, { exp }))).to.deep.equal(refused('token_expired'));
    expect(await ask(clientToken({ ...key, secret: 'other' }, actor.keyId, { exp }))).to.deep.equal(
      refused('access_denied'),
    );
  });

  it('[WS-AUTH-8] fails with authentication_failed when no master key opens its signing key', async () => {
    const otherBox = createSecretBox({ current: new Uint8Array(32).fill(9) });
    const sealedSecret = otherBox.seal(key.secret, 'any');
    const sealed = { ...(await world.signingKey({ sealedSecret })), secret: key.secret };
    expect(await ask(clientToken(sealed, actor.keyId))).to.deep.equal(refused('authentication_failed'));
  });

  it('[WS-AUTH-8] costs one read and one line of the log when no master key opens its signing key', async () => {
    const { logger, lines } = createRecordingLogger();
    let reads = 0;
    const counting = await World.open({
      clock,
      logger,
      views: (real) =>
        overlaid(real, {
          find: (view, query) => {
            if (view === 'signingKeys') reads++;
            return real.find(view, query);
          },
        }),
    });
    const otherBox = createSecretBox({ current: new Uint8Array(32).fill(9) });
    const sealed = await counting.signingKey({ sealedSecret: otherBox.seal(key.secret, 'any') });
    for (let n = 0; n < 5; n++) {
      const token = clientToken({ ...sealed, secret: key.secret }, 'anybody', { jti: `${n}` });
      const asked = (await counting.connect()).ask({ type: 'auth', token, protocolVersion: 2 });
      expect(await asked).to.deep.equal(refused('authentication_failed'));
    }
    expect(reads).to.equal(1);
    expect(lines.filter(({ message }) => message === 'A credential could not be checked')).to.have.length(1);
    await counting.close();
  });

  it('[WS-AUTH-9] needs no look-up of its key when the key is cached', async () => {
    let reads = 0;
    const counting = await World.open({
      views: (real) =>
        overlaid(real, {
          find: (view, query) => {
            if (view === 'signingKeys') reads++;
            return real.find(view, query);
          },
        }),
    });
    const known = await counting.signingKey();
    const { record } = await counting.actor();
    for (let count = 0; count < 3; count++) await counting.joinAs(clientToken(known, record.keyId));
    expect(reads).to.equal(1);
    await counting.close();
  });

  it('[WS-AUTH-10] that expires: the disconnect frame, then 4003, and no other connection is closed', async () => {
    const { token } = await world.actor();
    const byToken = await world.joinAs(token);
    const endless = await world.joinAs(clientToken(key, actor.keyId));
    const expiring = await world.joinAs(clientToken(key, actor.keyId, { exp: inSeconds(60) }));
    clock.pass(59_999);
    expect(await expiring.ask({ type: 'unsubscribe', topic: 'a' })).to.include({ type: 'unsubscribed' });
    clock.pass(1);
    expect(await expiring.next()).to.deep.equal({ type: 'disconnect', reason: 'token_expired' });
    expect(await expiring.closed).to.deep.equal({ code: 4003, reason: 'token_expired' });
    for (const client of [byToken, endless]) {
      expect(await client.ask({ type: 'unsubscribe', topic: 'a' })).to.include({ type: 'unsubscribed' });
    }
  });

  it('[WS-AUTH-10] that expires: seen at the heartbeat, without waiting for the sweep', async () => {
    const sleeping = await World.open({ clock, expirySweepMs: 3_600_000 });
    const signing = await sleeping.signingKey();
    const { record } = await sleeping.actor();
    const client = await sleeping.joinAs(clientToken(signing, record.keyId, { exp: inSeconds(1) }));
    expect(await client.sendBytes(new Uint8Array()).next()).to.equal('heartbeat');
    clock.pass(1_000);
    client.sendBytes(new Uint8Array());
    expect(await client.next()).to.deep.equal({ type: 'disconnect', reason: 'token_expired' });
    expect(await client.closed).to.deep.equal({ code: 4003, reason: 'token_expired' });
    await sleeping.close();
  });

  it('[WS-AUTH-7] of an actor that expires first: 4001, and no disconnect frame', async () => {
    const expiresAt = new Date(clock.now() + 1_000).toISOString();
    const { record } = await world.actor({ expiresAt });
    const client = await world.joinAs(clientToken(key, record.keyId, { exp: inSeconds(1) }));
    clock.pass(1_000);
    expect(await client.closed).to.deep.equal({ code: 4001, reason: 'token_expired' });
    expect(await client.next().catch((error: Error) => error.message)).to.equal('The connection is closed');
  });

  describe('whose signing key', () => {
    it('[WS-AUTH-11] is disabled: its connections are closed with token_revoked, and no other', async () => {
      const { token } = await world.actor();
      const others = [
        await world.joinAs(token),
        await world.joinAs(clientToken(await world.signingKey(), actor.keyId)),
      ];
      const client = await world.joinAs(clientToken(key, actor.keyId));
      await updated('disabled');
      expect(await client.closed).to.deep.equal({ code: 4001, reason: 'token_revoked' });
      expect(await ask(clientToken(key, actor.keyId))).to.deep.equal(refused('access_denied'));
      for (const other of others) {
        expect(await other.ask({ type: 'unsubscribe', topic: 'a' })).to.include({ type: 'unsubscribed' });
      }
      await updated('active');
      await eventually(async () => {
        const reply = await ask(clientToken(key, actor.keyId));
        return reply !== 'heartbeat' && reply['success'] === true;
      });
    });

    it('[WS-AUTH-11] is deleted: token_revoked, and the token is refused afterwards', async () => {
      const client = await world.joinAs(clientToken(key, actor.keyId));
      const { signingKeyId } = key.record;
      await world.happened(
        { type: 'SigningKeyDeleted', data: { signingKeyId } },
        { remove: 'signingKeys', id: signingKeyId },
      );
      expect(await client.closed).to.deep.equal({ code: 4001, reason: 'token_revoked' });
      expect(await ask(clientToken(key, actor.keyId))).to.deep.equal(refused('access_denied'));
    });

    it('[WS-AUTH-11] is renamed or re-encrypted: nothing ends', async () => {
      const client = await world.joinAs(clientToken(key, actor.keyId));
      const { signingKeyId } = key.record;
      await world.happened(
        { type: 'SigningKeyUpdated', data: { signingKeyId, changes: { name: 'new' } } },
        { patch: 'signingKeys', id: signingKeyId, set: { name: 'new' } },
      );
      const sealedSecret = world.secretBox.seal(key.secret, signingKeyId);
      await world.happened(
        { type: 'SigningKeyResealed', data: { signingKeyId, sealedSecret } },
        { patch: 'signingKeys', id: signingKeyId, set: { sealedSecret } },
      );
      expect(await client.ask({ type: 'unsubscribe', topic: 'a' })).to.include({ type: 'unsubscribed' });
      await world.joinAs(clientToken(key, actor.keyId));
    });

    it('[WS-AUTH-11] is disabled while the token authenticates: token_revoked', async () => {
      const { world: racing, change } = await changedMeanwhile();
      const { record, secret } = await racing.signingKey();
      const { signingKeyId } = record;
      change(() =>
        racing.happened(
          { type: 'SigningKeyUpdated', data: { signingKeyId, changes: { status: 'disabled' } } },
          { patch: 'signingKeys', id: signingKeyId, set: { status: 'disabled' } },
        ),
      );
      const token = clientToken({ record, secret }, (await racing.actor()).record.keyId);
      const client = (await racing.connect()).send({ type: 'auth', token });
      expect(await client.closed).to.deep.equal({ code: 4001, reason: 'token_revoked' });
      await racing.close();
    });

    it('[WS-AUTH-11] is disabled without an event: the revalidation finds it', async () => {
      const checking = await World.open({ revalidationMs: 20 });
      const { record, secret } = await checking.signingKey();
      const client = await checking.joinAs(
        clientToken({ record, secret }, (await checking.actor()).record.keyId),
      );
      await checking.put({ patch: 'signingKeys', id: record.signingKeyId, set: { status: 'disabled' } });
      expect(await client.closed).to.deep.equal({ code: 4001, reason: 'token_revoked' });
      await checking.close();
    });
  });
});
