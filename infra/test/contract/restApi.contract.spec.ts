import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { FrameClient } from '@roomwire/testing/clients/frameClient';
import { eventually } from '@roomwire/testing/run/eventually';
import { rejections as rows } from '@roomwire/command-api/handling/rejections';
import type { Route } from '@roomwire/command-api/http/route';
import { apiRoutes, type ApiDeps } from '@roomwire/command-api/commandApi';
import { organizationTarget } from '@roomwire/command-api/organizations/decider';
import { unlimitedPlan } from '@roomwire/shared/domain/organization';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import type { Adapters } from '../../src/engines/adapters.js';
import { recordDeadLetters } from '../support/deadLetters.js';
import { executeOn, withStores } from '../support/eventLogAccess.js';
import { startTestService, type TestProject, type TestService } from '../support/testService.js';
import { runSchemathesis, type SchemathesisReport } from './schemathesis.js';

// Routes are only looked at, never called.
const routes = apiRoutes({} as ApiDeps);
const opened = (access: Route['access']): readonly Route[] =>
  routes.filter((route) => route.access === access);

/** The change that is assumed, the slugs and the size of a definition, base64 and the filters of a message, and whether a time is ahead, are checked beyond their schemas. */
// An empty list of rooms is sent as none.
const checkedBeyondSchema = [
  'registerBlueprint',
  'publishMessages',
  'revokeTokens',
  'getOccupancy',
  'assumeChange',
];

/** Rules beyond the schemas, for which a request that is valid by its schema is answered 400. */
const hasRuleWith400 = ({ operationId, rejections }: Route): boolean =>
  checkedBeyondSchema.includes(operationId) || rejections.some((code) => rows[code].status === 400);

/** What it is about stands in its query, which the tool makes up: only its own tests find something. */
const isNamedByQuery = ({ query }: Route): boolean => query?.['required'] !== undefined;

/** Values of path parameters; of any other the tool makes some, or follows a link. A redrive that waited for its outcome would take too long. */
type KnownIds = Readonly<Record<string, string>>;

const settingsFor = (chosen: readonly Route[], ids: KnownIds): string => {
  const ruled = chosen.filter(hasRuleWith400).map(({ operationId }) => JSON.stringify(operationId));
  return `
continue-on-failure = true
hooks = "hooks.py"
[parameters]
${Object.entries(ids)
  .map(([name, id]) => `"path.${name}" = "${id}"`)
  .join('\n')}
[auth.openapi.apiKey]
bearer = "\${API_KEY}"
[auth.openapi.session]
bearer = "\${SESSION_TOKEN}"
[[operations]]
include-operation-id = [${ruled.join(', ')}]
checks.positive_data_acceptance.expected-statuses = ["2xx", 400, 401, 403, 404, 409, 429]
[[operations]]
include-operation-id = ["redriveDeadLetter"]
parameters = { "query.wait" = "false" }
`;
};

const organizationId = randomUUID();
const entries = Array.from({ length: 100 }, () => ({
  dlqId: randomUUID(),
  organizationId,
  projectId: randomUUID(),
  appId: randomUUID(),
  kind: 'trigger' as const,
  url: 'https://example.com/hook',
  requestHeaders: { 'content-type': 'application/json' },
  requestBody: { roomName: 'lobby', topicName: 'chat', actorId: randomUUID(), data: {}, scope: null },
  responseStatus: null,
  error: 'No connection',
  retryCount: 2,
  status: 'pending' as const,
}));

/** An organization with webhook calls that came to nothing: no endpoint makes them. */
const writeDeadLetters = async (stores: Adapters): Promise<void> => {
  const asSystem = executeOn(await stores.log(), { organizationId, projectId: null });
  const organization = { organizationId, name: 'Shop', plan: unlimitedPlan };
  await asSystem(organizationTarget(organizationId), { type: 'CreateOrganization', organization });
  await recordDeadLetters(stores, entries);
};

const seed = 20261121;
const timeoutMs = 9 * 60_000;

describe('The REST API against its own description (schemathesis)', function () {
  this.timeout(timeoutMs + 60_000);
  let service: TestService;

  before(
    async () => void (service = await startTestService({}, (config) => withStores(config, writeDeadLetters))),
  );
  after(() => service.close());

  const test = async (
    chosen: readonly Route[],
    { apiKey, ids }: { readonly apiKey: string; readonly ids: KnownIds },
  ): Promise<SchemathesisReport> => {
    const folder = await temporaryFolder();
    try {
      return await runSchemathesis({
        description: `${service.baseUrl}/v1/openapi.json`,
        args: [
          ...chosen.flatMap(({ operationId }) => ['--include-operation-id', operationId]),
          ...['--max-examples', '20', '--seed', `${seed}`],
          // CPython 3.11 parses source in one thread at a time only, and the tool does so in each.
          ...['--workers', '1'],
        ],
        settings: settingsFor(chosen, ids),
        environment: { API_KEY: apiKey, SESSION_TOKEN: service.credentials.sessionToken },
        folder: folder.path,
        timeoutMs,
      });
    } finally {
      await folder.remove();
    }
  };

  const expectClean = (report: SchemathesisReport, chosen: readonly Route[]): void => {
    const { operations, failures, errors, output } = report;
    expect({ failures: failures.length, errors: errors.length }, output.slice(-20_000)).to.eql({
      failures: 0,
      errors: 0,
    });
    expect(operations.tested).to.equal(chosen.length);
    expect(report.warnings['missing_auth'] ?? [], 'operations that were only refused').to.eql([]);
    expect(report.test_cases.generated).to.be.greaterThan(20 * operations.tested);
    console.log(`      ${operations.tested} operations, ${report.test_cases.generated} requests`);
  };

  /** With ids of what there is, every operation must have found what it is about. */
  const expectReached = (report: SchemathesisReport, chosen: readonly Route[]): void => {
    expectClean(report, chosen);
    expect(report.warnings['missing_test_data']).to.eql([]);
    expect(report.warnings['validation_mismatch']).to.eql([]);
  };

  it('conforms for an API key', async () => {
    // What is deleted on the way must not be what the credentials belong to.
    const { apiKey } = await service.newProject();
    expectClean(await test(opened('project'), { apiKey, ids: {} }), opened('project'));
  });

  it('conforms for existing resources of a project', async () => {
    const things = opened('project').filter((route) => takesAnId(route) && !isNamedByQuery(route));
    const [ofRooms, others] = parted(things, '/rooms');
    // Changes of the app may take away that rooms can be made in it.
    for (const chosen of [ofRooms, others]) {
      const { project, ids } = await furnishedProject(service);
      expectReached(await test(chosen, { apiKey: project.apiKey, ids }), chosen);
    }
  });

  it('conforms for a user session', async () => {
    const { apiKey } = await service.newProject();
    const ids = { orgId: organizationId };
    expectClean(await test(opened('session'), { apiKey, ids }), opened('session'));
  });

  it('conforms for existing resources of an organization', async () => {
    const { project, ids } = await furnishedProject(service);
    const { apiKey } = project;
    const things = opened('session').filter((route) => takesAnId(route) && !isNamedByQuery(route));
    const [ofDeadLetters, others] = parted(things, '/webhook-dlq');
    const [{ dlqId = '' } = {}] = entries;
    const inQueue = { orgId: organizationId, dlqId };
    expectReached(await test(ofDeadLetters, { apiKey, ids: inQueue }), ofDeadLetters);
    expectReached(await test(others, { apiKey, ids }), others);
  });

  it('leaves the service healthy', () => {
    expect(service.logLines.filter(({ level }) => level === 'error')).to.eql([]);
  });
});

/** What deletes would leave the others without it. Marking a dead letter is told by its path. */
const takesAnId = ({ method, path }: Route): boolean =>
  path.includes('{') && (method !== 'delete' || path.endsWith('/mark-dead'));

/** Those whose path has the part, and the others. */
const parted = (all: readonly Route[], part: string): readonly [readonly Route[], readonly Route[]] => [
  all.filter(({ path }) => path.includes(part)),
  all.filter(({ path }) => !path.includes(part)),
];

/** A project with one of everything, the app being made from a blueprint. */
/** The id of a connection, which ends with the service at the latest. */
const connectedAs = async (service: TestService, orgId: string, token: string): Promise<string> => {
  const socket = await FrameClient.connect(service.socketUrl);
  await socket.ask({ type: 'auth', token, protocolVersion: 2 });
  let connectionId = '';
  await eventually(async () => {
    const { body } = await service.operator.get(`/organizations/${orgId}/connections`);
    connectionId = body.data[0]?.connectionId ?? '';
    return connectionId !== '';
  });
  return connectionId;
};

const furnishedProject = async (
  service: TestService,
): Promise<{ readonly project: TestProject; readonly ids: KnownIds }> => {
  const project = await service.newProject();
  const make = async (path: string, body: object) => (await project.client.post(path, body)).body;
  const { organizationId: orgId, projectId } = project;
  const topics = { topics: ['chat'], topicConfigs: { chat: { history: {} } } };
  const definition = { rooms: [{ name: 'Lobby' }], config: { autoProvisionRooms: true }, ...topics };
  const blueprint = { name: 'B', version: '1.0.0', definition };
  const { body } = await service.operator.post(`/organizations/${orgId}/blueprints`, blueprint);
  const { blueprintId } = body as { blueprintId: string };
  const { appId } = await make('/apps', { name: 'From it', blueprintId });
  const { roomId } = await make(`/apps/${appId}/rooms`, { name: 'Other' });
  const { accessScopeId: scopeId } = await make('/scopes', { slug: 'tenant', name: 'Tenant' });
  const newActor = { name: 'A', actorType: 'user', accessScopeId: scopeId };
  const { actorTokenId: actorId, accessToken } = await make('/actors', newActor);
  await make(`/apps/${appId}/rooms/${roomId}/actors`, { actorTokenId: actorId, permission: 'pubSub' });
  const { groupId } = await make(`/apps/${appId}/rooms/${roomId}/groups`, { topic: 'chat', name: 'G' });
  const { signingKeyId } = await make('/signing-keys', { name: 'S' });
  const connectionId = await connectedAs(service, orgId, accessToken);
  const ofOrganization = { orgId, projectId, blueprintId, connectionId };
  const ofProject = { appId, roomId, groupId, topic: 'chat', scopeId, actorId, signingKeyId };
  return { project, ids: { ...ofOrganization, ...ofProject } };
};
