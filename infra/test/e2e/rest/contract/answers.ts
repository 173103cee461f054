import { expect } from 'chai';
import { activityFields } from '@roomwire/shared/ports/activityStore';
import { expectTime, expectUuid } from '../../../support/shapes.js';

const times = ['createdAt', 'updatedAt'] as const;

/** The fields of each record: those that the specification names, and what the design adds. */
const records = {
  app: [
    ...['appId', 'projectId', 'name', 'slug', 'description', 'status', 'blueprintId', 'blueprintVersion'],
    ...['pinnedBlueprintVersion', 'config', 'topics', 'topicConfigs', 'hydrationWebhook', 'triggerWebhook'],
    ...['dependencies', 'files', 'framework', ...times],
  ],
  room: [
    ...['roomId', 'appId', 'name', 'slug', 'description', 'topics', 'metadata', 'status', 'isStatic'],
    ...times,
  ],
  grant: [
    ...['roomActorAccessId', 'appId', 'roomId', 'actorTokenId', 'actorType', 'permission', 'topics'],
    ...['expiresAt', 'isActive', 'role', 'metadata', ...times],
  ],
  actor: [
    ...['actorTokenId', 'projectId', 'accessScopeId', 'keyId', 'name', 'actorType', 'status', 'expiresAt'],
    ...['lastUsedAt', 'metadata', ...times],
  ],
  scope: [...['accessScopeId', 'projectId', 'slug', 'name', 'description', 'metadata', 'isActive', ...times]],
  'signing key': ['signingKeyId', 'projectId', 'keyId', 'name', 'status', 'lastUsedAt', ...times],
  'dead letter': [
    ...['dlqId', 'organizationId', 'projectId', 'appId', 'kind', 'url', 'requestHeaders', 'requestBody'],
    ...['responseStatus', 'error', 'retryCount', 'status', 'redriveCount', 'lastRedriveAt', 'lastRedriveBy'],
    ...times,
  ],
  organization: ['organizationId', 'name', 'status', 'plan', ...times],
  project: ['projectId', 'organizationId', 'name', ...times],
  'API key': [
    'apiKeyId',
    'organizationId',
    'projectId',
    'keyId',
    'name',
    'expiresAt',
    'permissions',
    'allowedAddresses',
    'lastUsedAt',
    ...times,
  ],
  'webhook secret': ['webhookSecretId', 'projectId', 'name', ...times],
  blueprint: ['blueprintId', 'organizationId', 'name', 'version', 'versions', ...times],
} as const satisfies Record<string, readonly string[]>;

const consoleAccess = ['apiKey', 'permissions', 'token', 'actorTokenId', 'accessScope', 'expiresAt'];

type RecordName = keyof typeof records;

const identifiers =
  /^(?:app|room|roomActorAccess|actorToken|accessScope|signingKey|dlq|blueprint|apiKey|webhookSecret)Id$/;

const expectRecord = (record: any, name: RecordName, ...more: readonly string[]): void => {
  expect(record).to.have.all.keys(...records[name], ...more);
  for (const time of times) expectTime(record[time]);
  for (const [field, value] of Object.entries(record as object))
    if (value !== null && (identifiers.test(field) || ['projectId', 'organizationId'].includes(field)))
      expectUuid(value);
};

type Check = (body: any) => void;

const one =
  (name: RecordName, ...more: readonly string[]): Check =>
  (body) =>
    expectRecord(body, name, ...more);

/** At least one record, so that a list of nothing proves nothing. */
const list =
  (name: RecordName): Check =>
  (body) => {
    expect(body).to.be.an('array').that.is.not.empty;
    for (const record of body) expectRecord(record, name);
  };

const page =
  (name: RecordName): Check =>
  (body) => {
    expect(body).to.have.all.keys('data', 'pagination');
    list(name)(body.data);
    const total: number = body.data.length;
    expect(body.pagination).to.eql({ total, page: 1, pageCount: 1 });
  };

const expectChange = (change: any): void => {
  expect(change).to.have.all.keys('eventId', 'type', 'occurredAt', 'principal', 'requestId');
  expectUuid(change.eventId);
  expectTime(change.occurredAt);
};

/** Never changed once it is made. */
const expectRevocation = ({ revocationId, organizationId, createdAt, ...rest }: any): void => {
  for (const id of [revocationId, organizationId]) expectUuid(id);
  expectTime(createdAt);
  expect(rest).to.have.all.keys('jti', 'subject', 'byOperator');
};

const expectTokenRevocation = ({ revocationId, projectId, before, createdAt, ...rest }: any): void => {
  for (const id of [revocationId, projectId]) expectUuid(id);
  for (const time of [before, createdAt]) expectTime(time);
  expect(rest).to.have.all.keys('subject');
};

const expectJobGroup = ({ groupId, createdAt, jobs, ...rest }: any): void => {
  expectUuid(groupId);
  expectTime(createdAt);
  expect(jobs).to.have.all.keys('prefetch', 'ackSeconds', 'maxDeliveries');
  const fields = ['topic', 'name', 'scope', 'depth', 'inFlight', 'oldestAt', 'members'];
  expect(rest).to.have.all.keys(...fields);
};

/** The exact bodies of success. */
export const answers = {
  nothing: (body) => expect(body).to.equal(undefined),
  success: (body) => expect(body).to.eql({ success: true }),
  count: (body) => expect(body).to.eql({ count: 1 }),
  app: one('app'),
  'page of apps': page('app'),
  room: one('room'),
  'list of rooms': list('room'),
  grant: one('grant'),
  'list of grants': list('grant'),
  'message history'(body) {
    expect(body).to.have.all.keys('data');
    expect(body.data).to.be.an('array').that.is.not.empty;
    for (const message of body.data) {
      expect(message).to.have.all.keys('id', 'at', 'actorTokenId', 'position', 'filter', 'data');
      expectTime(message.at);
      expect(message.position).to.match(/^[0-9A-Za-z._-]{1,64}$/);
    }
  },
  // With somebody present: `liveState.e2e.spec.ts`.
  'page of presences': (body) => expect(body).to.eql({ data: [], next: null }),
  'job group': (body) => expectJobGroup(body),
  'page of job groups'(body) {
    expect(body).to.have.all.keys('data', 'next');
    expect(body.data).to.be.an('array').that.is.not.empty;
    for (const group of body.data) expectJobGroup(group);
  },
  // With a job: `jobGroups.e2e.spec.ts`.
  'waiting jobs': (body) => expect(body).to.eql({ data: [] }),
  occupancy: (body) => expect(body).to.eql({ data: [] }),
  actor: one('actor'),
  'actor with its token': one('actor', 'accessToken'),
  'list of actors': list('actor'),
  scope: one('scope'),
  'page of scopes': page('scope'),
  'signing key': one('signing key'),
  'signing key with its secret': one('signing key', 'signingKey'),
  'page of signing keys': page('signing key'),
  'dead letter': one('dead letter'),
  'stretch of dead letters'(body) {
    expect(body).to.have.all.keys('data', 'pagination');
    list('dead letter')(body.data);
    expect(body.pagination).to.eql({ total: 2, limit: 50, offset: 0 });
  },
  redrive(body) {
    expect(body).to.have.all.keys('matched', 'redriven', 'dryRun', 'dlqIds');
    expect(body.matched).to.equal(body.dlqIds.length);
    expect(body.redriven).to.equal(body.dryRun ? 0 : body.matched);
  },
  'webhook outcomes'(body) {
    expect(body).to.have.all.keys('data', 'cursor', 'gap');
    expect(body).to.deep.include({ data: [], gap: false });
    expect(body.cursor).to.match(/^[0-9a-f]{8}\.\d+\.\d+$/);
  },
  'webhook secret': one('webhook secret'),
  'webhook secret with its secret': one('webhook secret', 'webhookSecret'),
  'page of webhook secrets': page('webhook secret'),
  activity(body) {
    expect(body).to.have.all.keys('data');
    expect(body.data).to.have.length(5);
    for (const { at, ...counts } of body.data) {
      expectTime(at);
      expect(counts).to.have.all.keys(...activityFields);
    }
  },
  // With one: `webhookCircuits.e2e.spec.ts`.
  'page of no webhook circuits': (body) =>
    expect(body).to.eql({ data: [], pagination: { total: 0, page: 1, pageCount: 0 } }),
  'closed webhook circuit': (body) => expect(body).to.eql({ closed: false }),
  'own session'(body) {
    expect(body).to.have.all.keys('principal', 'isOperator', 'expiresAt', 'organizations', 'hasMore');
    expectTime(body.expiresAt);
    for (const organization of body.organizations) {
      expect(organization).to.have.all.keys('organizationId', 'name', 'status', 'role');
      expectUuid(organization.organizationId);
    }
  },
  'console access'(body) {
    expect(body).to.have.all.keys(...consoleAccess);
    expect(body.apiKey).to.match(/^ak_console_/);
    expectUuid(body.actorTokenId);
    expectTime(body.expiresAt);
  },
  'session revocation': (body) => expectRevocation(body),
  'page of session revocations'(body) {
    expect(body).to.have.all.keys('data', 'pagination');
    expect(body.data).to.be.an('array').that.is.not.empty;
    for (const revocation of body.data) expectRevocation(revocation);
  },
  'token revocation': (body) => expectTokenRevocation(body),
  'page of token revocations'(body) {
    expect(body).to.have.all.keys('data', 'next');
    expect(body.data).to.be.an('array').that.is.not.empty;
    for (const revocation of body.data) expectTokenRevocation(revocation);
  },
  'page of scheduled publishes'(body) {
    expect(body).to.have.all.keys('data', 'next');
    expect(body.data).to.be.an('array').that.is.not.empty;
    for (const scheduled of body.data) {
      expect(scheduled).to.have.all.keys(
        ...(['scheduledId', 'topic', 'scope', 'id', 'actorTokenId', 'deliverAt', 'createdAt'] as const),
      );
      for (const time of [scheduled.deliverAt, scheduled.createdAt]) expectTime(time);
    }
  },
  organization: one('organization'),
  'page of organizations': page('organization'),
  usage(body) {
    expect(body).to.have.all.keys('month', 'messages', 'connections', 'apps', 'plan');
    expect(body.month).to.match(/^\d{4}-\d{2}$/);
    expect(body.connections).to.equal(1);
    expect(body.plan).to.have.all.keys('maxApps', 'maxConnections', 'monthlyMessages');
    for (const counted of ['messages', 'apps'] as const) {
      expect(body[counted]).to.be.an('array').that.is.not.empty;
      for (const project of body[counted]) {
        expect(project).to.have.all.keys('projectId', counted);
        expectUuid(project.projectId);
        expect(project[counted]).to.be.a('number');
      }
    }
  },
  'page of audit events'(body) {
    expect(body).to.have.all.keys('data', 'nextCursor');
    expect(body.data).to.be.an('array').that.is.not.empty;
    for (const { resourceIds, data, projectId, ...change } of body.data) {
      expectChange(change);
      for (const id of resourceIds) expectUuid(id);
      if (projectId !== null) expectUuid(projectId);
      expect(data).to.be.an('object').that.does.not.have.any.keys('secretHash', 'sealedSecret');
    }
  },
  'page of refused calls'(body) {
    expect(body).to.have.all.keys('data', 'nextCursor');
    expect(body.data).to.be.an('array');
  },
  'page of connections'(body) {
    expect(body).to.have.all.keys('data', 'nextCursor');
    expect(body.data).to.have.length(1);
    expectConnection(body.data[0]);
  },
  'timeline of a connection'(body) {
    expect(body).to.have.all.keys('connection', 'data', 'nextCursor');
    expectConnection(body.connection);
    expect(body.data[0]).to.have.all.keys('at', 'kind', 'scope');
  },
  'past state'(body) {
    expect(body).to.have.all.keys('resourceId', 'resourceType', 'at', 'record', 'lastChange');
    expect(body.resourceType).to.equal('organizations');
    expect(body.record).to.have.all.keys(...records.organization);
    expectChange(body.lastChange);
  },
  differences(body) {
    expect(body).to.have.all.keys('resourceId', 'resourceType', 'from', 'to', 'differences');
    const paths = (body.differences as { path: string }[]).map(({ path }) => path);
    expect(paths).to.have.members(records.organization.map((field) => `/${field}`));
    for (const { change } of body.differences) expectChange(change);
  },
  explanation(body) {
    const fields = ['actorTokenId', 'address', 'action', 'at', 'allowed', 'rule', 'reason', 'until', 'event'];
    expect(body).to.have.all.keys(...fields);
    expect(body.allowed).to.be.a('boolean');
    expectChange(body.event);
  },
  trace(body) {
    const fields = ['topic', 'accessScopeId', 'messages', 'examined', 'hasMore', 'nextCursor'];
    expect(body).to.have.all.keys(...fields);
    expect(body.messages).to.have.length(1);
    expect(body.messages[0].actors[0].outcome).to.be.a('string');
  },
  project: one('project'),
  'page of projects': page('project'),
  'API key': one('API key'),
  'API key with its secret': one('API key', 'apiKey'),
  'page of API keys': page('API key'),
  blueprint: one('blueprint'),
  'page of blueprints': page('blueprint'),
} as const satisfies Record<string, Check>;

export type AnswerName = keyof typeof answers;

export const expectAnswer = (name: AnswerName, body: unknown): void => (answers[name] as Check)(body);

function expectConnection(connection: any): void {
  expect(connection).to.have.all.keys(
    ...[
      'connectionId',
      'projectId',
      'actorTokenId',
      'keyId',
      'actorType',
      'scope',
      'gateway',
      'address',
      'sdk',
    ],
    ...['connectedAt', 'authenticatedAt', 'closedAt', 'seenOpenAt', 'closeCode', 'closeReason', 'closedBy'],
    'subscriptions',
  );
  expectUuid(connection.connectionId);
}
