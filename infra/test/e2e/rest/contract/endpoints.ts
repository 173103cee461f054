import type { AnswerName } from './answers.js';
import type { BodyName } from './bodies.js';

export type PathParameter =
  | 'appId'
  | 'roomId'
  | 'roomActorAccessId'
  | 'groupId'
  | 'actorId'
  | 'scopeId'
  | 'signingKeyId'
  | 'orgId'
  | 'projectId'
  | 'apiKeyId'
  | 'blueprintId'
  | 'dlqId'
  | 'webhookSecretId'
  | 'scheduledId'
  | 'connectionId';

/** A row of the endpoint tables. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With the query that it cannot do without. */
  readonly path: string;
  readonly access: 'project' | 'session';
  readonly body: BodyName | undefined;
  readonly status: 200 | 201 | 202 | 204;
  readonly answer: AnswerName;
}

type Row = readonly [
  endpoint: `${Endpoint['method']} /${string}`,
  body: BodyName | undefined,
  status: Endpoint['status'],
  answer: AnswerName,
];

const none = undefined;

/** What a project-scoped API key opens. */
const projectRows = [
  ['GET /scheduled', none, 200, 'page of scheduled publishes'],
  ['DELETE /scheduled/{scheduledId}', none, 204, 'nothing'],
  ['GET /apps', none, 200, 'page of apps'],
  ['POST /apps', 'new app', 201, 'app'],
  ['GET /apps/{appId}', none, 200, 'app'],
  ['PATCH /apps/{appId}', 'app changes', 200, 'app'],
  ['POST /apps/{appId}/reset-to-blueprint', none, 200, 'app'],
  ['GET /apps/{appId}/rooms', none, 200, 'list of rooms'],
  ['POST /apps/{appId}/rooms', 'new room', 201, 'room'],
  ['POST /apps/{appId}/rooms/ensure', 'new room', 200, 'room'],
  ['GET /apps/{appId}/rooms/{roomId}', none, 200, 'room'],
  ['PATCH /apps/{appId}/rooms/{roomId}', 'room changes', 200, 'room'],
  ['POST /apps/{appId}/rooms/{roomId}/actors', 'new grant', 201, 'grant'],
  ['GET /apps/{appId}/rooms/{roomId}/actors', none, 200, 'list of grants'],
  ['GET /apps/{appId}/rooms/{roomId}/topics/{topic}/messages', none, 200, 'message history'],
  ['DELETE /apps/{appId}/rooms/{roomId}/topics/{topic}/messages', none, 204, 'nothing'],
  ['GET /apps/{appId}/rooms/{roomId}/presence', none, 200, 'page of presences'],
  ['GET /apps/{appId}/occupancy?rooms=nowhere', none, 200, 'occupancy'],
  ['POST /apps/{appId}/rooms/{roomId}/groups', 'new job group', 201, 'job group'],
  ['GET /apps/{appId}/rooms/{roomId}/groups', none, 200, 'page of job groups'],
  ['GET /apps/{appId}/rooms/{roomId}/groups/{groupId}', none, 200, 'job group'],
  ['GET /apps/{appId}/rooms/{roomId}/groups/{groupId}/jobs', none, 200, 'waiting jobs'],
  ['DELETE /apps/{appId}/rooms/{roomId}/groups/{groupId}', none, 204, 'nothing'],
  ['DELETE /apps/{appId}/rooms/{roomId}/actors/{roomActorAccessId}', none, 204, 'nothing'],
  ['DELETE /apps/{appId}/rooms/{roomId}', none, 204, 'nothing'],
  ['DELETE /apps/{appId}', none, 200, 'success'],
  ['GET /actors', none, 200, 'list of actors'],
  ['POST /actors', 'new actor', 201, 'actor with its token'],
  ['GET /actors/{actorId}', none, 200, 'actor'],
  ['PATCH /actors/{actorId}', 'actor changes', 200, 'actor'],
  ['POST /revocations', 'new token revocation', 201, 'token revocation'],
  ['GET /revocations', none, 200, 'page of token revocations'],
  ['GET /scopes', none, 200, 'page of scopes'],
  ['POST /scopes', 'new scope', 201, 'scope'],
  ['GET /scopes/{scopeId}', none, 200, 'scope'],
  ['PATCH /scopes/{scopeId}', 'scope changes', 200, 'scope'],
  ['GET /scopes/{scopeId}/actors', none, 200, 'list of actors'],
  ['DELETE /actors/{actorId}', none, 204, 'nothing'],
  ['DELETE /scopes/{scopeId}', none, 204, 'nothing'],
  ['GET /signing-keys', none, 200, 'page of signing keys'],
  ['POST /signing-keys', 'new signing key', 201, 'signing key with its secret'],
  ['GET /signing-keys/{signingKeyId}', none, 200, 'signing key'],
  ['PATCH /signing-keys/{signingKeyId}', 'signing key changes', 200, 'signing key'],
  ['DELETE /signing-keys/{signingKeyId}', none, 204, 'nothing'],
] as const satisfies readonly Row[];

const organization = '/organizations/{orgId}';
const project = `${organization}/projects/{projectId}`;
const queue = `${organization}/webhook-dlq`;

const watch = `${organization}/webhook-outcomes`;

const [longAgo, farOff] = ['2000-01-01T00:00:00Z', '2100-01-01T00:00:00Z'];

/** What a user session opens. */
const sessionRows = [
  [`GET ${queue}`, none, 200, 'stretch of dead letters'],
  [`GET ${queue}/stats/pending-count`, none, 200, 'count'],
  [`GET ${queue}/{dlqId}`, none, 200, 'dead letter'],
  [`POST ${queue}/redrive`, 'redrive', 200, 'redrive'],
  [`POST ${queue}/{dlqId}/redrive`, none, 202, 'dead letter'],
  [`DELETE ${queue}/{dlqId}/mark-dead`, none, 200, 'dead letter'],
  [`DELETE ${queue}/{dlqId}`, none, 204, 'nothing'],
  [`GET ${watch}`, none, 200, 'webhook outcomes'],
  ['GET /console/session', none, 200, 'own session'],
  ['GET /organizations', none, 200, 'page of organizations'],
  ['POST /organizations', 'new organization', 201, 'organization'],
  [`GET ${organization}`, none, 200, 'organization'],
  [`PATCH ${organization}`, 'organization changes', 200, 'organization'],
  [`GET ${organization}/usage`, none, 200, 'usage'],
  [`GET ${organization}/audit`, none, 200, 'page of audit events'],
  [`GET ${organization}/access-log`, none, 200, 'page of refused calls'],
  [`GET ${organization}/connections`, none, 200, 'page of connections'],
  [`GET ${organization}/connections/{connectionId}/timeline`, none, 200, 'timeline of a connection'],
  [`DELETE ${organization}/connections/{connectionId}`, none, 204, 'nothing'],
  [`GET ${organization}/audit/state?resourceId={orgId}&at=${farOff}`, none, 200, 'past state'],
  [
    `GET ${organization}/audit/diff?resourceId={orgId}&from=${longAgo}&to=${farOff}`,
    none,
    200,
    'differences',
  ],
  [
    `GET ${organization}/explain?actor={actorId}&address=app/room/chat&action=publish&at=${farOff}`,
    none,
    200,
    'explanation',
  ],
  [
    `GET ${organization}/trace?projectId={projectId}&topic=app/room/chat&at=${farOff}&actorId={actorId}`,
    none,
    200,
    'trace',
  ],
  [`GET ${organization}/blueprints`, none, 200, 'page of blueprints'],
  [`POST ${organization}/blueprints`, 'new blueprint', 201, 'blueprint'],
  [`GET ${organization}/blueprints/{blueprintId}`, none, 200, 'blueprint'],
  [`GET ${organization}/api-keys`, none, 200, 'page of API keys'],
  [`POST ${organization}/api-keys`, 'new API key', 201, 'API key with its secret'],
  [`DELETE ${organization}/api-keys/{apiKeyId}`, none, 204, 'nothing'],
  [`POST ${organization}/session-revocations`, 'new session revocation', 201, 'session revocation'],
  [`GET ${organization}/session-revocations`, none, 200, 'page of session revocations'],
  [`GET ${organization}/projects`, none, 200, 'page of projects'],
  [`POST ${organization}/projects`, 'new project', 201, 'project'],
  [`GET ${project}`, none, 200, 'project'],
  [`GET ${project}/activity?minutes=5`, none, 200, 'activity'],
  [`PATCH ${project}`, 'project changes', 200, 'project'],
  [`POST ${project}/console-access`, none, 201, 'console access'],
  [`GET ${project}/api-keys`, none, 200, 'page of API keys'],
  [`POST ${project}/api-keys`, 'new API key', 201, 'API key with its secret'],
  [`DELETE ${project}/api-keys/{apiKeyId}`, none, 204, 'nothing'],
  [`GET ${project}/webhook-secrets`, none, 200, 'page of webhook secrets'],
  [`POST ${project}/webhook-secrets`, 'new webhook secret', 201, 'webhook secret with its secret'],
  [`DELETE ${project}/webhook-secrets/{webhookSecretId}`, none, 204, 'nothing'],
  [`GET ${project}/webhook-circuits`, none, 200, 'page of no webhook circuits'],
  [`POST ${project}/webhook-circuits/close`, 'webhook circuit to close', 200, 'closed webhook circuit'],
  [`DELETE ${project}`, none, 204, 'nothing'],
] as const satisfies readonly Row[];

const endpointOf =
  (access: Endpoint['access']) =>
  ([endpoint, body, status, answer]: Row): Endpoint => {
    const [method, path] = endpoint.split(' ') as [Endpoint['method'], string];
    return { method, path, access, body, status, answer };
  };

/** Every endpoint. In this order each of them finds what it needs in a fresh world: what removes a thing comes last. */
export const endpoints: readonly Endpoint[] = [
  ...projectRows.map(endpointOf('project')),
  ...sessionRows.map(endpointOf('session')),
];

export const nameOf = ({ method, path }: Pick<Endpoint, 'method' | 'path'>): string => `${method} ${path}`;

/** The ids in its path. */
export const parametersOf = ({ path }: Endpoint): readonly PathParameter[] =>
  [...(path.split('?')[0] ?? '').matchAll(/\{(\w+Id)\}/g)].map(([, name]) => name as PathParameter);
