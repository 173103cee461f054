import { expect } from 'chai';
import { decodeJwt } from 'jose';
import { mintSessionToken, type NewSession } from '@roomwire/shared/credentials/sessionToken';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import type { ApiClient } from '../../../support/apiClient.js';
import type { Answer } from '../../../support/conformance.js';
import { expectApplicationError } from '../../../support/shapes.js';
import { startTestService, type TestService } from '../../../support/testService.js';

const sessionSecret = new Uint8Array(32).fill(7);
/** A revocation of a subject is about the sessions of earlier seconds. */
const earlier = { ...systemClock, now: () => systemClock.now() - 5_000 };
const later = { ...systemClock, now: () => systemClock.now() + 5_000 };

interface TestSession {
  readonly client: ApiClient;
  readonly jti: string;
}

describe('REST session revocations', () => {
  let service: TestService;
  let organizationId: string;
  let path: string;
  let admin: TestSession;

  const session = async (claims: Partial<NewSession>, clock = earlier): Promise<TestSession> => {
    const all = { subject: 'ada', organizationIds: [organizationId], isOperator: false, ...claims };
    const token = await mintSessionToken(sessionSecret, all, 3_600, clock);
    return { client: service.client(token), jti: String(decodeJwt(token).jti) };
  };
  const revoke = async (by: ApiClient, body: object, organization = organizationId): Promise<any> => {
    const answer = await by.post(`/organizations/${organization}/session-revocations`, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body;
  };
  const expectEnded = (answer: Answer): void =>
    expectApplicationError(answer, 401, 'Invalid or expired session token');
  const expectRevoked = (answer: Answer): void =>
    expectApplicationError(answer, 401, 'The organization has revoked this session');

  before(async () => void (service = await startTestService({ sessionSecret })));
  after(() => service.close());
  beforeEach(async () => {
    ({ organizationId } = await service.newProject());
    path = `/organizations/${organizationId}`;
    admin = await session({ subject: 'admin' });
  });

  it('end one session by its id with the very next request, and no other', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [lost, kept] = [await session({}), await session({})];
      expect((await lost.client.get(path)).status).to.equal(200);
      expect(await revoke(admin.client, { jti: lost.jti })).to.deep.include({
        ...{ organizationId, jti: lost.jti, subject: null, byOperator: false },
      });
      expectEnded(await lost.client.get(path));
      expectEnded(await lost.client.get('/organizations'));
      expectEnded(await lost.client.post(`${path}/projects`, { name: 'P' }));
      expect((await kept.client.get(path)).status).to.equal(200);
    }
  });

  it('end what a subject has, and not what it gets afterwards', async () => {
    const before = await session({});
    const record = await revoke(admin.client, { subject: 'ada' });
    expect(record).to.have.all.keys(
      ...['revocationId', 'organizationId', 'jti', 'subject', 'byOperator', 'createdAt'],
    );
    expectEnded(await before.client.get(path));
    const next = await session({}, later);
    expect((await next.client.get(path)).status).to.equal(200);
    expect((await admin.client.get(path)).status).to.equal(200);
    // The principal of the minted subject, and that of an issuer.
    const [bob, eve] = [await session({ subject: 'bob' }), await session({ subject: 'eve' })];
    await revoke(admin.client, { subject: 'session:bob' });
    await revoke(admin.client, { subject: 'oidc:https://issuer.test/|eve' });
    expectEnded(await bob.client.get(path));
    expect((await eve.client.get(path)).status).to.equal(200);
  });

  it('take a session away from their own organization alone', async () => {
    const other = (await service.newProject()).organizationId;
    const both = await session({ organizationIds: [organizationId, other] });
    const theirs = await session({ organizationIds: [other] });
    await revoke(admin.client, { subject: 'ada' });
    await revoke(admin.client, { jti: theirs.jti });
    expectRevoked(await both.client.get(path));
    expectRevoked(await both.client.post(`${path}/projects`, { name: 'P' }));
    const data = (await both.client.get('/organizations')).body.data as { organizationId: string }[];
    expect(data.map((each) => each.organizationId)).to.eql([other]);
    for (const { client } of [both, theirs])
      expect((await client.get(`/organizations/${other}`)).status).to.equal(200);
  });

  it('end the sessions of operators only when an operator makes them', async () => {
    const operator = await session({ subject: 'staff', organizationIds: [], isOperator: true });
    await revoke(admin.client, { subject: 'staff' });
    await revoke(admin.client, { jti: operator.jti });
    expect((await operator.client.get(path)).status).to.equal(200);
    expect(await revoke(service.operator, { jti: operator.jti })).to.include({ byOperator: true });
    // A later one by the organization does not take its place.
    await revoke(admin.client, { jti: operator.jti });
    expectEnded(await operator.client.get(path));
    expectEnded(await operator.client.get('/organizations'));
  });

  it('name one session or one subject, and are made by admins', async () => {
    const revocations = `${path}/session-revocations`;
    for (const body of [{}, { jti: 'a', subject: 'b' }])
      expectApplicationError(
        await admin.client.post(revocations, body),
        400,
        'Exactly one of jti and subject must be provided.',
      );
    const editor = await session({ subject: 'ed', roles: { [organizationId]: 'editor' } });
    expect((await editor.client.post(revocations, { subject: 'ada' })).status).to.equal(403);
    expect((await editor.client.get(revocations)).status).to.equal(200);
  });

  it('are listed, of several for one subject the latest, and are in the history', async () => {
    const first = await revoke(admin.client, { subject: 'ada' });
    const jti = await revoke(admin.client, { jti: 'ada' });
    const second = await revoke(admin.client, { subject: 'ada' });
    const { data, pagination } = (await admin.client.get(`${path}/session-revocations`)).body;
    expect(data).to.eql([second, jti]);
    expect(pagination).to.eql({ total: 2, page: 1, pageCount: 1 });
    const answer = await admin.client.get(`${path}/audit?type=SessionRevoked`);
    const history = answer.body.data as { principal: string; data: { revocationId: string } }[];
    expect(history.map((entry) => entry.data.revocationId)).to.eql(
      [second, jti, first].map(({ revocationId }) => revocationId),
    );
    expect(history[0]).to.include({ principal: 'session:admin' });
  });
});
