import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { mintSessionToken } from '@roomwire/shared/credentials/sessionToken';
import { FrameClient } from '@roomwire/testing/clients/frameClient';
import { eventually } from '@roomwire/testing/run/eventually';
import type { ApiClient } from '../../../support/apiClient.js';
import type { Answer } from '../../../support/conformance.js';
import { startTestService, type TestService } from '../../../support/testService.js';
import { withStores } from '../../../support/eventLogAccess.js';
import { bodyTable } from './bodies.js';
import { nameOf, type Endpoint, type PathParameter } from './endpoints.js';
import { seedOrganization, type SeededOrganization } from './seedOrganization.js';

export type Ids = Readonly<Record<PathParameter, string>>;

/** A project with one of everything, in an organization with one of everything. */
export interface Tenant {
  readonly ids: Ids;
  /** That of `ids` belongs to the project, this one to the organization. */
  readonly organizationApiKeyId: string;
  /** The public identifier of the actor. */
  readonly actorKeyId: string;
  readonly project: ApiClient;
  readonly apiKey: string;
  /** A key of the organization, which opens nothing. */
  readonly organizationKey: string;
  /** The session of a user of this organization only, who is not an operator. */
  readonly sessionToken: string;
  /** The connection of `ids`, which the tests may close. */
  readonly socket: FrameClient;
}

export interface World {
  readonly service: TestService;
  readonly own: Tenant;
  readonly foreign: Tenant;
  close(): Promise<void>;
}

const topic = 'chat';
const definition = {
  topics: [topic],
  topicConfigs: { [topic]: { history: {} } },
  config: { autoProvisionRooms: true },
};
const sessionSecret = new Uint8Array(32).fill(7);

export const sessionOf = (organizationId: string, lifetimeSeconds = 3600, secret = sessionSecret) =>
  mintSessionToken(
    secret,
    { subject: 'ada', organizationIds: [organizationId], isOperator: false },
    lifetimeSeconds,
    systemClock,
  );

export const openWorld = async (): Promise<World> => {
  const seeds = [seedOrganization(), seedOrganization()] as const;
  const service = await startTestService({ sessionSecret, connectionRecord: true }, (config) =>
    withStores(config, async (stores) => {
      for (const seed of seeds) await seed.write(stores);
    }),
  );
  const [own, foreign] = [await newTenant(service, seeds[0]), await newTenant(service, seeds[1])];
  return {
    ...{ service, own, foreign },
    async close() {
      for (const { socket } of [own, foreign]) socket.terminate();
      await service.close();
    },
  };
};

/** The answer's body, of a request that must have worked. */
export const done = (answer: Answer): any => {
  if (answer.status >= 300) throw new Error(`Answered with ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
};

/** What later answers show of a record whose secret is shown once. */
export const without = (field: string, record: object): any =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== field));

const newTenant = async (service: TestService, seed: SeededOrganization): Promise<Tenant> => {
  const { operator } = service;
  const organization = `/organizations/${seed.organizationId}`;
  const { projectId } = done(await operator.post(`${organization}/projects`, { name: 'Project' }));
  const keys = `${organization}/projects/${projectId}/api-keys`;
  const { apiKey } = done(await operator.post(keys, { name: 'Key' }));
  const spare = done(await operator.post(keys, { name: 'Spare' }));
  const organizationKey = done(await operator.post(`${organization}/api-keys`, { name: 'Organization' }));
  const { blueprintId } = done(
    await operator.post(`${organization}/blueprints`, { name: 'Blueprint', version: '1.0.0', definition }),
  );
  const spareOfOrganization = done(await operator.post(`${organization}/api-keys`, { name: 'Spare' }));

  const secrets = `${organization}/projects/${projectId}/webhook-secrets`;
  const webhookSecret = done(await operator.post(secrets, { name: 'Webhook secret' }));
  const project = service.client(apiKey);
  const things = await newThings(project, blueprintId);
  const { actorKeyId, accessToken, ...ids } = things;
  const { socket, connectionId } = await connected(service, organization, accessToken);
  return {
    ids: {
      ...ids,
      projectId,
      blueprintId,
      orgId: seed.organizationId,
      apiKeyId: spare.apiKeyId,
      dlqId: seed.deadLetterIds[0],
      webhookSecretId: webhookSecret.webhookSecretId,
      connectionId,
    },
    socket,
    organizationApiKeyId: spareOfOrganization.apiKeyId,
    actorKeyId,
    project,
    apiKey,
    organizationKey: organizationKey.apiKey,
    sessionToken: await sessionOf(seed.organizationId),
  };
};

const connected = async (service: TestService, organization: string, token: string) => {
  const socket = await FrameClient.connect(service.socketUrl);
  await socket.ask({ type: 'auth', token, protocolVersion: 2 });
  let connectionId: string | undefined;
  await eventually(async () => {
    connectionId = done(await service.operator.get(`${organization}/connections`)).data[0]?.connectionId;
    return connectionId !== undefined;
  });
  // Gateways report what they count once in a while.
  await eventually(async () => done(await service.operator.get(`${organization}/usage`)).connections === 1);
  return { socket, connectionId: connectionId as string };
};

const tomorrow = (): string => new Date(Date.now() + 86_400_000).toISOString();

const newThings = async (project: ApiClient, blueprintId: string) => {
  const { appId, slug } = done(await project.post('/apps', { name: 'App', blueprintId }));
  const { roomId } = done(await project.post(`/apps/${appId}/rooms`, { name: 'Room' }));
  done(await project.post('/publish', { topic: `${slug}/room/${topic}`, data: 'kept' }));
  const later = { topic: `${slug}/room/${topic}`, data: 'later', deliverAt: tomorrow() };
  const { scheduledId } = done(await project.post('/publish', later));
  const scope = done(await project.post('/scopes', { slug: 'scope', name: 'Scope' }));
  const scopeId: string = scope.accessScopeId;
  const actor = done(
    await project.post('/actors', { name: 'Actor', actorType: 'user', accessScopeId: scopeId }),
  );
  // One that nothing in a path names, so that no request ends its connection.
  const connecting = done(await project.post('/actors', { name: 'Connected', actorType: 'user' }));
  const { signingKeyId } = done(await project.post('/signing-keys', { name: 'Signing key' }));
  const newGroup = { topic, name: 'Workers' };
  const { groupId } = done(await project.post(`/apps/${appId}/rooms/${roomId}/groups`, newGroup));
  const grant = { permission: 'pubSub', actorTokenId: actor.actorTokenId };
  const { roomActorAccessId } = done(await project.post(`/apps/${appId}/rooms/${roomId}/actors`, grant));
  return {
    appId,
    roomId,
    roomActorAccessId,
    groupId,
    scopeId,
    actorId: actor.actorTokenId,
    actorKeyId: actor.keyId,
    accessToken: connecting.accessToken,
    signingKeyId,
    scheduledId,
  };
};

/** What stands in the path of an endpoint, of the tenant's own. */
export const idsOf = ({ ids, organizationApiKeyId }: Tenant, { path }: Pick<Endpoint, 'path'>): Ids =>
  path.includes('{projectId}') ? ids : { ...ids, apiKeyId: organizationApiKeyId };

export const pathWith = ({ path }: Pick<Endpoint, 'path'>, ids: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = name === 'topic' ? topic : ids[name];
    if (id === undefined) throw new TypeError(`Nothing to put in place of ${name}`);
    return id;
  });

export const json = { 'content-type': 'application/json' };

/** Calls an endpoint with a body that it takes, unless told of another. */
export const call = (
  client: ApiClient,
  endpoint: Endpoint,
  ids: Readonly<Record<string, string>>,
  body: unknown = endpoint.body && bodyTable(endpoint.body).valid(),
): Promise<Answer> =>
  client.send(pathWith(endpoint, ids), {
    method: endpoint.method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: json }),
  });

/** Who may call the endpoint on what is the tenant's own. */
export const callerOf = (world: World, endpoint: Endpoint): ApiClient =>
  endpoint.access === 'project' ? world.own.project : world.service.operator;

/** Says in which of a test's many cases an expectation failed. */
export const inCase = async (name: string, check: () => Promise<void>): Promise<void> => {
  try {
    await check();
  } catch (error) {
    if (error instanceof Error) error.message = `${name}: ${error.message}`;
    throw error;
  }
};

/** One test for each endpoint that fits. */
export const forEachEndpoint = (
  all: readonly Endpoint[],
  test: (endpoint: Endpoint) => Promise<void>,
): void => {
  for (const endpoint of all) it(nameOf(endpoint), () => test(endpoint));
};
