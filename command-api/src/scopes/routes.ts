import type { ScopeFields } from '@roomwire/shared/domain/scopes/scope';
import { presentActors } from '../actors/present.js';
import { giveBackAbandonedPlaces } from '../actors/scopePlace.js';
import { containing, findPage, newestFirst } from '../http/pagination.js';
import type { ResourceDeps } from '../http/resourceDeps.js';
import { pathValue, projectContext, projectRoute, type Route } from '../http/route.js';
import { existing, scopesTarget } from './decider.js';
import { findScope } from './findScope.js';
import { presentScope } from './present.js';
import {
  createScopeSchema,
  scopesQuerySchema,
  updateScopeSchema,
  type CreateScopeBody,
  type ScopesQuery,
  type UpdateScopeBody,
} from './schemas.js';

export const scopeRoutes = ({ commands, views, random }: ResourceDeps): readonly Route[] => [
  projectRoute<undefined, ScopesQuery>({
    method: 'get',
    path: '/scopes',
    summary: 'List the access scopes of the project',
    query: scopesQuerySchema,
    status: 200,
    async handle({ caller, query }) {
      const { slug, name, isActive } = query;
      const filter = {
        projectId: caller.projectId,
        ...(slug === undefined ? {} : { slug }),
        ...(name === undefined ? {} : { name: containing(name) }),
        ...(isActive === undefined ? {} : { isActive: isActive === 'true' }),
      };
      // The order asked for only breaks ties.
      return findPage(views, 'scopes', filter, query, presentScope, [['createdAt', -1]]);
    },
  }),

  projectRoute<CreateScopeBody>({
    method: 'post',
    path: '/scopes',
    summary: 'Create an access scope',
    body: createScopeSchema,
    status: 201,
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
    summary: 'Get an access scope',
    status: 200,
    async handle(request) {
      return presentScope(await findScope(views, request));
    },
  }),

  projectRoute<UpdateScopeBody>({
    method: 'patch',
    path: '/scopes/{scopeId}',
    summary: 'Change an access scope',
    body: updateScopeSchema,
    status: 200,
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
    summary: 'Delete an access scope that no actor is in',
    status: 204,
    async handle(request) {
      const { projectId } = request.caller;
      const accessScopeId = pathValue(request, 'scopeId');
      const context = projectContext(request);
      await giveBackAbandonedPlaces({ commands, views }, { accessScopeId, projectId }, context);
      await commands.execute(
        scopesTarget(projectId),
        { type: 'DeleteScope', accessScopeId },
        context,
        () => undefined,
      );
    },
  }),

  projectRoute({
    method: 'get',
    path: '/scopes/{scopeId}/actors',
    summary: 'List the actors in an access scope',
    status: 200,
    async handle(request) {
      const { accessScopeId } = await findScope(views, request);
      const actors = await views.find('actors', { filter: { accessScopeId }, sort: newestFirst });
      return presentActors(views, actors);
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
