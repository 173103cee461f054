import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { ApiClient } from '../../../support/apiClient.js';
import type { Answer } from '../../../support/conformance.js';
import {
  expectApplicationError,
  expectFrameworkError,
  expectValidationError,
} from '../../../support/shapes.js';
import { startTestService, type TestService } from '../../../support/testService.js';

interface ShownRoom {
  readonly roomId: string;
  readonly slug: string;
  readonly [field: string]: unknown;
}

const definition = {
  topics: ['chat', 'news'],
  topicConfigs: { chat: { logging: { enabled: true, retention: '7d' } } },
  config: { autoProvisionRooms: true, own: { a: [1] } },
  hydrationWebhook: { url: 'https://example.com/h' },
  triggerWebhook: { url: 'https://example.com/t', headers: { 'X-Key': 'v' } },
  rooms: [
    { name: 'Lobby', slug: 'lobby', description: 'All of us', metadata: { floor: 0 } },
    { name: 'Desk', slug: 'desk', topics: ['chat', 'webrtc:offer'] },
  ],
  dependencies: { ws: '8' },
  files: [{ path: 'a.ts' }],
  framework: 'none',
};
const { rooms: definedRooms, ...definedFields } = definition;

// spec: "Blueprints: `blueprintVersion` on an app is semver and defaults to the latest version of the blueprint;
// `pinnedBlueprintVersion` (boolean) is updatable on an app; `reset-to-blueprint` restores the app to its source."
describe('REST apps from blueprints', () => {
  let service: TestService;
  let client: ApiClient;
  let projectId: string;
  let blueprintId: string;
  let blueprints: string;

  before(async () => void (service = await startTestService()));
  after(() => service.close());

  const begin = async (plan?: object): Promise<void> => {
    const project = await service.newProject(plan);
    ({ client, projectId } = project);
    blueprints = `/organizations/${project.organizationId}/blueprints`;
    const first = { name: 'Support', version: '1.0.0', definition };
    ({ blueprintId } = (await service.operator.post(blueprints, first)).body);
  };
  beforeEach(() => begin());

  const addVersion = async (version: string, changes: object): Promise<void> => {
    const body = { blueprintId, version, definition: { ...definition, ...changes } };
    expect((await service.operator.post(blueprints, body)).status).to.equal(201);
  };
  const create = (body: object = {}): Promise<Answer> =>
    client.post('/apps', { name: 'App', blueprintId, ...body });
  const roomsOf = async (appId: string): Promise<ShownRoom[]> =>
    (await client.get(`/apps/${appId}/rooms`)).body;
  const roomOf = async (appId: string, slug: string): Promise<ShownRoom> => {
    const room = (await roomsOf(appId)).find((each) => each.slug === slug);
    return room ?? expect.fail(`no room ${slug}`);
  };
  const reset = (appId: string): Promise<Answer> => client.post(`/apps/${appId}/reset-to-blueprint`);

  describe('creation', () => {
    it('copies the definition', async () => {
      const { status, body } = await create({ blueprintId: blueprintId.toUpperCase() });
      expect(status).to.equal(201);
      expect(body).to.deep.include({
        ...definedFields,
        blueprintId,
        blueprintVersion: '1.0.0',
        pinnedBlueprintVersion: false,
        status: 'active',
        name: 'App',
        description: null,
      });
      expect((await client.get(`/apps/${body.appId}`)).body).to.eql(body);
    });

    it('[Rooms defined by a blueprint are static; rooms created through the API are dynamic]', async () => {
      const { appId } = (await create()).body;
      const dynamic = (await client.post(`/apps/${appId}/rooms`, { name: 'Mine' })).body;
      expect(dynamic.isStatic).to.equal(false);
      const rooms = await roomsOf(appId);
      expect(rooms.map(({ slug, isStatic }) => [slug, isStatic])).to.eql([
        ['lobby', true],
        ['desk', true],
        ['mine', false],
      ]);
      expect(rooms[0]).to.deep.include({ ...definedRooms[0], appId, topics: ['chat', 'news'] });
      expect(rooms[1]).to.deep.include({ ...definedRooms[1], description: null, metadata: {} });
    });

    it('lets the fields of the request override the definition', async () => {
      const sent = {
        topics: ['other'],
        config: {},
        hydrationWebhook: null,
        files: null,
        description: 'Mine',
      };
      const { body } = await create(sent);
      const { triggerWebhook, topicConfigs, dependencies, framework } = definition;
      expect(body).to.deep.include({
        ...sent,
        triggerWebhook,
        topicConfigs,
        dependencies,
        framework,
      });
      expect(await roomOf(body.appId, 'lobby')).to.deep.include({ topics: ['other'] });
      expect(await roomOf(body.appId, 'desk')).to.deep.include({ topics: ['chat', 'webrtc:offer'] });
    });

    it('[blueprintVersion (semver, default latest)]', async () => {
      await addVersion('1.10.0', { framework: 'ten' });
      await addVersion('1.9.0', { framework: 'nine' });
      const version = async (body: object) => {
        const { blueprintVersion, framework } = (await create(body)).body;
        return [blueprintVersion, framework];
      };
      expect(await version({})).to.eql(['1.10.0', 'ten']);
      expect(await version({ blueprintVersion: '1.9.0' })).to.eql(['1.9.0', 'nine']);
      expect(await version({ blueprintVersion: '1.0.0' })).to.eql(['1.0.0', 'none']);
    });

    it('refuses an unknown blueprint or version, and a blueprint of another organization', async () => {
      const unknown = randomUUID();
      const missing = `Blueprint ${unknown} not found`;
      expectApplicationError(await create({ blueprintId: unknown }), 404, missing);
      const other = await service.newProject();
      const foreign = `Blueprint ${blueprintId} not found`;
      expectApplicationError(await other.client.post('/apps', { name: 'x', blueprintId }), 404, foreign);
      const version = `Version 3.0.0 of blueprint ${blueprintId} not found`;
      expectApplicationError(await create({ blueprintVersion: '3.0.0' }), 404, version);
      expectValidationError(await create({ blueprintVersion: '3' }), 'blueprintVersion');
      expectValidationError(await create({ blueprintVersion: 3 }), 'blueprintVersion');
      expectValidationError(
        await client.post('/apps', { name: 'x', blueprintVersion: '1.0.0' }),
        'blueprintId',
      );
      expect((await client.get('/apps')).body.pagination.total).to.equal(0);
    });

    it('creates all rooms of a large blueprint, beyond the limit of one append', async function () {
      this.timeout(60_000);
      const metadata = { text: 'x'.repeat(100) };
      const rooms = Array.from({ length: 2000 }, (_, index) => ({ name: `Room ${index}`, metadata }));
      await addVersion('2.0.0', { rooms });
      const { appId } = (await create()).body;
      const slugs = (await roomsOf(appId)).map(({ slug }) => slug);
      expect(slugs).to.eql(rooms.map((_, index) => `room-${index}`));
      await addVersion('3.0.0', { topics: ['new'], rooms: rooms.slice(1000) });
      expect((await reset(appId)).status).to.equal(200);
      const left = await roomsOf(appId);
      expect(left).to.have.length(1000);
      for (const room of left) expect(room['topics']).to.eql(['new']);
    });

    it("[Creating an app beyond the plan's app limit gives 403], also for twenty concurrent requests", async () => {
      await begin({ maxApps: 3 });
      const answers = await Promise.all(Array.from({ length: 20 }, () => create()));
      const message = 'App limit reached. Please upgrade your subscription to create more apps.';
      const refused = answers.filter(({ status }) => status !== 201);
      expect(refused).to.have.length(17);
      for (const answer of refused) expectFrameworkError(answer, 403, message, 'Forbidden');
      const { data } = (await client.get('/apps')).body;
      expect(data).to.have.length(3);
      for (const { appId } of data) expect(await roomsOf(appId)).to.have.length(2);
    });
  });

  it('[GET /apps: blueprintId] finds the apps that were created from a blueprint', async () => {
    const { appId } = (await create()).body;
    await client.post('/apps', { name: 'Plain' });
    for (const id of [blueprintId, blueprintId.toUpperCase()]) {
      const { data } = (await client.get(`/apps?blueprintId=${id}`)).body;
      expect((data as ShownRoom[]).map((app) => app['appId'])).to.eql([appId]);
    }
    expect((await client.get(`/apps?blueprintId=${randomUUID()}`)).body.data).to.eql([]);
  });

  it('[only dynamic rooms; a static room gives 400], but a static room can be changed', async () => {
    const { appId } = (await create()).body;
    const { roomId } = await roomOf(appId, 'lobby');
    const path = `/apps/${appId}/rooms/${roomId}`;
    const message = 'Cannot delete static rooms created from Blueprint. Disable them instead.';
    expectApplicationError(await client.delete(path), 400, message);
    const { status, body } = await client.patch(path, { status: 'disabled', name: 'Hall' });
    expect([status, body.status, body.name, body.isStatic]).to.eql([200, 'disabled', 'Hall', true]);
    const again = await client.post(`/apps/${appId}/rooms`, { name: 'Lobby' });
    expectApplicationError(again, 409, 'Room with slug "lobby" already exists');
  });

  describe('[POST /apps/{appId}/reset-to-blueprint]', () => {
    it('restores all of the definition, and nothing else', async () => {
      const { appId } = (await create({ framework: 'own' })).body;
      const own = {
        name: 'Mine',
        slug: 'mine',
        description: 'Own',
        status: 'disabled',
        pinnedBlueprintVersion: true,
      };
      const changed = {
        config: {},
        topics: [],
        topicConfigs: {},
        hydrationWebhook: null,
        triggerWebhook: null,
        dependencies: 1,
        files: 2,
      };
      expect((await client.patch(`/apps/${appId}`, { ...own, ...changed })).body).to.deep.include(changed);
      const { status, body } = await reset(appId);
      expect(status).to.equal(200);
      expect(body).to.deep.include({ ...own, ...definedFields, blueprintId, blueprintVersion: '1.0.0' });
      expect((await client.get(`/apps/${appId}`)).body).to.eql(body);
    });

    it('restores the static rooms and leaves the dynamic ones', async () => {
      await addVersion('2.0.0', {
        rooms: [
          { name: 'Lobby 2', slug: 'lobby' },
          { name: 'Roof', slug: 'roof' },
          { name: 'New', slug: 'new' },
        ],
      });
      const { appId } = (await create({ blueprintVersion: '1.0.0' })).body;
      const lobby = await roomOf(appId, 'lobby');
      const change = { name: 'Changed', status: 'disabled', topics: ['x'], metadata: { y: 1 } };
      await client.patch(`/apps/${appId}/rooms/${lobby.roomId}`, change);
      const mine = (await client.post(`/apps/${appId}/rooms`, { name: 'Mine' })).body;
      const roof = (await client.post(`/apps/${appId}/rooms`, { name: 'My roof', slug: 'roof' })).body;

      expect((await reset(appId)).body.blueprintVersion).to.equal('2.0.0');
      const rooms = await roomsOf(appId);
      expect(rooms.map(({ slug }) => slug)).to.have.members(['lobby', 'mine', 'roof', 'new']);
      expect(rooms).to.deep.include(mine).and.to.deep.include(roof);
      const restored = { name: 'Lobby 2', description: null, topics: definition.topics, metadata: {} };
      expect(await roomOf(appId, 'lobby')).to.deep.include({
        ...restored,
        roomId: lobby.roomId,
        status: 'disabled',
        isStatic: true,
      });
      expect(await roomOf(appId, 'new')).to.deep.include({ ...restored, name: 'New', isStatic: true });
    });

    it('uses the latest version, or the pinned version of the app', async () => {
      const { appId } = (await create()).body;
      await addVersion('1.1.0', { framework: 'more' });
      const outcome = async () => {
        const { blueprintVersion, framework, pinnedBlueprintVersion } = (await reset(appId)).body;
        return [blueprintVersion, framework, pinnedBlueprintVersion];
      };
      const pin = async (pinned: boolean) => {
        const { body } = await client.patch(`/apps/${appId}`, { pinnedBlueprintVersion: pinned });
        expect(body.pinnedBlueprintVersion).to.equal(pinned);
      };
      await pin(true);
      expect(await outcome()).to.eql(['1.0.0', 'none', true]);
      await pin(false);
      expect(await outcome()).to.eql(['1.1.0', 'more', false]);
    });

    it('changes nothing the second time', async () => {
      const { appId } = (await create()).body;
      const rooms = await roomsOf(appId);
      const first = await reset(appId);
      expect((await reset(appId)).body).to.eql(first.body);
      expect(await roomsOf(appId)).to.eql(rooms);
    });

    it('has the same result for twenty concurrent requests', async () => {
      const { appId } = (await create()).body;
      await addVersion('2.0.0', { rooms: [{ name: 'Only', slug: 'only' }] });
      const answers = await Promise.all(Array.from({ length: 20 }, () => reset(appId)));
      expect(answers.map(({ status }) => status)).to.eql(answers.map(() => 200));
      expect((await roomsOf(appId)).map(({ slug }) => slug)).to.eql(['only']);
    });

    it('[404 if the app was not created from a blueprint], or does not exist', async () => {
      const { appId } = (await client.post('/apps', { name: 'Plain' })).body;
      const message = `App ${appId} was not created from a blueprint`;
      expectApplicationError(await reset(appId), 404, message);
      const nowhere = randomUUID();
      const missing = `App ${nowhere} not found in project ${projectId}`;
      expectFrameworkError(await reset(nowhere), 404, missing, 'Not Found');
      expectApplicationError(await reset('x'), 400, 'Invalid appId UUID format');
    });
  });
});
