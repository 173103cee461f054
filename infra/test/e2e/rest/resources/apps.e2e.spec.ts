import { expect } from 'chai';
import type { ApiClient } from '../../../support/apiClient.js';
import {
  expectApplicationError,
  expectFrameworkError,
  expectTime,
  expectUuid,
  expectValidationError,
} from '../../../support/shapes.js';
import { startTestService, type TestService } from '../../../support/testService.js';

describe('REST apps', () => {
  let service: TestService;
  let client: ApiClient;
  let projectId: string;

  before(async () => void (service = await startTestService()));
  after(() => service.close());
  beforeEach(async () => void ({ client, projectId } = await service.newProject()));

  it('creates an app with the slug of its name and four hex digits', async () => {
    const { status, body } = await client.post('/apps', { name: 'Été Chat!' });
    expect(status).to.equal(201);
    expect(body.slug).to.match(/^ete-chat-[0-9a-f]{4}$/);
    expectUuid(body.appId);
    expectTime(body.createdAt);
    expect(body).to.deep.include({
      projectId,
      name: 'Été Chat!',
      description: null,
      status: 'active',
      blueprintId: null,
      blueprintVersion: null,
      pinnedBlueprintVersion: false,
      config: {},
      topics: [],
      topicConfigs: {},
      hydrationWebhook: null,
      triggerWebhook: null,
    });
    expect((await client.get(`/apps/${body.appId}`)).body).to.eql(body);
  });

  it('stores every field that was sent', async () => {
    const sent = {
      name: 'Full',
      description: 'All of it',
      config: {
        autoProvisionRooms: true,
        lobbies: [{ slug: 'all', rooms: ['room-*'] }],
        own: { deep: [1, null] },
      },
      topics: ['chat', 'a:b_c-1'],
      topicConfigs: {
        chat: {
          logging: { enabled: true, retention: '7d', replayEnabled: true, maxReplayMessages: 10 },
          webhooks: { onPublish: { url: 'https://example.com/p?k=1', headers: { 'X-Key': 'v' } } },
        },
      },
      hydrationWebhook: { url: 'http://example.com/h' },
      triggerWebhook: { url: 'https://example.com/t', headers: { Authorization: 'Bearer x' } },
      dependencies: { ws: '8' },
      files: [{ path: 'a.ts', content: '1' }],
      framework: 'none',
    };
    const { body } = await client.post('/apps', { ...sent, slug: 'full' });
    expect(body.slug).to.match(/^full-[0-9a-f]{4}$/);
    expect((await client.get(`/apps/${body.appId}`)).body).to.deep.include(sent);
  });

  it('names every failed constraint', async () => {
    expectValidationError(await client.post('/apps', {}), 'name');
    expectValidationError(
      await client.post('/apps', {
        name: '',
        slug: 'Not A Slug',
        topics: ['a/b', 'ok', 'ok'],
        description: 7,
      }),
      'name',
      'slug',
      'topics',
      'topics.0',
      'description',
    );
    expectValidationError(
      await client.post('/apps', {
        name: 'x',
        topicConfigs: { chat: { logging: true, webhooks: { onPublish: { headers: {} } } }, 'a/b': {} },
        triggerWebhook: { url: 'ftp://example.com', headers: { 'bad name': 'x', ok: 'a\r\nb' } },
        config: { autoProvisionRooms: 'yes' },
      }),
      'topicConfigs.chat.logging',
      'topicConfigs.chat.webhooks.onPublish.url',
      'topicConfigs.a/b',
      'triggerWebhook.url',
      'triggerWebhook.headers.bad name',
      'triggerWebhook.headers.ok',
      'config.autoProvisionRooms',
    );
    expectValidationError(
      await client.post('/apps', {
        name: 'x',
        topicConfigs: { chat: { logging: { enabled: true, retention: '2d' } } },
      }),
      'topicConfigs.chat.logging.retention',
    );
    for (const slug of ['UPPER', '-a', 'a-', 'a b', 'a_b', 'é', 'a\n', 'x'.repeat(101)])
      expect((await client.post('/apps', { name: 'x', slug })).status, slug).to.equal(400);
  });

  it('echoes at most the start of an invalid value', async () => {
    const { body } = await client.post('/apps', { name: 'x'.repeat(5000) });
    expect(body.errors[0].value).to.have.length(201);
  });

  it('changes an app, and stores its slug as sent', async () => {
    const app = (await client.post('/apps', { name: 'Old', topics: ['a'] })).body;
    const { status, body } = await client.patch(`/apps/${app.appId}`, {
      name: 'New',
      slug: 'new-slug',
      status: 'disabled',
      topics: ['b'],
      config: { autoProvisionRooms: true },
      pinnedBlueprintVersion: true,
    });
    expect(status).to.equal(200);
    expect(body).to.deep.include({ name: 'New', slug: 'new-slug', status: 'disabled', topics: ['b'] });
    expect((await client.get(`/apps/${app.appId}`)).body).to.eql(body);
    expect((await client.patch(`/apps/${app.appId}`, { status: 'active' })).body.status).to.equal('active');
    expectValidationError(await client.patch(`/apps/${app.appId}`, { status: 'suspended' }), 'status');
  });

  it('accepts an empty PATCH as no change', async () => {
    const app = (await client.post('/apps', { name: 'Same' })).body;
    expect((await client.patch(`/apps/${app.appId}`, {})).body).to.eql(app);
    expect((await client.patch(`/apps/${app.appId}`, { name: 'Same' })).body).to.eql(app);
  });

  it('refuses the slug of another app of the project', async () => {
    const first = (await client.post('/apps', { name: 'First' })).body;
    const second = (await client.post('/apps', { name: 'Second' })).body;
    expectApplicationError(
      await client.patch(`/apps/${second.appId}`, { slug: first.slug }),
      409,
      `App with slug "${first.slug}" already exists in this project`,
    );
    const other = await service.newProject();
    const theirs = (await other.client.post('/apps', { name: 'Theirs' })).body;
    expect((await other.client.patch(`/apps/${theirs.appId}`, { slug: first.slug })).status).to.equal(200);
  });

  it('enforces the app limit of the plan', async () => {
    const limited = await service.newProject({ maxApps: 1 });
    const app = (await limited.client.post('/apps', { name: 'One' })).body;
    const message = 'App limit reached. Please upgrade your subscription to create more apps.';
    expectFrameworkError(await limited.client.post('/apps', { name: 'Two' }), 403, message, 'Forbidden');
    await limited.client.delete(`/apps/${app.appId}`);
    expect((await limited.client.post('/apps', { name: 'Two' })).status).to.equal(201);
  });

  it('deletes an app with its rooms', async () => {
    const app = (await client.post('/apps', { name: 'Gone', topics: ['a'] })).body;
    const room = (await client.post(`/apps/${app.appId}/rooms`, { name: 'Gone' })).body;
    const deleted = await client.delete(`/apps/${app.appId}`);
    expect([deleted.status, deleted.body]).to.eql([200, { success: true }]);
    const message = `App ${app.appId} not found in project ${projectId}`;
    for (const path of ['', '/rooms', `/rooms/${room.roomId}`])
      expectFrameworkError(await client.get(`/apps/${app.appId}${path}`), 404, message, 'Not Found');
    expectFrameworkError(
      await client.post(`/apps/${app.appId}/rooms`, { name: 'x' }),
      404,
      message,
      'Not Found',
    );
    expectFrameworkError(await client.delete(`/apps/${app.appId}`), 404, message, 'Not Found');
  });

  describe('the list', () => {
    const names = async (query: string): Promise<string[]> => {
      const { status, body } = await client.get(`/apps?${query}`);
      expect(status, query).to.equal(200);
      return (body.data as { name: string }[]).map(({ name }) => name);
    };

    beforeEach(async () => {
      for (const name of ['Bravo', 'alpha', 'Charlie (a+)+$', 'delta', 'Bravo'])
        await client.post('/apps', { name });
    });

    it('is paged, newest first', async () => {
      const { body } = await client.get('/apps');
      expect(body.pagination).to.eql({ total: 5, page: 1, pageCount: 1 });
      expect(await names('')).to.eql(['Bravo', 'delta', 'Charlie (a+)+$', 'alpha', 'Bravo']);
      expect(await names('limit=2&page=2')).to.eql(['Charlie (a+)+$', 'alpha']);
      expect((await client.get('/apps?limit=2&page=3')).body.pagination).to.eql({
        total: 5,
        page: 3,
        pageCount: 3,
      });
      expect(await names('page=9')).to.eql([]);
    });

    it('clamps the limit and refuses one that is not a number', async () => {
      expect(await names('limit=0')).to.have.length(1);
      expect(await names('limit=-5')).to.have.length(1);
      expect(await names('limit=100000')).to.have.length(5);
      for (const query of [
        'limit=abc',
        'limit=',
        'page=0',
        'page=-1',
        'page=1.5',
        'page=abc',
        'limit=1&limit=2',
      ])
        expectValidationError(await client.get(`/apps?${query}`), query.split('=')[0] ?? '');
    });

    it('orders by any number of fields', async () => {
      expect(await names('orderBy[]=name:ASC')).to.eql([
        'Bravo',
        'Bravo',
        'Charlie (a+)+$',
        'alpha',
        'delta',
      ]);
      expect(await names('orderBy[]=name:DESC&orderBy[]=createdAt:ASC')).to.eql([
        'delta',
        'alpha',
        'Charlie (a+)+$',
        'Bravo',
        'Bravo',
      ]);
      for (const query of [
        'orderBy=name:ASC',
        'orderBy[]=nothing:ASC',
        'orderBy[]=name:sideways',
        'orderBy[]=name',
      ])
        expect((await client.get(`/apps?${query}`)).body.message, query).to.equal('Validation failed');
    });

    it('filters by a part of the name, matched literally, and by status', async () => {
      expect(await names('name=RAV')).to.eql(['Bravo', 'Bravo']);
      expect(await names(`name=${encodeURIComponent('(a+)+$')}`)).to.eql(['Charlie (a+)+$']);
      expect(await names('name=.*')).to.eql([]);
      const [{ appId }] = (await client.get('/apps?name=delta')).body.data;
      await client.patch(`/apps/${appId}`, { status: 'disabled' });
      expect(await names('status=disabled')).to.eql(['delta']);
      expect(await names('status=suspended')).to.eql([]);
      expectValidationError(await client.get('/apps?status=on'), 'status');
      expectValidationError(await client.get('/apps?blueprintId=x'), 'blueprintId');
      expectValidationError(await client.get('/apps?status[$ne]=active'), 'status', 'status');
    });
  });
});
