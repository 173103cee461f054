import { mintToken } from '@roomwire/shared/credentials/secretToken';
import { findPage, type PageQuery } from '../http/pagination.js';
import type { ResourceDeps } from '../http/resourceDeps.js';
import {
  pathValue,
  sessionContext,
  sessionRoute,
  type ApiRequest,
  type Route,
  type SessionCaller,
} from '../http/route.js';
import { normalTime } from '../http/schemas.js';
import { organizationOf } from '../organizations/access.js';
import { projectOf } from '../projects/access.js';
import { apiKeyTarget } from './decider.js';
import { presentApiKey, presentApiKeys } from './present.js';
import { apiKeysQuerySchema, createApiKeySchema, type CreateApiKeyBody } from './schemas.js';

type Request<Body, Query> = ApiRequest<SessionCaller, Body, Query>;

/** What a key belongs to: a project, or an organization alone. */
interface Owner {
  readonly organizationId: string;
  readonly projectId: string | null;
}

export const apiKeyRoutes = (deps: ResourceDeps): readonly Route[] => {
  const { commands } = deps;
  return [
    ...routesOf(deps, '/organizations/{orgId}/projects/{projectId}/api-keys', 'project', (request) =>
      projectOf(commands, request),
    ),
    ...routesOf(deps, '/organizations/{orgId}/api-keys', 'organization', async (request) => ({
      organizationId: (await organizationOf(commands, request)).organizationId,
      projectId: null,
    })),
  ];
};

const routesOf = (
  { commands, views, random }: ResourceDeps,
  path: string,
  kind: string,
  ownerOf: (request: Request<unknown, unknown>) => Promise<Owner>,
): readonly Route[] => [
  sessionRoute<CreateApiKeyBody>({
    method: 'post',
    path,
    summary: `Create an API key of the ${kind}; the key itself is shown only in this answer`,
    body: createApiKeySchema,
    status: 201,
    async handle(request) {
      const { organizationId, projectId } = await ownerOf(request);
      const { name, expiresAt } = request.body;
      const { keyId, secretHash, token } = mintToken(random, 'ak_live');
      const apiKeyId = random.uuid();
      const expiry = expiresAt == null ? null : normalTime(expiresAt);
      const apiKey = { apiKeyId, organizationId, projectId, keyId, name, expiresAt: expiry, secretHash };
      return commands.execute(
        apiKeyTarget(apiKeyId),
        { type: 'CreateApiKey', apiKey },
        sessionContext(request, organizationId, projectId),
        (created) => ({ ...(created && presentApiKey(created, null)), apiKey: token }),
      );
    },
  }),

  sessionRoute<undefined, PageQuery>({
    method: 'get',
    path,
    summary: `List the API keys of the ${kind}`,
    query: apiKeysQuerySchema,
    status: 200,
    async handle(request) {
      const { organizationId, projectId } = await ownerOf(request);
      const owned = { organizationId, projectId };
      const page = await findPage(views, 'apiKeys', owned, request.query, (apiKey) => apiKey);
      return { ...page, data: await presentApiKeys(views, page.data) };
    },
  }),

  sessionRoute({
    method: 'delete',
    path: `${path}/{apiKeyId}`,
    summary: `Revoke an API key of the ${kind}`,
    status: 204,
    async handle(request) {
      const { organizationId, projectId } = await ownerOf(request);
      const apiKeyId = pathValue(request, 'apiKeyId');
      await commands.execute(
        apiKeyTarget(apiKeyId),
        { type: 'RevokeApiKey', apiKeyId, organizationId, projectId },
        sessionContext(request, organizationId, projectId),
        () => undefined,
      );
    },
  }),
];
