import { clientTokenOf } from '@roomwire/testing/clients/clientTokens';
import type { TourRecord } from './tourRecord.js';

/** Found in every store after a tour, so that a search that finds no secret is known to look in the right place. */
export const marker = 'the-marker-of-the-tour';

/** Stored and shown as a part of the app, as the contract has it; in no log line. */
const hookSecret = 'whk-7fJ2mQ9xLr4TzB6nVc8sKd1pWg3hYe5u';

export interface Tour {
  /** Ends the service at once and starts it again. */
  readonly crash: () => Promise<void>;
  readonly sessionToken: string;
  /** A session that has expired, one of a stranger: all that a service must refuse and not repeat. */
  readonly refusedSessions: readonly string[];
}

/** Uses all that knows a secret, rightly and wrongly, and once more after a crash. */
export const takeTour = async (record: TourRecord, tour: Tour): Promise<void> => {
  const place = await provision(record, tour.sessionToken);
  const things = await populate(record, place);
  await readAll(record, place, things);
  await misplaceInRequests(record, place, things, tour);
  await misplaceInBytes(record, things);
  await overSockets(record, things);
  await tour.crash();
  await readAll(record, place, things);
  await overSockets(record, things);
  await clearAway(record, place, things);
};

interface Place {
  readonly sessionToken: string;
  readonly organization: string;
  readonly project: string;
  readonly apiKey: string;
  readonly organizationKey: string;
}

const provision = async (record: TourRecord, sessionToken: string): Promise<Place> => {
  const asOperator = { credential: sessionToken };
  const { organizationId } = await record.send('POST', '/organizations', {
    ...asOperator,
    body: { name: marker },
  });
  const organization = `/organizations/${organizationId}`;
  const made = await record.send('POST', `${organization}/projects`, { ...asOperator, body: { name: 'P' } });
  const project = `${organization}/projects/${made.projectId}`;
  const newKey = async (path: string, body: object) =>
    record.send('POST', `${path}/api-keys`, { ...asOperator, body: { name: 'K', ...body } });
  const revoked = await newKey(project, {});
  await record.send('DELETE', `${project}/api-keys/${revoked.apiKeyId}`, asOperator);
  const expired = await newKey(project, { expiresAt: '2020-01-01T00:00:00Z' });
  for (const { apiKey } of [revoked, expired]) await record.send('GET', '/apps', { credential: apiKey });
  const { apiKey } = await newKey(project, {});
  const secrets = `${project}/webhook-secrets`;
  await record.send('POST', secrets, { ...asOperator, body: { name: 'W' } });
  await record.send('GET', secrets, asOperator);
  return {
    sessionToken,
    organization,
    project,
    apiKey,
    organizationKey: (await newKey(organization, {})).apiKey,
  };
};

interface Things {
  readonly apiKey: string;
  readonly topic: string;
  readonly appPath: string;
  readonly roomPath: string;
  readonly actor: any;
  readonly other: any;
  readonly signingKey: any;
  readonly sandboxKey: any;
  readonly scopeId: string;
}

const webhook = { url: 'http://127.0.0.1:9/hook', headers: { Authorization: `Bearer ${hookSecret}` } };

const populate = async (record: TourRecord, { apiKey }: Place): Promise<Things> => {
  const post = (path: string, body: object) => record.send('POST', path, { credential: apiKey, body });
  record.ledger.add('a webhook header', hookSecret, 'stores');
  const app = await post('/apps', {
    name: marker,
    topics: ['chat'],
    triggerWebhook: webhook,
    topicConfigs: { chat: { webhooks: { onSubscribe: webhook } } },
  });
  const appPath = `/apps/${app.appId}`;
  const room = await post(`${appPath}/rooms`, { name: 'Lobby', slug: 'lobby' });
  const scope = await post('/scopes', { slug: 'acme', name: marker });
  const actor = await post('/actors', { name: 'a', actorType: 'user' });
  const other = await post('/actors', { name: 'b', actorType: 'agent', accessScopeId: scope.accessScopeId });
  const roomPath = `${appPath}/rooms/${room.roomId}`;
  for (const holder of [{ actorTokenId: actor.actorTokenId }, { actorType: 'agent' }])
    await post(`${roomPath}/actors`, { ...holder, permission: 'pubSub' });
  return {
    ...{ apiKey, topic: `${app.slug}/lobby/chat`, appPath, roomPath, actor, other },
    signingKey: await post('/signing-keys', { name: 'Live' }),
    sandboxKey: await post('/signing-keys', { name: 'Sandbox', environment: 'sandbox' }),
    scopeId: scope.accessScopeId,
  };
};

/** Every answer in which a secret could be shown a second time. */
const readAll = async (record: TourRecord, place: Place, things: Things): Promise<void> => {
  const { actor, other, appPath, roomPath, scopeId, signingKey } = things;
  const credential = place.apiKey;
  const key = `/signing-keys/${signingKey.signingKeyId}`;
  for (const path of [
    ...['/apps', appPath, `${appPath}/rooms`, roomPath, `${roomPath}/actors`],
    ...['/actors', `/actors/${actor.actorTokenId}`, `/actors/${other.keyId}`],
    ...['/scopes', `/scopes/${scopeId}`, `/scopes/${scopeId}/actors`, '/signing-keys', key],
  ])
    await record.send('GET', path, { credential });
  for (const [path, body] of [
    [`/actors/${actor.actorTokenId}`, { name: 'renamed' }],
    [`/actors/${other.actorTokenId}`, { accessScopeId: null }],
    [`/actors/${other.actorTokenId}`, { accessScopeId: scopeId }],
    [key, { name: 'renamed', status: 'active' }],
    [appPath, { name: marker }],
  ] as const)
    await record.send('PATCH', path, { credential, body });
  const { organization, project, sessionToken } = place;
  for (const path of [organization, `${organization}/projects`, `${organization}/webhook-dlq`, project])
    await record.send('GET', path, { credential: sessionToken });
  for (const path of [`${project}/api-keys`, `${organization}/api-keys`, `${organization}/blueprints`])
    await record.send('GET', path, { credential: sessionToken });
};

const misplaceInRequests = async (
  record: TourRecord,
  place: Place,
  { actor, signingKey, appPath }: Things,
  { sessionToken, refusedSessions }: Tour,
): Promise<void> => {
  const keys: string[] = [place.apiKey, place.organizationKey, actor.accessToken, signingKey.signingKey];
  for (const token of [...keys, sessionToken, ...refusedSessions]) {
    await misplaceInHeaders(record, place, token);
    await misplaceInTargets(record, place, appPath, token);
    await misplaceInBodies(record, place, appPath, token);
  }
};

const misplaceInHeaders = async (record: TourRecord, place: Place, token: string): Promise<void> => {
  const get = (path: string, headers: Readonly<Record<string, string>>) =>
    record.send('GET', path, { headers });
  const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` });
  const stray = { cookie: `key=${token}`, 'x-api-key': token, 'x-request-id': token };
  await Promise.all([
    ...[token, `${token}x`, token.slice(0, -1), `${token} ${token}`].flatMap((wrong) =>
      ['/apps', place.organization].map((path) => get(path, bearer(wrong))),
    ),
    get('/apps', { authorization: token }),
    get('/apps', { authorization: `Basic ${btoa(`${token}:`)}` }),
    get('/apps', { ...bearer(place.apiKey), ...stray }),
  ]);
};

const misplaceInTargets = async (
  record: TourRecord,
  { apiKey }: Place,
  appPath: string,
  token: string,
): Promise<void> => {
  const paths = [
    ...[`/apps?token=${token}`, `/apps?page=${token}`, `/apps?orderBy[]=${token}`, `/apps?status=${token}`],
    ...[`/apps/${token}`, `/actors/${token}`, `/nowhere/${token}`, `${appPath}/rooms/${token}`],
  ];
  await Promise.all(
    ['GET', 'DELETE', 'OPTIONS'].flatMap((method) =>
      paths.map((path) => record.send(method, path, { credential: apiKey })),
    ),
  );
};

const misplaceInBodies = async (
  record: TourRecord,
  { apiKey: credential }: Place,
  appPath: string,
  token: string,
): Promise<void> => {
  const post = (path: string, body: unknown, headers = {}) =>
    record.send('POST', path, { credential, body, headers });
  const bodies = [
    ...[{ apiKey: token }, { name: 'x', token }, { name: 'x', [token]: 1 }, { name: [token] }],
    ...[
      { name: 'x', slug: token },
      { name: 'x', topics: [token] },
      { name: 'x', config: token },
    ],
    ...[`{"name":"${token}`, token, [token], { name: 'x', authorization: `Bearer ${token}` }],
  ];
  await Promise.all([
    ...['/apps', `${appPath}/rooms`, '/actors', '/scopes', '/signing-keys'].flatMap((path) =>
      bodies.map((body) => post(path, body)),
    ),
    post('/apps', JSON.stringify({ name: token.repeat(20_000) })),
    post('/apps', { name: token }, { 'content-type': `text/${token.slice(-20)}` }),
  ]);
};

const misplaceInBytes = async (record: TourRecord, things: Things): Promise<void> => {
  const { apiKey, actor } = things;
  const end = ['Host: localhost', 'Connection: close'];
  for (const token of [apiKey, actor.accessToken as string]) {
    const authorization = `Authorization: Bearer ${token}`;
    for (const lines of [
      [`GET http://localhost/v1/apps?key=${token} HTTP/1.1`, ...end, authorization],
      ['GET /v1/apps HTTP/1.1', ...end, `Auth orization: Bearer ${token}`],
      ['GET /v1/apps HTTP/1.1', ...end, authorization, authorization],
      ['GET /v1/apps HTTP/1.1', ...end, `Authorization: Bearer ${token}\x01`],
      [`${token} /v1/apps HTTP/1.1`, ...end],
      [`GET /ws?token=${token} HTTP/1.1`, ...end],
      [
        `GET /else?token=${token} HTTP/1.1`,
        'Host: localhost',
        'Upgrade: websocket',
        'Connection: Upgrade, close',
      ],
    ])
      await record.sendRaw(lines[0] as string, ...lines);
  }
};

/** As a customer's backend makes it. */
const clientToken = (record: TourRecord, signingKey: any, actor: any, expiresInSeconds: number): string => {
  const exp = Math.floor(Date.now() / 1000) + expiresInSeconds;
  const token = clientTokenOf(signingKey.signingKey as string, { sub: actor.keyId, exp });
  record.ledger.addToken(`a client token of ${expiresInSeconds} s`, token);
  return token;
};

const overSockets = async (record: TourRecord, things: Things): Promise<void> => {
  const { topic, actor, other, signingKey, sandboxKey, apiKey } = things;
  const auth = (token: string) => ({ type: 'auth', token, protocolVersion: 2 });
  const reauth = (token: string) => ({ type: 'reauth', token });
  const [first, second] = [1000, 2000].map((life) => clientToken(record, signingKey, actor, life));
  const foreign = clientToken(record, sandboxKey, other, 3000);
  const lapsed = clientToken(record, signingKey, actor, -3000);
  const use = [
    { type: 'subscribe', topic },
    { type: 'publish', topic, data: 1, msgRef: 'r' },
  ];
  const accessToken: string = actor.accessToken;
  const bad = [
    `${accessToken}x`,
    `${first}x`,
    lapsed,
    apiKey,
    signingKey.signingKey,
    accessToken.slice(0, -2),
  ];
  await record.converse('an access token', [
    ...bad.map(auth),
    auth(accessToken),
    ...use,
    reauth(accessToken),
  ]);
  await record.converse('a client token', [auth(first as string), ...use, reauth(second as string)]);
  await record.converse('reauth', [auth(first as string), ...[foreign, lapsed, ...bad].map(reauth)]);
  const strange = [accessToken, first as string].flatMap((token) => [
    ...[{ type: 'subscribe', token, topic }, { type: token }, { type: 'publish', topic: 1, data: token }],
    ...[`{"type":"auth","token":"${token}`, token, { type: 'auth', token: [token] }, { auth: token }],
  ]);
  for (const text of strange)
    await record.converse('a malformed frame', [text, auth(accessToken)], `?token=${accessToken}`);
};

const clearAway = async (record: TourRecord, { apiKey }: Place, things: Things): Promise<void> => {
  const { actor, sandboxKey } = things;
  for (const path of [`/actors/${actor.actorTokenId}`, `/signing-keys/${sandboxKey.signingKeyId}`])
    await record.send('DELETE', path, { credential: apiKey });
  await record.converse('a deleted actor', [{ type: 'auth', token: actor.accessToken }]);
};
