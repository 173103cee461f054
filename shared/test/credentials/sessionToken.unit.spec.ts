import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose';
import { createSessionVerifier, mintSessionToken } from '../../src/credentials/sessionToken.js';

const secret = new Uint8Array(32).fill(1);
const noon = Date.parse('2026-01-01T12:00:00Z');
const clockAt = (now: number) => ({ now: () => now, monotonic: () => now });
const session = { subject: 'ada', organizationIds: ['o1', 'o2'], isOperator: false };
const mint = (with_ = secret) => mintSessionToken(with_, session, 60, clockAt(noon));

describe('session tokens', () => {
  it('name their subject, organizations and expiry', async () => {
    const token = await mint();
    const verify = (now: number) => createSessionVerifier({ secret }, clockAt(now)).verify(token);
    expect(await verify(noon)).to.eql(session);
    expect(await verify(noon + 59_000)).to.eql(session);
    expect(await verify(noon + 61_000)).to.equal(undefined);
  });

  it('are refused when they are unsigned or signed with another secret', async () => {
    const verifier = createSessionVerifier({ secret }, clockAt(noon));
    const token = await mint(new Uint8Array(32).fill(2));
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1]}.`;
    for (const bad of [token, unsigned, '', 'a.b.c', 'x'.repeat(10_000)])
      expect(await verifier.verify(bad), bad).to.equal(undefined);
  });

  it('require an expiry and a subject', async () => {
    const verifier = createSessionVerifier({ secret }, clockAt(noon));
    const forever = new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('roomwire')
      .setSubject('ada');
    expect(await verifier.verify(await forever.sign(secret))).to.equal(undefined);
    for (const sub of [undefined, '', null, 5, {}, ['ada']]) {
      const nobody = new SignJWT({ sub } as unknown as JWTPayload)
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuer('roomwire')
        .setExpirationTime(noon / 1_000 + 60);
      expect(await verifier.verify(await nobody.sign(secret)), JSON.stringify(sub)).to.equal(undefined);
    }
  });

  describe('of an OIDC issuer', () => {
    it('are accepted by its key, for its audience, and not with the public key as an HMAC secret', async () => {
      const { publicKey, privateKey } = await generateKeyPair('RS256');
      const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256' };
      const server = createServer((_request, response) => response.end(JSON.stringify({ keys: [jwk] })));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`;
      const verifier = createSessionVerifier(
        { secret, oidc: { jwksUrl, issuer: 'https://issuer.test', audience: 'roomwire' } },
        clockAt(noon),
      );
      const issued = (issuer: string, audience: string) =>
        new SignJWT({ orgs: ['o1'], operator: true })
          .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
          .setSubject('ada')
          .setIssuer(issuer)
          .setAudience(audience)
          .setExpirationTime(noon / 1000 + 60)
          .sign(privateKey);
      try {
        expect(await verifier.verify(await issued('https://issuer.test', 'roomwire'))).to.eql({
          subject: 'ada',
          organizationIds: ['o1'],
          isOperator: true,
        });
        expect(await verifier.verify(await issued('https://other.test', 'roomwire'))).to.equal(undefined);
        expect(await verifier.verify(await issued('https://issuer.test', 'other'))).to.equal(undefined);
        expect(await verifier.verify(await mint(new TextEncoder().encode(JSON.stringify(jwk))))).to.equal(
          undefined,
        );
        expect(await verifier.verify(await mint())).to.eql(session);
      } finally {
        server.close();
      }
    });
  });
});
