import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import { mintSessionToken } from '@roomwire/shared/credentials/sessionToken';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { readConfig } from '../../../src/config/config.js';
import { expectApplicationError } from '../../support/shapes.js';
import { startTestService, type TestService } from '../../support/testService.js';

const issuer = 'https://issuer.test/';
const sessionSecret = new Uint8Array(32).fill(7);

describe('Sessions of an OIDC issuer', () => {
  let service: TestService;
  let server: Server;
  let privateKey: CryptoKey;
  let publicKey: object;
  let isUp: boolean;

  const client = async (claims: object) =>
    service.client(
      await new SignJWT({ iss: issuer, aud: 'roomwire', sub: 'ada', ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'k1', typ: 'at+jwt' })
        .setExpirationTime('1h')
        .sign(privateKey),
    );

  before(async () => {
    const pair = await generateKeyPair('ES256');
    ({ privateKey } = pair);
    publicKey = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256' };
    server = createServer((_request, response) =>
      isUp ? response.end(JSON.stringify({ keys: [publicKey] })) : response.writeHead(500).end(),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  beforeEach(async () => {
    isUp = true;
    const { oidc } = readConfig({
      ROOMWIRE_SESSION_JWKS_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      ROOMWIRE_SESSION_ISSUER: issuer,
      ROOMWIRE_SESSION_AUDIENCE: 'roomwire',
      ROOMWIRE_SESSION_ORGS_CLAIM: 'https://example.com/orgs',
    });
    service = await startTestService({ oidc, sessionSecret });
  });
  afterEach(() => service.close());
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  it('are another principal in the history than minted ones of the same subject', async () => {
    const { organizationId } = service.credentials;
    const path = `/organizations/${organizationId}`;
    const issued = await client({ 'https://example.com/orgs': [organizationId] });
    const claims = { subject: 'ada', organizationIds: [organizationId], isOperator: false };
    const minted = service.client(await mintSessionToken(sessionSecret, claims, 60, systemClock));
    await issued.patch(path, { name: 'By the issuer' });
    await minted.patch(path, { name: 'By the other' });
    for (const [principal, name] of [
      [`oidc:${issuer}|ada`, 'By the issuer'],
      ['session:ada', 'By the other'],
    ] as const) {
      const { body } = await minted.get(`${path}/audit?principal=${encodeURIComponent(principal)}`);
      expect(body.data).to.have.length(1);
      expect(body.data[0]).to.deep.include({ principal, data: { organizationId, changes: { name } } });
    }
    const other = await client({ orgs: [organizationId] });
    expectApplicationError(await other.get(path), 404, `Organization ${organizationId} not found`);
  });

  it('are answered 503 while its keys cannot be read, and minted ones are not', async () => {
    isUp = false;
    const answer = await (await client({ operator: true })).get('/organizations');
    expectApplicationError(answer, 503, 'The service is temporarily unavailable, please try again');
    expect((await service.operator.get('/organizations')).status).to.equal(200);
  });
});
