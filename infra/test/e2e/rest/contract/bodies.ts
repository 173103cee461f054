import { randomUUID } from 'node:crypto';
import {
  anything,
  below,
  count,
  flag,
  list,
  name,
  object,
  oneOf,
  orNull,
  slug,
  text,
  time,
  topics,
  upTo,
  uuid,
  version,
  webhook,
  type Field,
} from './fields.js';

type Body = Readonly<Record<string, unknown>>;

/** `10.0.0.1` and so on. */
const numberedAddresses = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `10.0.0.${n + 1}`);

const permissionList = list({
  right: [
    ['apps:read'],
    ['rooms:write', 'rooms:read', 'signing-keys:write', 'publish:write', 'schedules:read'],
  ],
  wrong: [
    { value: [] },
    ...[7, null, '', 'apps', 'apps:', 'apps:delete', 'Apps:read', 'keys:read'].map((value) =>
      below('0', [value]),
    ),
    { value: ['apps:read', 'apps:read'] },
  ],
});

const networks = list({
  right: [['203.0.113.7'], ['10.0.0.0/8', '::1', 'fd00::/8', '::ffff:10.0.0.0/104'], numberedAddresses(32)],
  wrong: [
    { value: [] },
    ...[7, null, '', 'localhost', '10.0.0.0/33', '10.0.0/8', '::/129', 'fe80::1%eth0'].map((value) =>
      below('0', [value]),
    ),
    { value: ['::1', '::1'] },
    { value: numberedAddresses(33) },
  ],
});

/** What an endpoint takes. */
export interface BodyTable {
  readonly required: readonly string[];
  readonly fields: Readonly<Record<string, Field>>;
  /** Fields of the record that are not to be set here. */
  readonly refused: readonly string[];
  /** A body that every project can send, with all that is required. */
  readonly valid: () => Body;
}

const topicConfigs = object({
  right: [
    {},
    { chat: {} },
    { 'a:b': { logging: { enabled: true, retention: '30d', replayEnabled: false, maxReplayMessages: 5 } } },
    ...['tier', '1d', '7d', '90d'].map((retention) => ({ chat: { logging: { enabled: false, retention } } })),
    ...[null, {}, { seconds: 1, messages: 1 }, { seconds: 7_776_000 }, { messages: 100_000 }].map(
      (history) => ({
        chat: { history },
      }),
    ),
    { chat: { webhooks: { onSubscribe: { url: 'https://example.com' } } } },
    { chat: { webhooks: { onPublish: { url: 'https://example.com', headers: { a: 'b' } } } } },
    { chat: { webhooks: { onPublish: { url: 'https://example.com', retrySeconds: 60, bodyVersion: 2 } } } },
  ],
  wrong: [
    ...['a/b', '', 'a b'].map((topic) => below(topic, { [topic]: {} })),
    ...[true, [], null].map((value) => below('chat', { chat: value })),
    below('chat.other', { chat: { other: 1 } }),
    ...[true, false, [], null].map((logging) => below('chat.logging', { chat: { logging } })),
    below('chat.logging.enabled', { chat: { logging: {} } }),
    below('chat.logging.enabled', { chat: { logging: { enabled: 'true' } } }),
    ...['2d', 7, null, 'TIER'].map((retention) =>
      below('chat.logging.retention', { chat: { logging: { enabled: true, retention } } }),
    ),
    below('chat.logging.replayEnabled', { chat: { logging: { enabled: true, replayEnabled: 1 } } }),
    ...['9', 1.5, -1, 0, null].map((maxReplayMessages) =>
      below('chat.logging.maxReplayMessages', { chat: { logging: { enabled: true, maxReplayMessages } } }),
    ),
    below('chat.logging.other', { chat: { logging: { enabled: true, other: 1 } } }),
    ...[true, false, [], 7].map((history) => below('chat.history', { chat: { history } })),
    ...['9', 1.5, 0, null, 7_776_001].map((seconds) =>
      below('chat.history.seconds', { chat: { history: { seconds } } }),
    ),
    ...['9', 1.5, 0, null, 100_001].map((messages) =>
      below('chat.history.messages', { chat: { history: { messages } } }),
    ),
    below('chat.history.other', { chat: { history: { other: 1 } } }),
    ...[true, []].map((webhooks) => below('chat.webhooks', { chat: { webhooks } })),
    below('chat.webhooks.onOther', { chat: { webhooks: { onOther: { url: 'https://example.com' } } } }),
    below('chat.webhooks.onPublish', { chat: { webhooks: { onPublish: 'https://example.com' } } }),
    below('chat.webhooks.onPublish.url', { chat: { webhooks: { onPublish: {} } } }),
    below('chat.webhooks.onSubscribe.url', { chat: { webhooks: { onSubscribe: { url: 'x' } } } }),
    below('chat.webhooks.onSubscribe.headers.a', {
      chat: { webhooks: { onSubscribe: { url: 'https://example.com', headers: { a: 7 } } } },
    }),
  ],
});

const config = object({
  right: [
    {},
    { autoProvisionRooms: false, accessMode: 'private', anything: { else: [1] } },
    // The last one stays: rooms are ensured afterwards.
    { autoProvisionRooms: true, lobbies: [{ slug: 'main', rooms: ['a', 'b-*'] }] },
  ],
  wrong: [
    ...['true', 1, null].map((value) => below('autoProvisionRooms', { autoProvisionRooms: value })),
    ...['closed', 1].map((accessMode) => below('accessMode', { accessMode })),
    below('lobbies', { lobbies: {} }),
    below('lobbies.0.rooms', { lobbies: [{ slug: 'a' }] }),
    below('lobbies.0.slug', { lobbies: [{ slug: 'A', rooms: [] }] }),
    below('lobbies.0.rooms.0', { lobbies: [{ slug: 'a', rooms: ['*a'] }] }),
  ],
});

const settings = {
  config,
  topics: topics(),
  topicConfigs,
  hydrationWebhook: webhook(),
  triggerWebhook: webhook(),
  dependencies: anything,
  files: anything,
};

const appDescription = orNull(upTo(2000));
const scopeDescription = orNull(upTo(500));
const metadata = object({ right: [{}, { a: [{ b: null }] }] });
const sessionName = (): Field => text({ wrong: ['', ' ', 'a'.repeat(1025), 'a\0', '\ud800'] });
const activeOrDisabled = oneOf('active', 'disabled');
const notSuspended: Field = {
  ...activeOrDisabled,
  wrong: [...activeOrDisabled.wrong, { value: 'suspended' }],
};

const actorTypes = oneOf('device', 'user', 'service', 'session', 'agent', 'orchestrator', 'observer');

const scopeSlug = text({
  right: ['ab', '0-9', 'a--b', 'a'.repeat(100)],
  wrong: ['', 'a', 'Ab', 'a b', 'a_b', 'a/b', '-a', 'a-', 'é9', 'ab\n', 'a'.repeat(101)],
});

const limits = ['maxApps', 'maxConnections', 'monthlyMessages'];
const plan = object({
  right: [{}, { maxApps: 0 }, { maxApps: null, maxConnections: 9, monthlyMessages: 1_000_000 }],
  wrong: [
    ...limits.flatMap((limit) => ['7', -1, 1.5, true].map((value) => below(limit, { [limit]: value }))),
    below('other', { other: 1 }),
  ],
});

const times = ['createdAt', 'updatedAt'];
const table = (
  required: readonly string[],
  fields: BodyTable['fields'],
  refused: readonly string[],
  valid: () => Body,
): BodyTable => ({ required, fields, refused: [...refused, ...times], valid });

const nothing = (): Body => ({});
let made = 0;
const unique = (prefix: string): string => `${prefix}-${(made += 1)}`;

export const bodies = {
  'new app': table(
    ['name'],
    {
      name: name(),
      description: appDescription,
      slug: slug(95),
      blueprintId: uuid(),
      blueprintVersion: { ...version(), alongside: { blueprintId: randomUUID() } },
      framework: anything,
      ...settings,
    },
    ['status', 'pinnedBlueprintVersion', 'appId', 'projectId'],
    () => ({ name: 'App', topics: ['chat'] }),
  ),
  'app changes': table(
    [],
    {
      name: name(),
      description: appDescription,
      slug: slug(100),
      status: notSuspended,
      pinnedBlueprintVersion: flag(),
      ...settings,
    },
    ['blueprintId', 'blueprintVersion', 'framework', 'appId', 'projectId'],
    nothing,
  ),
  'new room': table(
    ['name'],
    {
      name: name(),
      slug: slug(100),
      description: appDescription,
      topics: topics(),
      metadata,
      enableWebRTC: flag(),
    },
    ['status', 'isStatic', 'roomId', 'appId'],
    () => ({ name: 'Room', slug: unique('room') }),
  ),
  'room changes': table(
    [],
    { name: name(), description: appDescription, status: notSuspended, topics: topics(), metadata },
    ['slug', 'enableWebRTC', 'isStatic', 'roomId', 'appId'],
    nothing,
  ),
  'new grant': table(
    ['permission'],
    {
      permission: oneOf('subscribe', 'publish', 'pubSub'),
      actorTokenId: uuid(),
      actorType: actorTypes,
      topics: orNull(topics()),
      expiresAt: orNull(time()),
      isActive: flag(),
      role: orNull(upTo(255)),
      metadata: orNull(metadata),
    },
    ['roomActorAccessId', 'appId', 'roomId', 'projectId', 'actorId'],
    () => ({ permission: 'subscribe', actorType: 'device' }),
  ),
  'new actor': table(
    ['name', 'actorType'],
    {
      name: name(),
      actorType: actorTypes,
      expiresAt: orNull(time()),
      metadata: orNull(metadata),
      accessScopeId: orNull(uuid()),
    },
    ['status', 'keyId', 'accessToken', 'actorTokenId', 'projectId', 'lastUsedAt'],
    () => ({ name: 'Actor', actorType: 'user' }),
  ),
  'actor changes': table(
    [],
    {
      name: name(),
      status: notSuspended,
      expiresAt: orNull(time()),
      metadata: orNull(metadata),
      accessScopeId: orNull(uuid()),
    },
    ['actorType', 'keyId', 'accessToken', 'actorTokenId', 'projectId', 'lastUsedAt'],
    nothing,
  ),
  'new scope': table(
    ['slug', 'name'],
    { slug: scopeSlug, name: name(), description: scopeDescription, metadata: orNull(metadata) },
    ['isActive', 'accessScopeId', 'projectId'],
    () => ({ slug: unique('scope'), name: 'Scope' }),
  ),
  'scope changes': table(
    [],
    { name: name(), description: scopeDescription, metadata: orNull(metadata), isActive: flag() },
    ['slug', 'accessScopeId', 'projectId'],
    nothing,
  ),
  'new signing key': table(
    ['name'],
    { name: name(), environment: oneOf('live', 'sandbox'), allowExternalActors: flag() },
    ['status', 'keyId', 'signingKey', 'signingKeyId', 'projectId', 'lastUsedAt'],
    () => ({ name: 'Signing key' }),
  ),
  'signing key changes': table(
    [],
    { name: name(), status: notSuspended, allowExternalActors: flag() },
    ['environment', 'keyId', 'signingKey', 'signingKeyId', 'projectId', 'lastUsedAt'],
    nothing,
  ),
  'new organization': table(['name'], { name: name(), plan }, ['organizationId'], () => ({ name: 'New' })),
  'organization changes': table(
    [],
    { name: name(), status: oneOf('active', 'suspended'), plan },
    ['organizationId'],
    nothing,
  ),
  'new project': table(['name'], { name: name() }, ['projectId', 'organizationId'], () => ({ name: 'New' })),
  'project changes': table([], { name: name() }, ['projectId', 'organizationId'], nothing),
  'new API key': table(
    ['name'],
    {
      name: name(),
      expiresAt: orNull(time()),
      permissions: orNull(permissionList),
      allowedAddresses: orNull(networks),
    },
    ['apiKey', 'keyId', 'apiKeyId', 'projectId', 'organizationId', 'lastUsedAt'],
    () => ({ name: 'New' }),
  ),
  'new webhook secret': table(
    ['name'],
    { name: name() },
    ['webhookSecret', 'webhookSecretId', 'projectId', 'organizationId', 'sealedSecret'],
    () => ({ name: 'New' }),
  ),
  'webhook circuit to close': table(
    ['url'],
    { url: text({ right: ['x', 'x'.repeat(2048)], wrong: ['', 'x'.repeat(2049)] }) },
    ['circuitId', 'projectId', 'calls'],
    () => ({ url: 'https://example.com/trigger' }),
  ),
  'new session revocation': table(
    [],
    { jti: sessionName(), subject: { ...sessionName(), right: ['a', 'session:someone', 'a'.repeat(1024)] } },
    ['revocationId', 'organizationId', 'byOperator', 'before'],
    () => ({ subject: 'somebody else' }),
  ),
  'new token revocation': table(
    ['subject'],
    {
      subject: text({
        right: ['ext:a', `ext:${'a'.repeat(200)}`, 'ext:Ä 😀 "<&\n'],
        wrong: [
          '',
          'a',
          'ext:',
          'EXT:a',
          `ext:${'a'.repeat(201)}`,
          'ext:\ud800',
          'at_',
          randomUUID().slice(1),
        ],
      }),
      before: text({
        right: ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00.123+02:00'],
        wrong: ['', 'yesterday', '2020-01-01', '2020-02-30T00:00:00Z', '2099-01-01T00:00:00Z'],
      }),
    },
    ['revocationId', 'projectId', 'actorTokenId', 'keptUntil'],
    () => ({ subject: 'ext:ada' }),
  ),
  'new job group': table(
    ['topic', 'name'],
    {
      // The topic itself must be one of the room's.
      topic: text({ wrong: ['', 'a/b', 'a b', 'a'.repeat(101)] }),
      name: text({ right: ['a', 'Ä 😀 "<&', 'a'.repeat(255)], wrong: ['', 'a'.repeat(256)] }),
      scope: orNull(uuid()),
      jobs: object({
        right: [{}, { prefetch: 1 }, { prefetch: 1_000, ackSeconds: 3_600, maxDeliveries: 100 }],
        wrong: [
          ...[0, 1_001, 1.5, '1', null].map((prefetch) => below('prefetch', { prefetch })),
          ...[4, 3_601, 5.5].map((ackSeconds) => below('ackSeconds', { ackSeconds })),
          ...[0, 101].map((maxDeliveries) => below('maxDeliveries', { maxDeliveries })),
          below('other', { other: 1 }),
        ],
      }),
    },
    ['groupId', 'depth', 'inFlight', 'oldestAt', 'members'],
    () => ({ topic: 'chat', name: `G ${randomUUID()}` }),
  ),
  redrive: table(
    [],
    {
      ...{ status: oneOf('pending', 'failed'), projectId: uuid(), appId: uuid(), dryRun: flag() },
      ...{ from: time(), to: time(), limit: count(1, 1_000) },
    },
    ['dlqId', 'organizationId', 'offset', 'redriveCount'],
    nothing,
  ),
  'new blueprint': table(
    ['name', 'version', 'definition'],
    {
      name: name(),
      version: version(),
      blueprintId: uuid(),
      definition: object({
        right: [{}, { topics: ['chat'], rooms: [{ name: 'Lobby' }], framework: 'next' }],
        wrong: [
          below('other', { other: 1 }),
          below('topics.0', { topics: ['a/b'] }),
          below('config.accessMode', { config: { accessMode: 'x' } }),
          below('hydrationWebhook.url', { hydrationWebhook: {} }),
          below('rooms', { rooms: {} }),
          below('rooms.0.name', { rooms: [{}] }),
          below('rooms.0.slug', { rooms: [{ name: 'a', slug: 'A' }] }),
          below('rooms.0.status', { rooms: [{ name: 'a', status: 'active' }] }),
        ],
      }),
    },
    ['organizationId', 'versions'],
    () => ({ name: 'Blueprint', version: '1.0.0', definition: {} }),
  ),
} satisfies Record<string, BodyTable>;

export type BodyName = keyof typeof bodies;

export const bodyTable = (bodyName: BodyName): BodyTable => bodies[bodyName];
