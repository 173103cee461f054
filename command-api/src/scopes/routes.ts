import type { ScopeFields } from '@roomwire/shared/domain/scope';
import { actorSchema, exampleActor, presentActors } from '../actors/resource.js';
import { releaseAbandonedMemberships } from '../actors/scopeMembership.js';
import { containing, examplePage, findPage, pageOf } from '../http/listing.js';
import { wholeList } from '../http/recordLists.js';
import { type ResourceDeps, pathValue, projectContext, projectRoute, type Route } from '../http/route.js';
import {
  exampleNewScope,
  exampleScope,
  scopeSchema,
  findScope,
  presentScope,
  createScopeSchema,
  scopesQuerySchema,
  updateScopeSchema,
  type CreateScopeBody,
} from './resource.js';
import { existing, scopesTarget } from './decider.js';
import * as s from '../http/schema.js';

export const scopeRoutes = ({ commands, views, usage, random }: ResourceDeps): readonly Route[] => [
  projectRoute({
    method: 'get',
    path: '/scopes',
    operationId: 'listScopes',
    permission: 'scopes:read',
    tag: 'Scopes',
    summary: 'List the access scopes of the project',
    query: scopesQuerySchema,
    status: 200,
    answer: pageOf(scopeSchema),
    example: { answer: examplePage(exampleScope) },
    rejections: [],
    async handle({ caller, query }) {
      const { slug, name, isActive } = query;
      const filter = {
        projectId: caller.projectId,
        ...(slug === undefined ? {} : { slug }),
        ...(name === undefined ? {} : { name: containing(name) }),
        ...(isActive === undefined ? {} : { isActive: isActive === 'true' }),
      };
      // The requested order only breaks ties.
      return findPage(views, 'scopes', filter, query, presentScope, [['createdAt', -1]]);
    },
  }),

  projectRoute({
    method: 'post',
    path: '/scopes',
    operationId: 'createScope',
    permission: 'scopes:write',
    tag: 'Scopes',
    summary: 'Create an access scope',
    body: createScopeSchema,
    status: 201,
    answer: scopeSchema,
    example: { body: exampleNewScope, answer: exampleScope },
    rejections: ['scope_slug_taken'],
    async handle(request) {
      const scope = newScope(random.uuid(), request.caller.projectId, request.body);
      return commands.execute(
        scopesTarget(scope.projectId),
        { type: 'CreateScope', scope },
        projectContext(request),
        (state) => presentScope(existing(state, scope.accessScopeId)),
      );
    },
  }),

  projectRoute({
    method: 'get',
    path: '/scopes/{scopeId}',
    operationId: 'getScope',
    permission: 'scopes:read',
    tag: 'Scopes',
    summary: 'Get an access scope',
    status: 200,
    answer: scopeSchema,
    example: { answer: exampleScope },
    rejections: ['scope_not_found'],
    async handle(request) {
      return presentScope(await findScope(views, request));
    },
  }),

  projectRoute({
    method: 'patch',
    path: '/scopes/{scopeId}',
    operationId: 'updateScope',
    permission: 'scopes:write',
    tag: 'Scopes',
    summary: 'Change an access scope',
    body: updateScopeSchema,
    status: 200,
    answer: scopeSchema,
    example: { body: { isActive: false }, answer: { ...exampleScope, isActive: false } },
    rejections: ['scope_not_found'],
    async handle(request) {
      const accessScopeId = pathValue(request, 'scopeId');
      return commands.execute(
        scopesTarget(request.caller.projectId),
        { type: 'UpdateScope', accessScopeId, changes: request.body },
        projectContext(request),
        (state) => presentScope(existing(state, accessScopeId)),
      );
    },
  }),

  projectRoute({
    method: 'delete',
    path: '/scopes/{scopeId}',
    operationId: 'deleteScope',
    permission: 'scopes:write',
    tag: 'Scopes',
    summary: 'Delete an access scope without actors',
    status: 204,
    rejections: ['scope_not_found', 'scope_in_use'],
    async handle(request) {
      const { projectId } = request.caller;
      const accessScopeId = pathValue(request, 'scopeId');
      const context = projectContext(request);
      await releaseAbandonedMemberships({ commands, views }, { accessScopeId, projectId }, context);
      await commands.execute(scopesTarget(projectId), { type: 'DeleteScope', accessScopeId }, context);
    },
  }),

  projectRoute({
    method: 'get',
    path: '/scopes/{scopeId}/actors',
    operationId: 'listActorsInScope',
    permission: 'actors:read',
    tag: 'Scopes',
    summary: 'List the actors in an access scope',
    status: 200,
    answer: s.listOf(actorSchema),
    example: { answer: [{ ...exampleActor, accessScopeId: exampleScope.accessScopeId }] },
    rejections: ['scope_not_found'],
    async handle(request) {
      const { accessScopeId } = await findScope(views, request);
      return wholeList(views, 'actors', { accessScopeId }, 'newest first', (actors) =>
        presentActors(usage, actors),
      );
    },
  }),
];

const newScope = (accessScopeId: string, projectId: string, body: CreateScopeBody): ScopeFields => ({
  accessScopeId,
  projectId,
  slug: body.slug,
  name: body.name,
  description: body.description ?? null,
  metadata: body.metadata ?? null,
});
