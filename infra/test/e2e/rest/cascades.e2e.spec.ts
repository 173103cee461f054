import { expect } from 'chai';
import { expectApplicationError, expectFrameworkError } from '../../support/shapes.js';
import { endpoints, type Endpoint } from './contract/endpoints.js';
import { call, done, forEachEndpoint, idsOf, openWorld, type World } from './contract/world.js';

const having = (part: string): readonly Endpoint[] => endpoints.filter(({ path }) => path.includes(part));

describe('REST cascades: a deleted app', () => {
  let world: World;
  let otherAppId: string;

  before(async () => {
    world = await openWorld();
    const { project, ids } = world.own;
    otherAppId = done(await project.post('/apps', { name: 'Other', topics: ['chat'] })).appId;
    expect((await project.delete(`/apps/${ids.appId}`)).body).to.eql({ success: true });
  });
  after(() => world.close());

  describe('is not found, and neither are its rooms and grants', () => {
    forEachEndpoint(having('{appId}'), async (endpoint) => {
      const { ids, project } = world.own;
      const message = `App ${ids.appId} not found in project ${ids.projectId}`;
      expectFrameworkError(await call(project, endpoint, ids), 404, message, 'Not Found');
    });
  });

  describe('leaves no room that a new app would inherit', () => {
    forEachEndpoint(having('{roomId}'), async (endpoint) => {
      const { ids, project } = world.own;
      const answer = await call(project, endpoint, { ...ids, appId: otherAppId });
      expectApplicationError(answer, 404, `Room ${ids.roomId} not found`);
    });
  });

  it('leaves all other resources', async () => {
    const { ids, project } = world.own;
    const { data } = done(await project.get('/apps'));
    expect((data as { appId: string }[]).map(({ appId }) => appId)).to.eql([otherAppId]);
    for (const path of [
      `/actors/${ids.actorId}`,
      `/scopes/${ids.scopeId}`,
      `/signing-keys/${ids.signingKeyId}`,
    ])
      done(await project.get(path));
    const theirs = world.foreign;
    for (const endpoint of having('{appId}').filter(({ method }) => method === 'GET'))
      done(await call(theirs.project, endpoint, theirs.ids));
  });

  it('frees its place under the plan, and its slug', async () => {
    const { client } = await world.service.newProject({ maxApps: 1 });
    const first = done(await client.post('/apps', { name: 'First' }));
    expect((await client.post('/apps', { name: 'Second' })).status).to.equal(403);
    done(await client.delete(`/apps/${first.appId}`));
    const second = done(await client.post('/apps', { name: 'Second' }));
    expect(done(await client.patch(`/apps/${second.appId}`, { slug: first.slug })).slug).to.equal(first.slug);
  });
});

describe('REST cascades: a deleted project', () => {
  let world: World;
  let secondKey: string;

  before(async () => {
    world = await openWorld();
    const { operator } = world.service;
    const { orgId, projectId } = world.own.ids;
    const path = `/organizations/${orgId}/projects/${projectId}`;
    secondKey = done(await operator.post(`${path}/api-keys`, { name: 'Second' })).apiKey;
    expect((await operator.delete(path)).status).to.equal(204);
  });
  after(() => world.close());

  describe('has no valid key', () => {
    const onKeyRoutes = endpoints.filter(({ access }) => access === 'project');
    forEachEndpoint(onKeyRoutes, async (endpoint) => {
      for (const apiKey of [world.own.apiKey, secondKey]) {
        const answer = await call(world.service.client(apiKey), endpoint, world.own.ids);
        expectApplicationError(answer, 401, 'Invalid or expired API key');
      }
    });
  });

  describe('is not found, and neither are its keys', () => {
    forEachEndpoint(having('{projectId}'), async (endpoint) => {
      const { ids } = world.own;
      const answer = await call(world.service.operator, endpoint, ids);
      expectApplicationError(answer, 404, `Project ${ids.projectId} not found`);
    });
  });

  it('leaves nothing that a new project would inherit', async () => {
    const { client, projectId } = await world.service.newProject();
    const { ids } = world.own;
    expectFrameworkError(
      await client.get(`/apps/${ids.appId}`),
      404,
      `App ${ids.appId} not found in project ${projectId}`,
      'Not Found',
    );
    for (const path of [
      `/actors/${ids.actorId}`,
      `/scopes/${ids.scopeId}`,
      `/signing-keys/${ids.signingKeyId}`,
    ])
      expect((await client.get(path)).status).to.equal(404);
  });

  it('leaves its organization and other projects', async () => {
    // What is on record of the project's connections goes with it.
    const isOfProject = (path: string) => path.includes('{projectId}') || path.includes('{connectionId}');
    const kept = having('{orgId}').filter(({ method, path }) => method === 'GET' && !isOfProject(path));
    for (const endpoint of kept)
      if (!endpoint.path.endsWith('/projects'))
        done(await call(world.service.operator, endpoint, idsOf(world.own, endpoint)));
    for (const endpoint of endpoints.filter(({ method, access }) => method === 'GET' && access === 'project'))
      done(await call(world.foreign.project, endpoint, world.foreign.ids));
  });
});
