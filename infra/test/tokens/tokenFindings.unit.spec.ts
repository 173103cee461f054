import { randomBytes } from 'node:crypto';
import { SignJWT } from 'jose';
import { expect } from 'chai';
import { ObserverKeys } from '@roomwire/shared/credentials/observerToken';
import { mintToken } from '@roomwire/shared/credentials/secretToken';
import { findingsOf } from '../../src/tokens/tokenFindings.js';

const now = Date.parse('2026-01-01T00:00:00Z');
const seconds = now / 1_000;
const random = { bytes: (count: number) => randomBytes(count), uuid: () => '' };
const actor = mintToken(random, 'at_live');
const key = mintToken(random, 'sk_live');
const uuid = '0c1d6a4e-8a8e-4d0e-9f0c-000000000001';

const jwt = (claims: object, header: object = {}): Promise<string> =>
  new SignJWT({ sub: actor.keyId, exp: seconds + 600, ...claims })
    .setProtectedHeader({ alg: 'HS256', kid: key.keyId, ...header })
    .sign(Buffer.from('never shown, and long enough to sign with'));

const faultsOf = (token: string): readonly string[] => findingsOf(token, now).faults;

describe('findingsOf', () => {
  it('finds no fault in tokens that a gateway may accept', async () => {
    expect(findingsOf(actor.token, now)).to.deep.include({
      kind: 'access token',
      faults: [],
      actor: actor.keyId,
    });
    expect(findingsOf(await jwt({}), now)).to.deep.include({
      ...{ kind: 'client token', faults: [], actor: actor.keyId, signingKey: key.keyId },
    });
    expect(faultsOf(await jwt({ sub: 'ext:customer-7' }))).to.eql([]);
  });

  it('[WS-EXT-2] sees what is wrong with the token of an external actor', async () => {
    const of = (claims: object) => jwt({ sub: 'ext:ada', ...claims });
    const good = findingsOf(await of({ iat: seconds, roomwire: { actorType: 'agent' } }), now);
    expect(good.faults).to.eql([]);
    expect(good.facts.at(-1)).to.include('allowExternalActors');
    expect(findingsOf(await of({}), now).facts.at(-1)).to.include('no iat');
    for (const [claims, fault] of [
      [{ exp: undefined }, 'It has no exp'],
      [{ exp: seconds + 86_401 }, 'more than 24 hours ahead'],
      [{ sub: 'ext:' }, 'a name of 1 to 200 characters'],
      [{ roomwire: { actorType: 'robot' } }, 'Its claim roomwire is malformed'],
      [{ roomwire: { accessScopeId: 'acme' } }, 'Its claim roomwire is malformed'],
    ] as const)
      expect(faultsOf(await of(claims)).join(), fault).to.include(fault);
  });

  it('says of the token of an observer what it may do, and until when', () => {
    const session = {
      ...{ subject: 'ada', principal: 'ada', organizationId: uuid },
      ...{ isOperator: false, tokenId: undefined, issuedAt: seconds },
    };
    const mint = (expiresAt: number) =>
      new ObserverKeys({ current: new Uint8Array(32) }).mint(
        { projectId: uuid, accessScopeId: null, session },
        { issuedAt: seconds, expiresAt },
      );
    const good = findingsOf(mint(seconds + 600), now);
    expect(good).to.include({ kind: 'client token' }).and.not.to.have.any.keys('actor', 'signingKey');
    expect(good.faults).to.eql([]);
    expect(good.facts[0]).to.equal('The token of an observer, with which the console works for ada');
    expect(good.facts[1]).to.include(`every room of the project ${uuid}, outside of every scope`);
    expect(good.facts.at(-1)).to.equal('it expires in 600 s');
    expect(faultsOf(mint(seconds - 1)).join()).to.include('It expired at');
  });

  it('sees that a token only pretends to be of an observer', async () => {
    expect(faultsOf(await jwt({}, { kid: 'console_abc' })).join()).to.include('not those of an observer');
  });

  it('tells apart what is no token of a client', () => {
    const firstWords = ['', key.token, mintToken(random, 'ak_live').token, 'whsec_x', 'hello'].map(
      (token) => faultsOf(token).join().split(/[:,] /)[0],
    );
    expect(firstWords).to.eql([
      'It is empty',
      'It is a signing key',
      'It is an API key',
      'It is a webhook secret',
      'It is neither an access token (at_live_…) nor a client token (a JWT',
    ]);
  });

  it('sees that an access token is only a part of one', () => {
    expect(faultsOf(actor.keyId).join()).to.include('without the secret');
    expect(findingsOf(actor.token.slice(0, -1), now).facts.join()).to.include('is a part missing?');
    expect(findingsOf(actor.token, now).facts.join()).to.not.include('missing');
    expect(faultsOf(`"${actor.token}"`)).to.have.length(1);
    expect(faultsOf(`${actor.token}"`).join()).to.include('quotes');
  });

  const cases: readonly (readonly [what: string, fault: string, claims: object, header?: object])[] = [
    ['no kid', 'has no kid', {}, { kid: undefined }],
    ['the id of a key as kid', 'is a signingKeyId', {}, { kid: uuid }],
    ['another kid', 'not the keyId of a signing key', {}, { kid: 'main' }],
    ['another algorithm', 'HS256, HS384 and HS512', {}, { alg: 'HS999' }],
    ['no sub', 'has no sub', { sub: undefined }],
    ['the id of an actor as sub', 'is an actorTokenId', { sub: uuid }],
    ['another sub', 'not the keyId of an actor', { sub: 'ann' }],
    ['an end in milliseconds', 'exp is in milliseconds', { exp: now + 600_000 }],
    ['an end that has come', 'expired at 2025-12-31T23:50:00.000Z', { exp: seconds - 600 }],
    ['an end that is no number', 'exp is not a number', { exp: 'tomorrow' }],
    ['a beginning to come', 'not valid before', { nbf: seconds + 60 }],
    ['malformed capabilities', 'capabilities is malformed', { roomwire: { capabilities: { 'a/b': [] } } }],
    ['extensions', 'crit', {}, { crit: ['b64'], b64: true }],
  ];
  for (const [what, fault, claims, header = {}] of cases)
    it(`names ${what}`, () => {
      const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
      const whole = { sub: actor.keyId, exp: seconds + 600, ...claims };
      const faults = faultsOf(`${part({ alg: 'HS256', kid: key.keyId, ...header })}.${part(whole)}.c2ln`);
      expect(faults).to.have.length(1);
      expect(faults[0]).to.include(fault);
    });

  it('never shows a secret that somebody has put into a token, nor the values of unknown claims', async () => {
    const token = await jwt({ email: 'ann@example.com' }, { kid: key.token });
    const shown = JSON.stringify(findingsOf(token, now));
    expect(shown).to.include('delete that key').and.include('other claims: email');
    expect(shown).to.not.include(key.token.split('.')[1]).and.not.include('ann@');
    expect(shown).to.not.include(token.split('.')[2]);
  });

  it('tells a session of a user from the token of a client', async () => {
    expect(faultsOf(await jwt({ iss: 'roomwire', orgs: [uuid] })).join()).to.include('user session token');
    expect(faultsOf('a.b.c').join()).to.include('not JSON');
  });
});
