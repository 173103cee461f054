import { expect } from 'chai';
import { expectApplicationError, expectFrameworkError, expectValidationError } from '../../support/shapes.js';
import { startTestService, type TestService } from '../../support/testService.js';
import { bodyTable } from './contract/bodies.js';
import { endpoints, nameOf, parametersOf, type Endpoint } from './contract/endpoints.js';
import { inCase, json } from './contract/world.js';

const unknownId = '11111111-2222-4333-8444-555555555555';
const projectEndpoints = endpoints.filter(({ access }) => access === 'project');

const everyId = (path: string, id: string): string => path.replace(/\{\w+\}/g, id);

// The tables in `contract` show for each endpoint which credentials, ids and bodies it rejects.
describe('REST conventions', () => {
  let service: TestService;

  before(async () => void (service = await startTestService()));
  after(() => service.close());

  const send = (
    { method, access, body }: Endpoint,
    path: string,
    sent: unknown = body && bodyTable(body).valid(),
  ) =>
    (access === 'project' ? service.project : service.operator).send(path, {
      method,
      ...(sent === undefined ? {} : { body: JSON.stringify(sent), headers: json }),
    });

  it('checks the form of the ids in a path before it looks up what they name', async () => {
    for (const endpoint of endpoints.filter((each) => parametersOf(each).length > 0))
      await inCase(nameOf(endpoint), async () => {
        const [first] = parametersOf(endpoint);
        const [, parameter = first] = /^[^?]*\{(\w+)\}$/.exec(endpoint.path) ?? [];
        const messageOf = (name: unknown) =>
          name === 'actorId'
            ? 'Invalid actorId: must be a UUID or public keyId (at_...)'
            : `Invalid ${String(name)} UUID format`;
        const oneWrong = everyId(endpoint.path.replace(`{${parameter}}`, 'nonsense'), unknownId);
        expectApplicationError(await send(endpoint, oneWrong), 400, messageOf(parameter));
        expectApplicationError(await send(endpoint, everyId(endpoint.path, 'x')), 400, messageOf(first));
      });
  });

  it('checks a body before it looks up what the path names', async () => {
    for (const endpoint of endpoints.filter(({ body }) => body !== undefined))
      await inCase(nameOf(endpoint), async () => {
        const path = everyId(endpoint.path, unknownId);
        const valid = bodyTable(endpoint.body as NonNullable<Endpoint['body']>).valid();
        expectValidationError(await send(endpoint, path, { ...valid, unknown: 1 }), 'unknown');
      });
  });

  it('accepts the bearer scheme in any case, and no other scheme', async () => {
    const { apiKey } = service.credentials;
    const send = (authorization: string) =>
      service.client(undefined).send('/apps', { headers: { authorization } });
    expect((await send(`bearer ${apiKey}`)).status).to.equal(200);
    for (const bad of [`Basic ${apiKey}`, apiKey, 'Bearer', `Bearer ${apiKey} x`])
      expectApplicationError(await send(bad), 401, 'Invalid or expired API key');
  });

  it('answers an unknown route with 404 as an application error', async () => {
    expectApplicationError(await service.project.get('/nothing'), 404, 'Cannot GET /v1/nothing');
  });

  it('answers another method with 405, and lists the allowed methods', async () => {
    const answer = await service.client(undefined).send('/apps', { method: 'PUT' });
    expectApplicationError(answer, 405, 'Cannot PUT /v1/apps');
    expect(answer.headers.get('allow')).to.equal('GET, HEAD, POST');
  });

  it('answers a path that cannot be decoded', async () => {
    expect((await service.project.get('/apps/%E0%A4%A')).status).to.equal(400);
  });

  it('answers 404 for resources of another project', async () => {
    const other = await service.newProject();
    const app = (await other.client.post('/apps', { name: 'Theirs' })).body;
    const room = (await other.client.post(`/apps/${app.appId}/rooms`, { name: 'Theirs' })).body;
    const actor = (await other.client.post('/actors', { name: 'Theirs', actorType: 'user' })).body;
    const mine = (await service.project.post('/apps', { name: 'Mine' })).body;

    const appMessage = `App ${app.appId} not found in project ${service.credentials.projectId}`;
    for (const endpoint of projectEndpoints.filter(({ path }) => path.includes('{appId}'))) {
      const path = endpoint.path.replace('{appId}', app.appId).replace('{roomId}', room.roomId);
      expectFrameworkError(await send(endpoint, everyId(path, unknownId)), 404, appMessage, 'Not Found');
    }
    for (const endpoint of projectEndpoints.filter(({ path }) => path.includes('{roomId}'))) {
      const path = endpoint.path.replace('{appId}', mine.appId).replace('{roomId}', room.roomId);
      expectApplicationError(
        await send(endpoint, everyId(path, unknownId)),
        404,
        `Room ${room.roomId} not found`,
      );
    }
    for (const actorId of [actor.actorTokenId, actor.keyId])
      for (const endpoint of projectEndpoints.filter(({ path }) => path.includes('{actorId}'))) {
        const path = endpoint.path.replace('{actorId}', actorId);
        expectApplicationError(
          await send(endpoint, everyId(path, unknownId)),
          404,
          `Actor token ${actorId} not found`,
        );
      }
    expect((await service.project.get('/actors')).body).to.eql([]);
    expect((await service.project.get('/apps')).body.data).to.have.length(1);
  });

  it('logs no error', () => {
    expect(service.logLines.filter(({ level }) => level === 'error')).to.eql([]);
  });
});
