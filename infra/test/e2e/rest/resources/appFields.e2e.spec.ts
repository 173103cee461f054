import { expect } from 'chai';
import type { ApiClient } from '../../../support/apiClient.js';
import { expectValidationError } from '../../../support/shapes.js';
import { startTestService, type TestService } from '../../../support/testService.js';

const url = 'https://example.com/hook';
const chat = (config: object) => ({ topicConfigs: { chat: config } });
const many = (count: number, text: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => text(index));

/** A field that breaks a constraint, and the path under which `errors` must name it. */
const refused: readonly (readonly [body: object, ...paths: string[]])[] = [
  [{ config: null }, 'config'],
  [{ config: [] }, 'config'],
  [{ config: { autoProvisionRooms: 'true' } }, 'config.autoProvisionRooms'],
  [{ config: { accessMode: 'closed' } }, 'config.accessMode'],
  [{ config: { lobbies: {} } }, 'config.lobbies'],
  [{ config: { lobbies: many(101, String).map((slug) => ({ slug, rooms: [] })) } }, 'config.lobbies'],
  [{ config: { lobbies: [{}] } }, 'config.lobbies.0.slug', 'config.lobbies.0.rooms'],
  [
    { config: { lobbies: [{ slug: 'A', rooms: ['a*b'] }] } },
    'config.lobbies.0.slug',
    'config.lobbies.0.rooms.0',
  ],
  [{ config: { lobbies: [{ slug: 'a', rooms: [], more: 1 }] } }, 'config.lobbies.0.more'],
  ...(
    [
      [url, ''],
      [{}, '.url'],
      [{ url, more: 1 }, '.more'],
      [{ url: 'ftp://example.com' }, '.url'],
      [{ url, headers: { Host: 'x' } }, '.headers.Host'],
      [{ url, events: 'left' }, '.events'],
      [{ url, events: [] }, '.events'],
      [{ url, events: ['left', 'left'] }, '.events'],
      [{ url, events: ['entered'] }, '.events.0'],
      [{ url, lingerSeconds: -1 }, '.lingerSeconds'],
      [{ url, lingerSeconds: 301 }, '.lingerSeconds'],
      [{ url, lingerSeconds: '5' }, '.lingerSeconds'],
      [{ url, retrySeconds: 259_201 }, '.retrySeconds'],
      [{ url, bodyVersion: 3 }, '.bodyVersion'],
    ] as const
  ).map(([eventWebhook, path]) => [{ config: { eventWebhook } }, `config.eventWebhook${path}`] as const),

  [{ topics: 'chat' }, 'topics'],
  [{ topics: null }, 'topics'],
  [{ topics: [1] }, 'topics.0'],
  [{ topics: [''] }, 'topics.0'],
  [{ topics: ['a/b', 'a b', 'ä', 'a\n'] }, 'topics.0', 'topics.1', 'topics.2', 'topics.3'],
  [{ topics: ['x'.repeat(101)] }, 'topics.0'],
  [{ topics: ['a', 'a'] }, 'topics'],
  [{ topics: many(1001, (index) => `t${index}`) }, 'topics'],

  [{ topicConfigs: [] }, 'topicConfigs'],
  [{ topicConfigs: null }, 'topicConfigs'],
  [{ topicConfigs: { 'a/b': {} } }, 'topicConfigs.a/b'],
  [{ topicConfigs: { chat: true } }, 'topicConfigs.chat'],
  [chat({ more: 1 }), 'topicConfigs.chat.more'],
  [chat({ logging: true }), 'topicConfigs.chat.logging'],
  [chat({ logging: {} }), 'topicConfigs.chat.logging.enabled'],
  [chat({ logging: { enabled: 'yes' } }), 'topicConfigs.chat.logging.enabled'],
  [chat({ logging: { enabled: true, more: 1 } }), 'topicConfigs.chat.logging.more'],
  [chat({ logging: { enabled: true, retention: '2d' } }), 'topicConfigs.chat.logging.retention'],
  [
    chat({ logging: { enabled: true, retention: 7 } }),
    'topicConfigs.chat.logging.retention',
    'topicConfigs.chat.logging.retention',
  ],
  [chat({ logging: { enabled: true, replayEnabled: 1 } }), 'topicConfigs.chat.logging.replayEnabled'],
  [chat({ logging: { enabled: true, maxReplayMessages: 0 } }), 'topicConfigs.chat.logging.maxReplayMessages'],
  [
    chat({ logging: { enabled: true, maxReplayMessages: 1.5 } }),
    'topicConfigs.chat.logging.maxReplayMessages',
  ],
  [
    chat({ logging: { enabled: true, maxReplayMessages: 1e9 } }),
    'topicConfigs.chat.logging.maxReplayMessages',
  ],
  [chat({ webhooks: [] }), 'topicConfigs.chat.webhooks'],
  [chat({ webhooks: { onJoin: { url } } }), 'topicConfigs.chat.webhooks.onJoin'],
  [chat({ webhooks: { onSubscribe: url } }), 'topicConfigs.chat.webhooks.onSubscribe'],
  [chat({ webhooks: { onSubscribe: null } }), 'topicConfigs.chat.webhooks.onSubscribe'],
  [chat({ webhooks: { onPublish: {} } }), 'topicConfigs.chat.webhooks.onPublish.url'],
  [
    chat({ webhooks: { onPublish: { url, headers: { Host: 'x' } } } }),
    'topicConfigs.chat.webhooks.onPublish.headers.Host',
  ],

  [{ hydrationWebhook: url }, 'hydrationWebhook'],
  [{ hydrationWebhook: {} }, 'hydrationWebhook.url'],
  [{ hydrationWebhook: { url, more: 1 } }, 'hydrationWebhook.more'],
  ...[-1, 259_201, 1.5, '60', null].map(
    (retrySeconds) => [{ triggerWebhook: { url, retrySeconds } }, 'triggerWebhook.retrySeconds'] as const,
  ),
  ...[0, 3].map(
    (bodyVersion) => [{ triggerWebhook: { url, bodyVersion } }, 'triggerWebhook.bodyVersion'] as const,
  ),
  [
    chat({ webhooks: { onPublish: { url, retrySeconds: 259_201 } } }),
    'topicConfigs.chat.webhooks.onPublish.retrySeconds',
  ],
  // Nobody waits for a hydration.
  [{ hydrationWebhook: { url, retrySeconds: 1 } }, 'hydrationWebhook.retrySeconds'],
  [{ hydrationWebhook: { url, bodyVersion: 2 } }, 'hydrationWebhook.bodyVersion'],
  [
    chat({ webhooks: { onSubscribe: { url, bodyVersion: 2 } } }),
    'topicConfigs.chat.webhooks.onSubscribe.bodyVersion',
  ],
  [{ triggerWebhook: { url: 1 } }, 'triggerWebhook.url'],
  [{ triggerWebhook: { url: '/hook' } }, 'triggerWebhook.url'],
  [{ triggerWebhook: { url: 'ftp://example.com' } }, 'triggerWebhook.url'],
  [{ triggerWebhook: { url: 'javascript:1' } }, 'triggerWebhook.url'],
  [{ triggerWebhook: { url: 'https://user:secret@example.com' } }, 'triggerWebhook.url'],
  [{ triggerWebhook: { url: `${url}?${'x'.repeat(2048)}` } }, 'triggerWebhook.url'],
  [{ triggerWebhook: { url, headers: [] } }, 'triggerWebhook.headers'],
  [{ triggerWebhook: { url, headers: { 'X-Key': 1 } } }, 'triggerWebhook.headers.X-Key'],
  [{ triggerWebhook: { url, headers: { 'X Key': 'v' } } }, 'triggerWebhook.headers.X Key'],
  [{ triggerWebhook: { url, headers: { '': 'v' } } }, 'triggerWebhook.headers.'],
  [{ triggerWebhook: { url, headers: { 'X-Key': 'a\r\nb' } } }, 'triggerWebhook.headers.X-Key'],
  [{ triggerWebhook: { url, headers: { 'X-Key': 'ключ' } } }, 'triggerWebhook.headers.X-Key'],
  [{ triggerWebhook: { url, headers: { 'X-Key': 'x'.repeat(8193) } } }, 'triggerWebhook.headers.X-Key'],
  [{ triggerWebhook: { url, headers: { 'Content-Length': '1' } } }, 'triggerWebhook.headers.Content-Length'],
  [{ triggerWebhook: { url, headers: { Expect: '100-continue' } } }, 'triggerWebhook.headers.Expect'],
  [
    { triggerWebhook: { url, headers: { 'transfer-encoding': 'x' } } },
    'triggerWebhook.headers.transfer-encoding',
  ],
  [
    {
      triggerWebhook: {
        url,
        headers: Object.fromEntries(many(51, (index) => `x-${index}`).map((name) => [name, 'v'])),
      },
    },
    'triggerWebhook.headers',
  ],

  [{ description: 1 }, 'description'],
  [{ description: 'x'.repeat(2001) }, 'description'],
  [{ name: null }, 'name'],
  [{ name: ' ' }, 'name'],
  [{ name: 'x'.repeat(256) }, 'name'],
  [{ slug: '', topics: ['a'] }, 'slug', 'slug'],
  [{ slug: null }, 'slug'],
  [
    { appId: 'x', projectId: 'y', createdAt: 'z', isStatic: true },
    'appId',
    'projectId',
    'createdAt',
    'isStatic',
  ],
];

/** Fields of any shape are stored as they are. */
const free: readonly unknown[] = [
  null,
  false,
  0,
  '',
  -1.5e-7,
  [],
  {},
  'text',
  ['a', 1, null, { deep: [[[]]] }],
  { ws: '^8.0.0', 'a.b/c': { constructor: 'x' }, ключ: '🙂' },
];

describe('REST app fields', () => {
  let service: TestService;
  let client: ApiClient;
  let appId: string;

  before(async () => {
    service = await startTestService();
    ({ client } = await service.newProject());
    ({ appId } = (await client.post('/apps', { name: 'Fields' })).body);
  });
  after(() => service.close());

  it('[HOOK-CONF-3] [HOOK-CONF-4] [HOOK-EVENT-1] are refused by each of their constraints, under their path, on create and on change', async function () {
    this.timeout(60_000);
    const before = (await client.get(`/apps/${appId}`)).body;
    for (const [body, ...paths] of refused) {
      expectValidationError(await client.post('/apps', { name: 'x', ...body }), ...paths);
      expectValidationError(await client.patch(`/apps/${appId}`, body), ...paths);
    }
    expect((await client.get(`/apps/${appId}`)).body).to.eql(before);
    expect((await client.get('/apps')).body.pagination.total).to.equal(1);
  });

  it('return the value and the reason of the refusal', async () => {
    const { errors } = (await client.post('/apps', { name: 'x', ...chat({ logging: true }) })).body;
    expect(errors).to.eql([{ path: 'topicConfigs.chat.logging', value: true, message: 'must be object' }]);
    const retention = chat({ logging: { enabled: true, retention: '2d' } });
    expect((await client.post('/apps', { name: 'x', ...retention })).body.errors).to.eql([
      {
        path: 'topicConfigs.chat.logging.retention',
        value: '2d',
        message: 'must be one of tier, 1d, 7d, 30d, 90d',
      },
    ]);
  });

  it('accept every value that the contract names', async () => {
    for (const retention of ['tier', '1d', '7d', '30d', '90d']) {
      const sent = {
        topics: ['chat'],
        topicConfigs: {
          chat: {
            logging: { enabled: false, retention, replayEnabled: false, maxReplayMessages: 1 },
            webhooks: { onSubscribe: { url }, onPublish: { url: 'http://127.0.0.1:1/?k=v', headers: {} } },
          },
          'webrtc:offer': {},
        },
      };
      const { status, body } = await client.patch(`/apps/${appId}`, sent);
      expect(status).to.equal(200);
      expect(body).to.deep.include(sent);
    }
    const none = { hydrationWebhook: null, triggerWebhook: null, description: null };
    expect((await client.patch(`/apps/${appId}`, none)).body).to.deep.include(none);
  });

  it('[HOOK-CONF-4] accept calls that are tried on, and bodies of either version', async () => {
    for (const more of [{ retrySeconds: 0 }, { retrySeconds: 259_200, bodyVersion: 2 }, { bodyVersion: 1 }]) {
      const triggerWebhook = { url, ...more };
      const sent = { triggerWebhook, topicConfigs: { chat: { webhooks: { onPublish: triggerWebhook } } } };
      expect((await client.patch(`/apps/${appId}`, sent)).body).to.deep.include(sent);
    }
  });

  it('[dependencies, files, framework] are stored as they were sent', async () => {
    for (const value of free) {
      const sent = { dependencies: value, files: value, framework: value };
      const created = (await client.post('/apps', { name: 'Free', ...sent })).body;
      expect((await client.get(`/apps/${created.appId}`)).body).to.deep.include(sent);
      const changed = { dependencies: [value], files: { value } };
      expect((await client.patch(`/apps/${created.appId}`, changed)).status).to.equal(200);
      expect((await client.get(`/apps/${created.appId}`)).body).to.deep.include(changed);
    }
  });

  it('[framework] is set on create only, and the blueprint of an app cannot be changed', async () => {
    const { body } = await client.post('/apps', { name: 'Free', framework: 'one' });
    for (const field of ['framework', 'blueprintId', 'blueprintVersion', 'appId', 'projectId'])
      expectValidationError(await client.patch(`/apps/${body.appId}`, { [field]: body.appId }), field);
    expectValidationError(await client.post('/apps', { name: 'x', status: 'active' }), 'status');
    expectValidationError(
      await client.post('/apps', { name: 'x', pinnedBlueprintVersion: true }),
      'pinnedBlueprintVersion',
    );
    expect((await client.get(`/apps/${body.appId}`)).body).to.eql(body);
  });
});
