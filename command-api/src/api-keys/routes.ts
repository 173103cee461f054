import { mintToken } from '@roomwire/shared/credentials/secretToken';
import type { RejectionCode } from '../handling/rejections.js';
import { unwritten } from '../handling/writeModel.js';
import { exampleIds } from '../http/exampleValues.js';
import { examplePage, findPage, pageOf } from '../http/listing.js';
import {
  type ResourceDeps,
  pathValue,
  sessionContext,
  sessionRoute,
  type ApiRequest,
  type Route,
  type SessionCaller,
} from '../http/route.js';
import { normalTime } from '../http/schema.js';
import { organizationOf } from '../organizations/resource.js';
import { projectOf } from '../projects/resource.js';
import {
  apiKeySchema,
  createdApiKeySchema,
  exampleApiKey,
  exampleCreatedApiKey,
  exampleNewApiKey,
  presentApiKey,
  presentApiKeys,
  apiKeysQuerySchema,
  createApiKeySchema,
} from './resource.js';
import { apiKeyTarget, existing } from './decider.js';

type Request<Body, Query> = ApiRequest<SessionCaller, Body, Query>;

/** What a key belongs to: a project, or an organization alone. */
interface Owner {
  readonly organizationId: string;
  readonly projectId: string | null;
}

/** What the description of the routes says of their owner. */
interface OwnerKind {
  readonly name: string;
  /** Of operation ids. */
  readonly prefix: string;
  readonly projectId: string | null;
  readonly rejections: readonly RejectionCode[];
}

const projectKind: OwnerKind = {
  name: 'project',
  prefix: '',
  projectId: exampleIds.projectId,
  rejections: ['organization_not_found', 'project_not_found'],
};
const organizationKind: OwnerKind = {
  name: 'organization',
  prefix: 'Organization',
  projectId: null,
  rejections: ['organization_not_found'],
};

export const apiKeyRoutes = (deps: ResourceDeps): readonly Route[] => {
  const { commands } = deps;
  return [
    ...routesOf(deps, '/organizations/{orgId}/projects/{projectId}/api-keys', projectKind, (request) =>
      projectOf(commands, request),
    ),
    ...routesOf(deps, '/organizations/{orgId}/api-keys', organizationKind, async (request) => ({
      organizationId: (await organizationOf(commands, request)).organizationId,
      projectId: null,
    })),
  ];
};

const routesOf = (
  { commands, views, usage, random }: ResourceDeps,
  path: string,
  { name: kind, prefix, projectId, rejections }: OwnerKind,
  ownerOf: (request: Request<unknown, unknown>) => Promise<Owner>,
): readonly Route[] => [
  sessionRoute({
    method: 'post',
    path,
    operationId: `create${prefix}ApiKey`,
    tag: 'API keys',
    summary: `Create an API key of the ${kind}; the key itself is shown only in this answer`,
    body: createApiKeySchema,
    status: 201,
    answer: createdApiKeySchema,
    example: { body: exampleNewApiKey, answer: { ...exampleCreatedApiKey, projectId } },
    rejections,
    async handle(request) {
      const { organizationId, projectId } = await ownerOf(request);
      const { name, expiresAt, permissions = null, allowedAddresses = null } = request.body;
      const { keyId, secretHash, token } = mintToken(random, 'ak_live');
      const apiKeyId = random.uuid();
      const expiry = expiresAt == null ? null : normalTime(expiresAt);
      const apiKey = {
        ...{ apiKeyId, organizationId, projectId, keyId, name, expiresAt: expiry },
        ...{ permissions, allowedAddresses, secretHash },
      };
      return commands.execute(
        unwritten(apiKeyTarget(apiKeyId)),
        { type: 'CreateApiKey', apiKey },
        sessionContext(request, organizationId, projectId),
        (state) => ({ ...presentApiKey(existing(state, apiKey), null), apiKey: token }),
      );
    },
  }),

  sessionRoute({
    method: 'get',
    path,
    operationId: `list${prefix}ApiKeys`,
    tag: 'API keys',
    summary: `List the API keys of the ${kind}`,
    query: apiKeysQuerySchema,
    status: 200,
    answer: pageOf(apiKeySchema),
    example: { answer: examplePage({ ...exampleApiKey, projectId }) },
    rejections,
    async handle(request) {
      const { organizationId, projectId } = await ownerOf(request);
      const owned = { organizationId, projectId };
      const page = await findPage(views, 'apiKeys', owned, request.query, (apiKey) => apiKey);
      return { ...page, data: await presentApiKeys(usage, page.data) };
    },
  }),

  sessionRoute({
    method: 'delete',
    path: `${path}/{apiKeyId}`,
    operationId: `revoke${prefix}ApiKey`,
    tag: 'API keys',
    summary: `Revoke an API key of the ${kind}`,
    status: 204,
    rejections: [...rejections, 'api_key_not_found'],
    async handle(request) {
      const { organizationId, projectId } = await ownerOf(request);
      const apiKeyId = pathValue(request, 'apiKeyId');
      await commands.execute(
        apiKeyTarget(apiKeyId),
        { type: 'RevokeApiKey', apiKeyId, organizationId, projectId },
        sessionContext(request, organizationId, projectId),
      );
    },
  }),
];
