import { createServer, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { createSessionVerifier, mintSessionToken } from '../../src/credentials/sessionToken.js';
import { EngineUnavailable } from '../../src/ports/errors.js';
import { limitTable } from '../../src/wire/limits/limitTable.js';

const secret = new Uint8Array(32).fill(1);
const noon = Date.parse('2026-01-01T12:00:00Z');
const hour = 3_600;
const issuer = 'https://issuer.test';

interface Key {
  readonly jwk: JWK;
  readonly privateKey: CryptoKey;
}

const newKey = async (kid: string): Promise<Key> => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  return { jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256' }, privateKey };
};

const token = ({ jwk, privateKey }: Key, claims: object = {}, header: object = {}): Promise<string> =>
  new SignJWT({
    ...{ iss: issuer, aud: 'roomwire', sub: 'ada', exp: noon / 1_000 + hour, orgs: ['o1'] },
    ...claims,
  })
    .setProtectedHeader({ alg: 'ES256', kid: String(jwk.kid), typ: 'JWT', ...header })
    .sign(privateKey);

describe('session tokens of an OIDC issuer', () => {
  let key: Key;
  let keys: readonly JWK[];
  let asked = 0;
  let answer: RequestListener;
  let server: Server;
  let now = noon;

  const publish: RequestListener = (_request, response) => response.end(JSON.stringify({ keys }));
  const verifierOf = (claims = { organizations: 'orgs', operator: 'operator', roles: 'roles' }) => {
    const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`;
    const oidc = { jwksUrl, issuer, audience: 'roomwire', claims };
    return createSessionVerifier({ secret, oidc }, { now: () => noon, monotonic: () => now });
  };

  before(async () => {
    key = await newKey('k1');
    server = createServer((request, response) => {
      asked += 1;
      answer(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  beforeEach(() => {
    asked = 0;
    keys = [key.jwk];
    answer = publish;
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  it('are accepted by its key and for its audience, as another principal than a minted session', async () => {
    const verifier = verifierOf();
    expect(await verifier.verify(await token(key, { operator: true, jti: 'j1', iat: 5 }))).to.eql({
      subject: 'ada',
      principal: `oidc:${issuer}|ada`,
      organizationIds: ['o1'],
      isOperator: true,
      roles: new Map(),
      tokenId: 'j1',
      issuedAt: 5,
      expiresAt: noon / 1_000 + hour,
    });
    for (const claims of [
      { iss: 'https://other.test' },
      { iss: undefined },
      { aud: 'other' },
      { aud: undefined },
      { sub: undefined },
    ])
      expect(await verifier.verify(await token(key, claims)), JSON.stringify(claims)).to.equal(undefined);
    expect(await verifier.verify(await token(await newKey('k1')))).to.equal(undefined);
    const minted = { subject: 'ada', organizationIds: [], isOperator: false };
    const mint = (with_: Uint8Array) =>
      mintSessionToken(with_, minted, 60, { now: () => noon, monotonic: () => 0 });
    expect(await verifier.verify(await mint(new TextEncoder().encode(JSON.stringify(key.jwk))))).to.equal(
      undefined,
    );
    expect(await verifier.verify(await mint(secret))).to.include({ principal: 'session:ada' });
  });

  it('must expire, at most 24 hours ahead', async () => {
    const verifier = verifierOf();
    const expiring = async (seconds: number) =>
      verifier.verify(await token(key, { exp: noon / 1_000 + seconds }));
    expect(await expiring(24 * hour)).to.include({ subject: 'ada' });
    expect(await expiring(24 * hour + 1)).to.equal(undefined);
    expect(await expiring(-1)).to.equal(undefined);
    expect(await verifier.verify(await token(key, { exp: undefined }))).to.equal(undefined);
  });

  it('must not be of another type', async () => {
    const verifier = verifierOf();
    for (const typ of ['at+jwt', 'application/at+jwt', undefined])
      expect(await verifier.verify(await token(key, {}, { typ })), typ).to.include({ subject: 'ada' });
    for (const typ of ['logout+jwt', 'dpop+jwt', 'secevent+jwt', 'id_token'])
      expect(await verifier.verify(await token(key, {}, { typ })), typ).to.equal(undefined);
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    expect(await verifier.verify(await token(key, { events }))).to.equal(undefined);
  });

  it('say what they may do in claims of other names', async () => {
    const organization = 'aaaaaaaa-0000-4000-8000-000000000000';
    const names = { organizations: 'https://example.com/orgs', operator: 'staff', roles: 'org_roles' };
    const verifier = verifierOf(names);
    const claims = { 'https://example.com/orgs': [organization], staff: true };
    const found = await verifier.verify(
      await token(key, { ...claims, org_roles: { [organization]: 'viewer' } }),
    );
    expect(found).to.deep.include({
      organizationIds: [organization],
      isOperator: true,
      roles: new Map([[organization, 'viewer']]),
    });
    expect(await verifier.verify(await token(key, { orgs: ['o2'], operator: true }))).to.deep.include({
      organizationIds: [],
      isOperator: false,
    });
    expect(await verifier.verify(await token(key, { org_roles: ['viewer'] }))).to.equal(undefined);
  });

  it('that name unknown keys have the keys read again at most once in a while', async () => {
    const verifier = verifierOf();
    const rotated = await newKey('k2');
    await verifier.verify(await token(key));
    for (let number = 0; number < 20; number += 1)
      expect(await verifier.verify(await token(rotated, {}, { kid: `x${number}` }))).to.equal(undefined);
    expect(asked).to.equal(1);
  });

  it('cannot be verified while the issuer is away, which is asked at most once in a while', async () => {
    const verifier = verifierOf();
    const rejects = async (): Promise<void> => {
      const error: unknown = await verifier.verify(await token(key)).catch((failure: unknown) => failure);
      expect(error).to.be.instanceOf(EngineUnavailable);
    };
    const bad: Readonly<Record<string, RequestListener>> = {
      'an error': (_request, response) => response.writeHead(500).end('{"keys":[]}'),
      'a redirect': (_request, response) => response.writeHead(302, { location: '/jwks' }).end(),
      'no JSON': (_request, response) => response.end('<html>'),
      'no keys': (_request, response) => response.end('{}'),
      'too much': (_request, response) =>
        response.end(JSON.stringify({ keys, padding: ' '.repeat(limitTable.issuerKeysBytes.value) })),
      'an end in the middle': (_request, response) =>
        response.writeHead(200, { 'content-length': 100 }).write('{', () => response.destroy()),
    };
    let answers = 0;
    for (const [name, listener] of Object.entries(bad)) {
      answer = listener;
      for (let number = 0; number < 3; number += 1) await rejects();
      expect(asked, name).to.equal((answers += 1));
      now += limitTable.issuerPauseMs.value;
    }
    answer = publish;
    expect(await verifier.verify(await token(key))).to.include({ subject: 'ada' });
  });
});
