import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { externalActorId } from '@roomwire/shared/credentials/externalActor';
import { eventually } from '@roomwire/testing/run/eventually';
import type { ApiClient } from '../../../support/apiClient.js';
import { type PastEvent, withLog, writeHistory } from '../../../support/eventLogAccess.js';
import {
  expectApplicationError,
  expectTime,
  expectUuid,
  expectValidationError,
} from '../../../support/shapes.js';
import { startTestService, type TestService } from '../../../support/testService.js';
import { sessionOf } from '../contract/world.js';

const unknownId = '11111111-2222-4333-8444-555555555555';
const organizationId = randomUUID();
const projectId = randomUUID();
const sessionSecret = new Uint8Array(32).fill(7);
const anHourMs = 3_600_000;
const hoursAgo = (hours: number) => new Date(Date.now() - hours * anHourMs).toISOString();

const past = (stream: string, type: string, hours: number, data: object): PastEvent => ({
  ...{ id: randomUUID(), stream, type, schemaVersion: 1, data },
  metadata: {
    ...{ occurredAt: hoursAgo(hours), organizationId, projectId, principal: 'system' },
    requestId: randomUUID(),
  },
});
const revocationOf = (name: string, hours: number) => {
  const [revocationId, subject] = [randomUUID(), `ext:${name}`];
  const actorTokenId = externalActorId(projectId, subject);
  const data = { revocationId, projectId, subject, actorTokenId, before: hoursAgo(hours) };
  return past(`tokenRevocation-${revocationId}`, 'TokensRevoked', hours, data);
};

/** A project that has revoked tokens before the service starts. */
const history: readonly PastEvent[] = [
  past(`organization-${organizationId}`, 'OrganizationCreated', 900, {
    ...{ organizationId, name: 'Past' },
    plan: { maxApps: null, maxConnections: null, monthlyMessages: null },
  }),
  past(`project-${projectId}`, 'ProjectCreated', 900, { projectId, organizationId, name: 'Past' }),
  revocationOf('gone', 31 * 24 + 1),
  revocationOf('over', 25),
  revocationOf('lasting', 23),
];

describe('REST revocations of client tokens', () => {
  let service: TestService;
  let client: ApiClient;
  let ownId: string;
  let ownOrganizationId: string;

  before(async () => {
    service = await startTestService({ sessionSecret }, (config) =>
      withLog(config, (log) => writeHistory(log, history)),
    );
  });
  after(() => service.close());
  beforeEach(
    async () =>
      void ({ client, projectId: ownId, organizationId: ownOrganizationId } = await service.newProject()),
  );

  const revoke = async (body: object): Promise<any> => {
    const answer = await client.post('/revocations', body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body;
  };
  const newActor = async (): Promise<any> =>
    (await client.post('/actors', { name: 'Ada', actorType: 'user' })).body;
  const listed = async (query = ''): Promise<any> => (await client.get(`/revocations${query}`)).body;

  const subjectsOf = ({ data }: any): readonly string[] =>
    (data as { readonly subject: string }[]).map(({ subject }) => subject);

  it('[HTTP-REVOKE-1] are made now by default, and shown', async () => {
    const began = new Date().toISOString();
    const record = await revoke({ subject: 'ext:ada' });
    expect(record).to.have.all.keys('revocationId', 'projectId', 'subject', 'before', 'createdAt');
    expectUuid(record.revocationId);
    for (const time of ['before', 'createdAt']) expectTime(record[time]);
    expect(record).to.include({ projectId: ownId, subject: 'ext:ada', before: record.createdAt });
    expect(record.before >= began && record.before <= new Date().toISOString()).to.equal(true);
    expect(await listed()).to.eql({ data: [record], next: null });
  });

  it('[HTTP-REVOKE-1] are about an actor by its id or its keyId, or about anybody whom a token may name', async () => {
    const { actorTokenId, keyId } = await newActor();
    const before = '2020-01-01T02:00:00+02:00';
    for (const subject of [actorTokenId, (actorTokenId as string).toUpperCase(), keyId])
      expect(await revoke({ subject, before })).to.include({
        ...{ subject: actorTokenId, before: '2020-01-01T00:00:00.000Z' },
      });
    for (const subject of ['ext:a', `ext:${'😀'.repeat(200)}`]) await revoke({ subject });
    expect((await listed()).data).to.have.length(5);
  });

  it('[HTTP-REVOKE-1] are refused for a time to come and for what is no subject', async () => {
    const before = new Date(Date.now() + 60_000).toISOString();
    for (const subject of ['ext:ada', unknownId, 'at_live_0123'])
      expectValidationError(await client.post('/revocations', { subject, before }), 'before');
    expectValidationError(await client.post('/revocations', {}), 'subject');
    for (const subject of ['', 'ada', 'ext:', `ext:${'a'.repeat(201)}`, 'EXT:ada', 'ext:\ud800', 7])
      expectValidationError(await client.post('/revocations', { subject }), 'subject');
    expectValidationError(await client.post('/revocations', { subject: 'ext:a', until: 1 }), 'until');
    const foreign = (await service.project.post('/actors', { name: 'Eve', actorType: 'user' })).body;
    for (const subject of [unknownId, foreign.actorTokenId, foreign.keyId, 'at_live_0123'])
      expectApplicationError(
        await client.post('/revocations', { subject }),
        404,
        `Actor token ${subject} not found`,
      );
    expect(await listed()).to.eql({ data: [], next: null });
  });

  it('[HTTP-REVOKE-1] are listed in pages, the newest first, each project its own', async () => {
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      ids.unshift((await revoke({ subject: `ext:${name}` })).revocationId);
    const seen: string[] = [];
    for (let query = '?limit=2'; query !== '';) {
      const { data, next } = await listed(query);
      for (const { revocationId } of data) seen.push(revocationId);
      expect(data.length).to.equal(next === null ? 1 : 2);
      query = next === null ? '' : `?limit=2&cursor=${next}`;
    }
    expect(seen).to.eql(ids);
    expect((await listed('?limit=0')).data).to.have.length(1);
    expectValidationError(await client.get('/revocations?limit=many'), 'limit');
    expectValidationError(await client.get('/revocations?cursor=x'), 'cursor');
    const other = await service.newProject();
    expect((await other.client.get('/revocations')).body).to.eql({ data: [], next: null });
  });

  it('[HTTP-REVOKE-4] of an actor go with it', async () => {
    const { actorTokenId } = await newActor();
    const { revocationId } = await revoke({ subject: actorTokenId });
    await revoke({ subject: 'ext:stays' });
    expect((await client.delete(`/actors/${actorTokenId}`)).status).to.equal(204);
    expect(subjectsOf(await listed())).to.eql(['ext:stays']);
    const query = `resourceId=${revocationId}&at=${new Date(Date.now() + 1_000).toISOString()}`;
    const path = `/organizations/${ownOrganizationId}/audit/state?${query}`;
    const { status, body } = await service.operator.get(path);
    expect(status).to.equal(200);
    expect(body).to.include({ resourceType: 'tokenRevocations', record: null });
  });

  it('[HTTP-REVOKE-4] of an external actor are kept for a day, and end with an event when nothing is scheduled any more', async () => {
    const organization = `/organizations/${organizationId}`;
    const keys = `${organization}/projects/${projectId}/api-keys`;
    const { apiKey } = (await service.operator.post(keys, { name: 'Key' })).body;
    expect(subjectsOf((await service.client(apiKey).get('/revocations')).body)).to.eql(['ext:lasting']);
    const member = service.client(await sessionOf(organizationId));
    const ended = async () =>
      (await member.get(`${organization}/audit?type=TokenRevocationExpired`)).body.data as any[];
    await eventually(async () => (await ended()).length > 0, { withinMs: 10_000 });
    const [event, ...others] = await ended();
    expect(others).to.eql([]);
    expect(event).to.deep.include({
      ...{ principal: 'system', projectId, resourceIds: [(history[2]?.data as any).revocationId] },
    });
  });
});

describe('REST signing keys for external actors', () => {
  let service: TestService;

  before(async () => void (service = await startTestService()));
  after(() => service.close());

  it('[WS-EXT-1] show that they allow them, and nothing where they do not', async () => {
    const { project } = service;
    const name = 'allowExternalActors';
    const plain = (await project.post('/signing-keys', { name: 'Plain' })).body;
    const declined = (await project.post('/signing-keys', { name: 'No', [name]: false })).body;
    const allowing = (await project.post('/signing-keys', { name: 'Yes', [name]: true })).body;
    for (const key of [plain, declined]) expect(key).to.not.have.property(name);
    expect(allowing).to.have.property(name, true);
    const path = `/signing-keys/${allowing.signingKeyId}`;
    expect((await project.get(path)).body).to.have.property(name, true);
    expect((await project.patch(path, { name: 'Renamed' })).body).to.have.property(name, true);
    expect((await project.patch(path, { [name]: false })).body).to.not.have.property(name);
    const { updatedAt } = (await project.get(path)).body;
    expect((await project.patch(path, { [name]: false })).body).to.deep.include({ updatedAt });
    expect((await project.patch(path, { [name]: true })).body).to.have.property(name, true);
    const shown = (await project.get('/signing-keys?orderBy[]=name:ASC')).body.data as object[];
    expect(shown.map((key) => Object.hasOwn(key, name))).to.eql([false, false, true]);
    for (const value of ['true', 1, null])
      expectValidationError(await project.patch(path, { [name]: value }), name);
  });
});
