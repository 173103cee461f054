import { expect } from 'chai';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { mintToken } from '@roomwire/shared/credentials/secretToken';
import { clientToken } from '@roomwire/testing/clients/clientTokens';
import type { Frame, FrameClient } from '@roomwire/testing/clients/frameClient';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { overlaid } from '../../support/overlaid.js';
import { World } from '../../support/world.js';

const past = '2020-01-01T00:00:00.000Z';

describe('the log of what is refused, at its level debug,', () => {
  const { logger, lines } = createRecordingLogger();
  let world: World;
  let isReachable = true;

  before(async () => {
    world = await World.open({
      logger,
      connectionsPerActor: 1,
      bus: (real) =>
        overlaid(real, {
          get reachable() {
            return isReachable && real.reachable;
          },
        }),
    });
  });

  beforeEach(() => {
    lines.length = 0;
    isReachable = true;
  });

  after(() => world.close());

  const told = (message: string) =>
    lines
      .filter((line) => line.level === 'debug' && line.message === message)
      .map(({ fields = {} }) => fields);

  const refusedAuth = async (token: unknown) => {
    lines.length = 0;
    const reply = (await (await world.connect()).ask({ type: 'auth', token })) as Frame;
    expect(reply['success'], JSON.stringify(reply)).to.equal(false);
    if (typeof token === 'string' && token.length > 40)
      expect(JSON.stringify(lines)).not.to.include(token.slice(-20));
  };

  it('[WS-AUTH-4] names the check that a credential has failed, and whose it is, and never the credential', async () => {
    const { record: actor, token: accessToken } = await world.actor();
    const key = await world.signingKey();
    const disabled = await world.signingKey({ status: 'disabled' });
    const asleep = await world.scope('asleep', { isActive: false });
    const other = await world.actor({}, await world.project(systemRandom.uuid()));
    const subject = (fields: Parameters<World['actor']>[0]) =>
      world.actor(fields).then(({ record }) => clientToken(key, record.keyId));
    const [ofActor, ofKey] = [`actor:${actor.keyId}`, `signingKey:${key.record.keyId}`];
    const unknown = { record: { keyId: 'sk_live_00' }, secret: 'any' };
    const cases: readonly (readonly [token: unknown, reason: string, principal?: string])[] = [
      [undefined, 'no_token'],
      ['Bearer me', 'no_jwt'],
      ['x'.repeat(16_385), 'token_too_long'],
      [mintToken(systemRandom, 'ak_live').token, 'api_key'],
      ['at_live_00.any', 'actor_missing', 'actor:at_live_00'],
      [`${accessToken.slice(0, -9)}123456789`, 'wrong_secret', ofActor],
      [clientToken(key, 'a', {}, { alg: 'none' }), 'algorithm_unknown'],
      [clientToken(key, 'a', {}, { kid: undefined }), 'kid_missing'],
      [clientToken(key, 'a', {}, { kid: actor.keyId }), 'kid_malformed'],
      [clientToken(key, 'a', {}, { crit: ['b64'] }), 'crit_unknown'],
      [clientToken(key, 'a', { sub: 7 }), 'sub_missing'],
      [clientToken(key, 'a', { exp: '1' }), 'exp_malformed'],
      [clientToken(key, 'a', { nbf: '1' }), 'nbf_malformed'],
      [clientToken(unknown, 'a'), 'signing_key_unknown', 'signingKey:sk_live_00'],
      [clientToken(disabled, 'a'), 'signing_key_inactive', `signingKey:${disabled.record.keyId}`],
      [clientToken({ ...key, secret: 'x' }, actor.keyId), 'bad_signature', ofKey],
      [clientToken(key, actor.keyId, { exp: 1 }), 'token_expired', ofKey],
      [clientToken(key, actor.keyId, { nbf: 99_999_999_999 }), 'not_yet_valid', ofKey],
      [clientToken(key, actor.keyId, { roomwire: { capabilities: 1 } }), 'capabilities_malformed', ofKey],
      [clientToken(key, 'at_live_00'), 'actor_missing', ofKey],
      [clientToken(key, other.record.keyId), 'other_project', ofKey],
      [await subject({ status: 'disabled' }), 'actor_disabled'],
      [await subject({ expiresAt: past }), 'actor_expired'],
      [await subject({ accessScopeId: asleep.accessScopeId }), 'scope_inactive'],
    ];
    for (const [token, reason, principal] of cases) {
      await refusedAuth(token);
      const [line, ...more] = told('A credential was refused');
      expect([line?.['frame'], line?.['reason']], reason).to.eql(['auth', reason]);
      expect(more, reason).to.eql([]);
      if (principal !== undefined) expect(line).to.include({ principal });
    }
  });

  it('[WS-AUTH-4] tells a credential that was refused before', async () => {
    for (let n = 0; n < 2; n++) {
      await refusedAuth('at_live_00.any');
      expect(told('A credential was refused')).to.have.lengthOf(1);
    }
  });

  it('[WS-AUTH-8] [WS-AUTH-17] tells why a good credential was refused', async () => {
    const { record, token } = await world.actor();
    isReachable = false;
    await refusedAuth(token);
    expect(told('An auth was refused')).to.eql([{ reason: 'bus_unreachable' }]);
    isReachable = true;
    await world.joinAs(token);
    await refusedAuth(token);
    const { actorTokenId, projectId } = record;
    expect(told('An auth was refused')).to.eql([
      { reason: 'actor_connection_limit', actorTokenId, projectId },
    ]);
  });

  it('[WS-REAUTH-3] tells a reauth as another actor', async () => {
    const client = await world.join();
    const { record, token } = await world.actor();
    await client.ask({ type: 'reauth', token });
    expect(told('A credential was refused')).to.have.lengthOf(1);
    expect(told('A credential was refused')[0]).to.include({
      ...{ frame: 'reauth', reason: 'actor_mismatch', principal: `actor:${record.keyId}` },
    });
  });

  it('[WS-TOPIC-2] names the rule by which a subscribe was refused', async () => {
    const app = await world.app('app-1', { topicConfigs: { news: { history: {} } } });
    const { record: actor } = await world.actor();
    const { actorTokenId, keyId, projectId } = actor;
    for (const slug of ['open', 'narrowed']) await world.room(app, slug);
    await world.room(app, 'disabled', { status: 'disabled' });
    await world.room(await world.app('sleeping', { status: 'suspended' }), 'lobby');
    await world.room(await world.app('closed', { config: { accessMode: 'private' } }), 'lobby');
    await world.grant(await world.room(app, 'others'), { actorType: 'service' });
    const grants = {
      inactive: { isActive: false },
      expired: { expiresAt: past },
      chatting: { topics: ['chat'] },
      writing: { permission: 'publish' },
    } as const;
    for (const [slug, fields] of Object.entries(grants))
      await world.grant(await world.room(app, slug), { actorTokenId, ...fields });
    const capabilities = {
      'app-1/narrowed/*': ['publish'],
      ...Object.fromEntries(['a*/*/*', 's*/*/*', 'c*/*/*', 'n*/*/*'].map((one) => [one, ['publish']])),
      'app-1/open/news': ['subscribe'],
    };
    const signed = clientToken(await world.signingKey(), keyId, { roomwire: { capabilities } });
    const client = await world.joinAs(signed);
    const refused = async (topic: string, options: Frame = {}, by: FrameClient = client) => {
      lines.length = 0;
      expect(await by.ask({ type: 'subscribe', topic, ...options })).to.include({ type: 'error' });
      const [line, ...more] = told('A subscribe was refused');
      expect(more).to.eql([]);
      return line ?? {};
    };
    const cases: readonly (readonly [topic: string, rule: string])[] = [
      ['app-1/open', 'address_malformed'],
      ['nowhere/open/news', 'app_missing'],
      ['app-1/nowhere/news', 'room_missing'],
      ['app-1/open/weather', 'topic_not_exposed'],
      ['app-1/disabled/news', 'room_inactive'],
      ['sleeping/lobby/news', 'app_inactive'],
      ['closed/lobby/news', 'access_mode_private'],
      ['app-1/others/news', 'grant_missing'],
      ['app-1/inactive/news', 'grant_inactive'],
      ['app-1/chatting/news', 'grant_other_topics'],
      ['app-1/writing/news', 'grant_other_action'],
      ['app-1/narrowed/news', 'capability'],
    ];
    for (const [topic, rule] of cases)
      expect(await refused(topic)).to.eql({ error: 'unknown_topic', rule, topic, actorTokenId, projectId });
    expect(await refused('app-1/open/news', { from: { last: 1 } })).to.include({ rule: 'capability' });
    await client.close();
    const free = await world.joinAs(clientToken(await world.signingKey(), keyId));
    expect(await refused('app-1/expired/news', {}, free)).to.include({ rule: 'grant_expired' });
    const unkept = await refused('app-1/open/chat', { from: { last: 1 } }, free);
    expect([unkept['error'], unkept['rule']]).to.eql(['history_disabled', undefined]);
    expect((await refused('x'.repeat(1_000), {}, free))['topic']).to.have.lengthOf(302);
  });
});
