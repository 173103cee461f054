import { expect } from 'chai';
import { mintSessionToken } from '@roomwire/shared/credentials/sessionToken';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import type { ApiClient } from '../../../support/apiClient.js';
import {
  expectApplicationError,
  expectFrameworkError,
  expectValidationError,
} from '../../../support/shapes.js';
import { startTestService, type TestService } from '../../../support/testService.js';

const sessionSecret = new Uint8Array(32).fill(7);

describe('REST provisioning', () => {
  let service: TestService;
  let operator: ApiClient;

  const session = async (organizationIds: string[], isOperator = false, seconds = 60): Promise<ApiClient> =>
    service.client(
      await mintSessionToken(
        sessionSecret,
        { subject: 'ada', organizationIds, isOperator },
        seconds,
        systemClock,
      ),
    );

  before(async () => {
    service = await startTestService({ sessionSecret });
    ({ operator } = service);
  });
  after(() => service.close());

  it('creates, changes and lists organizations', async () => {
    const before = (await operator.get('/organizations')).body.pagination.total as number;
    const { status, body } = await operator.post('/organizations', { name: 'Acme', plan: { maxApps: 3 } });
    expect(status).to.equal(201);
    expect(body).to.deep.include({
      name: 'Acme',
      status: 'active',
      plan: { maxApps: 3, maxConnections: null, monthlyMessages: null },
    });
    const path = `/organizations/${body.organizationId}`;
    const changed = await operator.patch(path, {
      name: 'Acme 2',
      status: 'suspended',
      plan: { monthlyMessages: 10 },
    });
    expect(changed.body).to.deep.include({
      name: 'Acme 2',
      status: 'suspended',
      plan: { maxApps: 3, maxConnections: null, monthlyMessages: 10 },
    });
    expect((await operator.get(path)).body).to.eql(changed.body);
    const list = (await operator.get('/organizations')).body;
    expect(list.data[0]).to.eql(changed.body);
    expect(list.pagination.total).to.equal(before + 1);
    expectValidationError(
      await operator.post('/organizations', { name: 'x', plan: { maxApps: -1, other: 1 } }),
      'plan.maxApps',
      'plan.other',
    );
  });

  it('shows a session only its own organizations', async () => {
    const mine = (await operator.post('/organizations', { name: 'Mine' })).body;
    const theirs = (await operator.post('/organizations', { name: 'Theirs' })).body;
    const ada = await session([mine.organizationId]);
    expect((await ada.get('/organizations')).body.data).to.eql([mine]);
    expect((await ada.get(`/organizations/${mine.organizationId}`)).body).to.eql(mine);
    for (const path of ['', '/projects', '/api-keys'])
      expectApplicationError(
        await ada.get(`/organizations/${theirs.organizationId}${path}`),
        404,
        `Organization ${theirs.organizationId} not found`,
      );
  });

  it('reserves plans, status and new organizations for operators', async () => {
    const { organizationId } = (await operator.post('/organizations', { name: 'Mine' })).body;
    const ada = await session([organizationId]);
    const path = `/organizations/${organizationId}`;
    for (const answer of [
      await ada.post('/organizations', { name: 'x' }),
      await ada.patch(path, { plan: { maxApps: 9 } }),
      await ada.patch(path, { status: 'active' }),
    ])
      expectFrameworkError(answer, 403, 'This needs an operator session', 'Forbidden');
    expect((await ada.patch(path, { name: 'Renamed' })).body.name).to.equal('Renamed');
  });

  it('creates projects and their keys, and deletes them', async () => {
    const { organizationId } = (await operator.post('/organizations', { name: 'Acme' })).body;
    const projects = `/organizations/${organizationId}/projects`;
    const project = (await operator.post(projects, { name: 'P' })).body;
    expect(project).to.include({ organizationId, name: 'P' });
    const path = `${projects}/${project.projectId}`;
    expect((await operator.patch(path, { name: 'Q' })).body.name).to.equal('Q');
    expect((await operator.get(projects)).body.data).to.have.length(1);

    const created = await operator.post(`${path}/api-keys`, { name: 'K', expiresAt: '2099-01-01T00:00:00Z' });
    expect(created.status).to.equal(201);
    const { apiKey, ...key } = created.body;
    expect(apiKey).to.match(/^ak_live_[0-9a-f]{24}\.[A-Za-z0-9_-]{49}$/);
    expect(key).to.include({
      organizationId,
      projectId: project.projectId,
      expiresAt: '2099-01-01T00:00:00.000Z',
    });
    expect((await operator.get(`${path}/api-keys`)).body.data).to.eql([key]);

    const client = service.client(apiKey);
    expect((await client.get('/apps')).status).to.equal(200);
    expect((await operator.delete(`${path}/api-keys/${key.apiKeyId}`)).status).to.equal(204);
    expectApplicationError(await client.get('/apps'), 401, 'Invalid or expired API key');
    expectApplicationError(
      await operator.delete(`${path}/api-keys/${key.apiKeyId}`),
      404,
      `API key ${key.apiKeyId} not found`,
    );
  });

  it('answers 404 for a project or a key through another organization or project', async () => {
    const { organizationId } = (await operator.post('/organizations', { name: 'Other' })).body;
    const mine = service.credentials;
    expectApplicationError(
      await operator.get(`/organizations/${organizationId}/projects/${mine.projectId}`),
      404,
      `Project ${mine.projectId} not found`,
    );
    expectApplicationError(
      await operator.delete(`/organizations/${organizationId}/api-keys/${mine.apiKeyId}`),
      404,
      `API key ${mine.apiKeyId} not found`,
    );
    expectApplicationError(
      await operator.delete(`/organizations/${mine.organizationId}/api-keys/${mine.apiKeyId}`),
      404,
      `API key ${mine.apiKeyId} not found`,
    );
    expect((await service.project.get('/apps')).status).to.equal(200);
  });

  it('deletes everything with a project', async () => {
    const { organizationId, projectId, client } = await service.newProject();
    await client.post('/apps', { name: 'A' });
    const path = `/organizations/${organizationId}/projects/${projectId}`;
    expect((await operator.delete(path)).status).to.equal(204);
    expectApplicationError(await client.get('/apps'), 401, 'Invalid or expired API key');
    expectApplicationError(await operator.get(`${path}/api-keys`), 404, `Project ${projectId} not found`);
    expectApplicationError(
      await operator.post(`${path}/api-keys`, { name: 'x' }),
      404,
      `Project ${projectId} not found`,
    );
    expect((await operator.get(`/organizations/${organizationId}/projects`)).body.data).to.eql([]);
  });

  it('shows a secret once and never logs it', async () => {
    const { organizationId } = service.credentials;
    const { apiKey } = (await operator.post(`/organizations/${organizationId}/api-keys`, { name: 'once' }))
      .body;
    const secret = (apiKey as string).split('.')[1] ?? '';
    const list = await operator.get(`/organizations/${organizationId}/api-keys`);
    expect(JSON.stringify(list.body)).to.not.include(secret).and.not.match(/hash/i);
    expect(JSON.stringify(service.logLines)).to.not.include(secret);
  });
});
