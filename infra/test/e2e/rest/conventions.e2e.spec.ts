import { expect } from 'chai';
import type { ApiClient } from '../../support/apiClient.js';
import { expectApplicationError, expectFrameworkError, expectValidationError } from '../../support/shapes.js';
import { startTestService, type TestService } from '../../support/testService.js';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

interface Endpoint {
  readonly method: Method;
  readonly path: string;
  /** A body that is valid as far as the schema goes. */
  readonly body?: Readonly<Record<string, unknown>>;
}

const id = '11111111-2222-4333-8444-555555555555';

const projectEndpoints: readonly Endpoint[] = [
  { method: 'GET', path: '/apps' },
  { method: 'POST', path: '/apps', body: { name: 'x' } },
  { method: 'GET', path: '/apps/{appId}' },
  { method: 'PATCH', path: '/apps/{appId}', body: {} },
  { method: 'DELETE', path: '/apps/{appId}' },
  { method: 'POST', path: '/apps/{appId}/reset-to-blueprint' },
  { method: 'GET', path: '/apps/{appId}/rooms' },
  { method: 'POST', path: '/apps/{appId}/rooms', body: { name: 'x' } },
  { method: 'POST', path: '/apps/{appId}/rooms/ensure', body: { name: 'x' } },
  { method: 'GET', path: '/apps/{appId}/rooms/{roomId}' },
  { method: 'PATCH', path: '/apps/{appId}/rooms/{roomId}', body: {} },
  { method: 'DELETE', path: '/apps/{appId}/rooms/{roomId}' },
  { method: 'GET', path: '/actors' },
  { method: 'POST', path: '/actors', body: { name: 'x', actorType: 'user' } },
  { method: 'GET', path: '/actors/{actorId}' },
  { method: 'PATCH', path: '/actors/{actorId}', body: {} },
  { method: 'DELETE', path: '/actors/{actorId}' },
];

const sessionEndpoints: readonly Endpoint[] = [
  { method: 'GET', path: '/organizations' },
  { method: 'POST', path: '/organizations', body: { name: 'x' } },
  { method: 'GET', path: '/organizations/{orgId}' },
  { method: 'PATCH', path: '/organizations/{orgId}', body: {} },
  { method: 'GET', path: '/organizations/{orgId}/projects' },
  { method: 'POST', path: '/organizations/{orgId}/projects', body: { name: 'x' } },
  { method: 'GET', path: '/organizations/{orgId}/projects/{projectId}' },
  { method: 'PATCH', path: '/organizations/{orgId}/projects/{projectId}', body: {} },
  { method: 'DELETE', path: '/organizations/{orgId}/projects/{projectId}' },
  { method: 'GET', path: '/organizations/{orgId}/projects/{projectId}/api-keys' },
  { method: 'POST', path: '/organizations/{orgId}/projects/{projectId}/api-keys', body: { name: 'x' } },
  { method: 'DELETE', path: '/organizations/{orgId}/projects/{projectId}/api-keys/{apiKeyId}' },
  { method: 'GET', path: '/organizations/{orgId}/api-keys' },
  { method: 'POST', path: '/organizations/{orgId}/api-keys', body: { name: 'x' } },
  { method: 'DELETE', path: '/organizations/{orgId}/api-keys/{apiKeyId}' },
];

const call = (client: ApiClient, { method, path, body }: Endpoint, value = id) =>
  client.send(path.replace(/\{\w+\}/g, value), {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });

const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`;

const itTakesOnlyItsBody = (endpoint: Endpoint, client: () => ApiClient): void => {
  const send = (body: string, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
    client().send(endpoint.path.replace(/\{\w+\}/g, id), { method: endpoint.method, body, headers });

  it('refuses fields that it does not know, one entry for each', async () => {
    const body = { ...endpoint.body, projectId: 'p', createdAt: 1, isStatic: true };
    const answer = await send(JSON.stringify(body));
    expectValidationError(answer, 'projectId', 'createdAt', 'isStatic');
    expect(answer.body.errors[0]).to.include({ value: 'p' });
  });

  it('refuses a body that is not an object, or none', async () => {
    for (const body of ['[]', 'null', '7', '"x"']) expectValidationError(await send(body), '');
    expectValidationError(await send('', {}), '');
  });

  it('refuses what is not JSON, is too large, is nested too deeply, or is of another type', async () => {
    expectApplicationError(await send('{"name":'), 400, 'The body is not valid JSON');
    const large = JSON.stringify({ name: 'x'.repeat(1024 * 1024) });
    expectApplicationError(await send(large), 413, 'The body is larger than 1048576 bytes');
    const nested = `{"metadata":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expectValidationError(await send(nested), '');
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
    ])
      expectApplicationError(
        await send('{"name":"x"}', { 'content-type': type }),
        415,
        'Content-Type must be application/json',
      );
  });

  it('never takes __proto__ for anything', async () => {
    expectValidationError(await send('{"__proto__":{"isOperator":true}}'), '__proto__');
    expectValidationError(await send('{"metadata":{"a":{"__proto__":{"polluted":true}}}}'), '__proto__');
    expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
  });
};

describe('REST conventions', () => {
  let service: TestService;
  let organizationKey: string;
  let expiredKey: string;

  before(async () => {
    service = await startTestService();
    const { organizationId, projectId } = service.credentials;
    const organization = `/organizations/${organizationId}`;
    organizationKey = (await service.operator.post(`${organization}/api-keys`, { name: 'org' })).body.apiKey;
    expiredKey = (
      await service.operator.post(`${organization}/projects/${projectId}/api-keys`, {
        name: 'old',
        expiresAt: '2020-01-01T00:00:00Z',
      })
    ).body.apiKey;
  });
  after(() => service.close());

  for (const endpoint of projectEndpoints) {
    describe(nameOf(endpoint), () => {
      it('asks for a valid, project-scoped API key, whatever else is wrong', async () => {
        const broken: Endpoint = { ...endpoint, ...(endpoint.body ? { body: { unknown: true } } : {}) };
        const answerTo = (credential: string | undefined) =>
          call(service.client(credential), broken, 'not-a-uuid');
        expectApplicationError(await answerTo(undefined), 401, 'Authorization header not provided');
        for (const bad of [
          'nonsense',
          `ak_live_0.${'a'.repeat(43)}`,
          service.credentials.apiKey.slice(0, -1),
          expiredKey,
        ])
          expectApplicationError(await answerTo(bad), 401, 'Invalid or expired API key');
        expectApplicationError(
          await answerTo(service.credentials.sessionToken),
          401,
          'Token type not allowed for this route',
        );
        expectFrameworkError(
          await answerTo(organizationKey),
          403,
          'API key must be project-scoped to access this endpoint',
          'Forbidden',
        );
      });

      const [, parameter] = /\{(\w+)\}$/.exec(endpoint.path) ?? /\{(\w+)\}/.exec(endpoint.path) ?? [];
      if (parameter !== undefined) {
        it('refuses an id that is none, before it looks', async () => {
          const path = endpoint.path.replace(`{${parameter}}`, 'nonsense');
          const message =
            parameter === 'actorId'
              ? 'Invalid actorId: must be a UUID or public keyId (at_...)'
              : `Invalid ${parameter} UUID format`;
          expectApplicationError(await call(service.project, { ...endpoint, path }), 400, message);
        });

        it('knows nothing that is not there', async () => {
          const answer = await call(service.project, endpoint);
          if (parameter === 'actorId') expectApplicationError(answer, 404, `Actor token ${id} not found`);
          else
            expectFrameworkError(
              answer,
              404,
              `App ${id} not found in project ${service.credentials.projectId}`,
              'Not Found',
            );
        });
      }

      if (endpoint.body !== undefined) itTakesOnlyItsBody(endpoint, () => service.project);
    });
  }

  for (const endpoint of sessionEndpoints) {
    describe(nameOf(endpoint), () => {
      it('asks for a user session token', async () => {
        const answerTo = (credential: string | undefined) => call(service.client(credential), endpoint);
        expectApplicationError(await answerTo(undefined), 401, 'Authorization header not provided');
        expectApplicationError(await answerTo('a.b.c'), 401, 'Invalid or expired session token');
        for (const key of [service.credentials.apiKey, organizationKey])
          expectApplicationError(await answerTo(key), 401, 'Token type not allowed for this route');
      });

      if (endpoint.path.includes('{orgId}')) {
        it('knows no organization that is not there', async () => {
          expectApplicationError(await call(service.operator, endpoint), 404, `Organization ${id} not found`);
        });
        it('refuses an id that is none', async () => {
          expectApplicationError(
            await call(service.operator, endpoint, 'x'),
            400,
            'Invalid orgId UUID format',
          );
        });
      }

      if (endpoint.body !== undefined) itTakesOnlyItsBody(endpoint, () => service.operator);
    });
  }

  it('accepts the bearer scheme in any case, and no other scheme', async () => {
    const { apiKey } = service.credentials;
    const send = (authorization: string) =>
      service.client(undefined).send('/apps', { headers: { authorization } });
    expect((await send(`bearer ${apiKey}`)).status).to.equal(200);
    for (const bad of [`Basic ${apiKey}`, apiKey, 'Bearer', `Bearer ${apiKey} x`])
      expectApplicationError(await send(bad), 401, 'Invalid or expired API key');
  });

  it('answers an unknown route with 404 in the application shape', async () => {
    expectApplicationError(await service.project.get('/nothing'), 404, 'Cannot GET /v1/nothing');
  });

  it('answers another method with 405, and the ones that there are', async () => {
    const answer = await service.client(undefined).send('/apps', { method: 'PUT' });
    expectApplicationError(answer, 405, 'Cannot PUT /v1/apps');
    expect(answer.headers.get('allow')).to.equal('GET, HEAD, POST');
  });

  it('survives a path that cannot be decoded', async () => {
    expect((await service.project.get('/apps/%E0%A4%A')).status).to.equal(400);
  });

  it('names each request', async () => {
    const { headers } = await service.project.get('/apps');
    expect(headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
  });

  it('shows nobody the things of another project', async () => {
    const other = await service.newProject();
    const app = (await other.client.post('/apps', { name: 'Theirs' })).body;
    const room = (await other.client.post(`/apps/${app.appId}/rooms`, { name: 'Theirs' })).body;
    const actor = (await other.client.post('/actors', { name: 'Theirs', actorType: 'user' })).body;
    const mine = (await service.project.post('/apps', { name: 'Mine' })).body;

    const appMessage = `App ${app.appId} not found in project ${service.credentials.projectId}`;
    for (const endpoint of projectEndpoints.filter(({ path }) => path.includes('{appId}'))) {
      const path = endpoint.path.replace('{appId}', app.appId).replace('{roomId}', room.roomId);
      expectFrameworkError(await call(service.project, { ...endpoint, path }), 404, appMessage, 'Not Found');
    }
    for (const endpoint of projectEndpoints.filter(({ path }) => path.includes('{roomId}'))) {
      const path = endpoint.path.replace('{appId}', mine.appId).replace('{roomId}', room.roomId);
      expectApplicationError(
        await call(service.project, { ...endpoint, path }),
        404,
        `Room ${room.roomId} not found`,
      );
    }
    for (const actorId of [actor.actorTokenId, actor.keyId])
      for (const endpoint of projectEndpoints.filter(({ path }) => path.includes('{actorId}'))) {
        const path = endpoint.path.replace('{actorId}', actorId);
        expectApplicationError(
          await call(service.project, { ...endpoint, path }),
          404,
          `Actor token ${actorId} not found`,
        );
      }
    expect((await service.project.get('/actors')).body).to.eql([]);
    expect((await service.project.get('/apps')).body.data).to.have.length(1);
  });

  it('is not harmed by anything above', () => {
    expect(service.logLines.filter(({ level }) => level === 'error')).to.eql([]);
  });
});
