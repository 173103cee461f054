import { expect } from 'chai';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import type { NewSession } from '@roomwire/shared/credentials/sessionToken';
import { mintSignInCode } from '@roomwire/shared/credentials/signInCode';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import type { ApiClient } from '../../support/apiClient.js';
import { expectApplicationError, expectValidationError } from '../../support/shapes.js';
import { startTestService, type TestService } from '../../support/testService.js';

const sessionSecret = new Uint8Array(32).fill(7);
const consoleOidc = {
  ...{ issuer: 'https://issuer.test', clientId: 'console', scope: 'openid', audience: 'roomwire' },
  authorizationEndpoint: 'https://issuer.test/authorize',
  tokenEndpoint: 'https://issuer.test/token',
};

describe('signing in to the console', () => {
  let service: TestService;
  let stranger: ApiClient;
  let organizationId: string;

  before(async () => {
    service = await startTestService({ sessionSecret, consoleOidc });
    stranger = service.client(undefined);
    ({ organizationId } = await service.newProject());
  });
  after(() => service.close());

  const codeOf = (
    fields: Partial<NewSession> = {},
    clock: { now(): number } = systemClock,
    secret = sessionSecret,
  ) =>
    mintSignInCode(
      secret,
      { subject: 'ada', organizationIds: [organizationId], isOperator: false, ...fields },
      clock,
      systemRandom,
    );
  const signIn = (code: unknown) => stranger.post('/console/sign-in', { code });
  const isRefused = async (code: string): Promise<void> =>
    expectApplicationError(await signIn(code), 401, 'Invalid, used or expired code');

  it('says without a credential which ways there are', async () => {
    const { status, body } = await stranger.get('/console/sign-in');
    expect(status).to.equal(200);
    expect(body).to.deep.equal({ code: true, token: true, oidc: consoleOidc });
  });

  it('makes a session of a code, with the role that it was made for, and says what it opens', async () => {
    const roles = { [organizationId]: 'viewer' } as const;
    const { status, body } = await signIn(codeOf({ roles }));
    expect(status).to.equal(200);
    expect(Date.parse(body.expiresAt) - Date.now()).to.be.within(43_100_000, 43_200_000);
    const client = service.client(body.token);
    const own = (await client.get('/console/session')).body;
    expect(own).to.deep.include({ principal: 'session:ada', isOperator: false, hasMore: false });
    expect(own.organizations).to.deep.equal([
      { organizationId, name: 'Other', status: 'active', role: 'viewer' },
    ]);
    expect((await client.post(`/organizations/${organizationId}/projects`, { name: 'P' })).status).to.equal(
      403,
    );
    const { body: audit } = await client.get(`/organizations/${organizationId}/audit?type=ConsoleSignedIn`);
    expect(audit.data[0]).to.include({ principal: 'session:ada' });
  });

  it('makes one session of a code, however many ask at once', async () => {
    const code = codeOf({ isOperator: true, organizationIds: [] });
    const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await signIn(code)).status));
    expect(statuses.toSorted()).to.deep.equal([200, 401, 401, 401, 401]);
    await isRefused(code);
  });

  it('refuses what is no code of this service, or an old one', async () => {
    const clock = new ManualClock();
    clock.pass(Date.now() - 901_000 - clock.now());
    const code = codeOf();
    const [claims = '', signature = ''] = code.split('.');
    const [expiresAt, nonce, subject] = JSON.parse(Buffer.from(claims, 'base64url').toString()) as unknown[];
    const forged = Buffer.from(JSON.stringify([expiresAt, nonce, subject, 1, []])).toString('base64url');
    for (const bad of [
      codeOf({}, clock),
      codeOf({}, systemClock, new Uint8Array(32)),
      `${forged}.${signature}`,
      'x',
      claims,
    ])
      await isRefused(bad);
    for (const bad of ['', 7, null]) expectValidationError(await signIn(bad), 'code');
    expect((await signIn(code)).status).to.equal(200);
  });
});
