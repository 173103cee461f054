import type { Actor } from '@roomwire/shared/domain/actor';
import { mintToken } from '@roomwire/shared/credentials/secretToken';
import { Rejection } from '../handling/rejections.js';
import { lastUseOf } from '../http/listing.js';
import { actorListQuery, listOrPage, listOrPageOf, named } from '../http/recordLists.js';
import { isUuid } from '../http/request.js';
import {
  type ResourceDeps,
  pathValue,
  projectContext,
  projectRoute,
  type ProjectCaller,
  type Route,
} from '../http/route.js';
import {
  actorSchema,
  createdActorSchema,
  exampleActor,
  exampleCreatedActor,
  exampleNewActor,
  presentActor,
  presentActors,
  createActorSchema,
  updateActorSchema,
  type UpdateActorBody,
} from './resource.js';
import { actorTarget, existing } from './decider.js';
import { changeActor, type AskedScope } from './scopeMembership.js';
import { normalTime } from '../http/schema.js';

interface ActorRequest {
  readonly caller: ProjectCaller;
  readonly path: Readonly<Record<string, string>>;
}

export const actorRoutes = (deps: ResourceDeps): readonly Route[] => {
  const { commands, views, usage, random } = deps;

  /** The actor that the path names by its UUID or its public key id. Another project's actor does not exist. */
  const findActor = async (request: ActorRequest): Promise<Actor> => {
    const actorId = pathValue(request, 'actorId');
    const actor = isUuid(actorId)
      ? await views.get('actors', actorId)
      : (await views.find('actors', { filter: { keyId: actorId }, limit: 1 }))[0];
    if (actor?.projectId !== request.caller.projectId) throw new Rejection('actor_not_found', { actorId });
    return actor;
  };

  /** The actor that is to be changed. Read models that lag behind only miss those that are named by their public key id. */
  const currentActor = async (request: ActorRequest): Promise<Actor> => {
    const actorTokenId = pathValue(request, 'actorId');
    if (!isUuid(actorTokenId)) return findActor(request);
    const { projectId } = request.caller;
    return commands.inspect(actorTarget(actorTokenId), (state) =>
      existing(state, { actorTokenId, projectId }),
    );
  };

  /** Checked before a membership is taken: clients that always send whole records must not fill the log. */
  const isIn = async (actorTokenId: string, accessScopeId: AskedScope): Promise<boolean> =>
    typeof accessScopeId === 'string' &&
    commands.inspect(actorTarget(actorTokenId), ({ actor }) => actor?.accessScopeId === accessScopeId);

  return [
    projectRoute({
      method: 'get',
      path: '/actors',
      operationId: 'listActors',
      permission: 'actors:read',
      tag: 'Actors',
      summary: 'List the actors of the project, newest first',
      query: actorListQuery,
      status: 200,
      answer: listOrPageOf(actorSchema),
      example: { answer: [exampleActor] },
      rejections: [],
      async handle({ caller: { projectId }, query }) {
        const filter = { projectId, ...named(query) };
        return listOrPage(views, 'actors', filter, query, 'newest first', (actors) =>
          presentActors(usage, actors),
        );
      },
    }),

    projectRoute({
      method: 'post',
      path: '/actors',
      operationId: 'createActor',
      permission: 'actors:write',
      tag: 'Actors',
      summary: 'Create an actor; its access token is shown only in this answer',
      body: createActorSchema,
      status: 201,
      answer: createdActorSchema,
      example: { body: exampleNewActor, answer: exampleCreatedActor },
      rejections: ['scope_not_in_project'],
      async handle(request) {
        const { name, actorType, metadata } = request.body;
        const { expiresAt = null, accessScopeId } = normal(request.body);
        const { projectId } = request.caller;
        const { keyId, secretHash, token } = mintToken(random, 'at_live');
        const actorTokenId = random.uuid();
        const actor = {
          actorTokenId,
          projectId,
          accessScopeId: null,
          scopeMembershipId: null,
          keyId,
          name,
          actorType,
          expiresAt,
          metadata: metadata ?? null,
          secretHash,
        };
        return changeActor(deps, {
          ...actor,
          isNew: true,
          accessScopeId,
          context: projectContext(request),
          command: (membership) => ({ type: 'CreateActor', actor: { ...actor, ...membership } }),
          select: (state) => ({ ...presentActor(existing(state, actor), null), accessToken: token }),
        });
      },
    }),

    projectRoute({
      method: 'get',
      path: '/actors/{actorId}',
      operationId: 'getActor',
      permission: 'actors:read',
      tag: 'Actors',
      summary: 'Get an actor',
      status: 200,
      answer: actorSchema,
      example: { answer: exampleActor },
      rejections: ['actor_not_found'],
      async handle(request) {
        const actor = await findActor(request);
        return presentActor(actor, await lastUseOf(usage, actor.actorTokenId));
      },
    }),

    projectRoute({
      method: 'patch',
      path: '/actors/{actorId}',
      operationId: 'updateActor',
      permission: 'actors:write',
      tag: 'Actors',
      summary: 'Change an actor',
      body: updateActorSchema,
      status: 200,
      answer: actorSchema,
      example: { body: { status: 'disabled' }, answer: { ...exampleActor, status: 'disabled' } },
      rejections: ['actor_not_found', 'scope_not_in_project'],
      async handle(request) {
        const { actorTokenId, projectId } = await currentActor(request);
        const { accessScopeId, ...changes } = normal(request.body);
        const lastUsedAt = await lastUseOf(usage, actorTokenId);
        const change = (asked: AskedScope) =>
          changeActor(deps, {
            actorTokenId,
            projectId,
            accessScopeId: asked,
            context: projectContext(request),
            command: (membership) => ({
              type: 'UpdateActor',
              actorTokenId,
              projectId,
              changes: { ...changes, ...membership },
            }),
            select: (state) => presentActor(existing(state, { actorTokenId, projectId }), lastUsedAt),
          });
        if (!(await isIn(actorTokenId, accessScopeId))) return change(accessScopeId);
        const changed = await change(undefined);
        // Another request may have moved it since it was looked at.
        return changed.accessScopeId === accessScopeId ? changed : change(accessScopeId);
      },
    }),

    projectRoute({
      method: 'delete',
      path: '/actors/{actorId}',
      operationId: 'deleteActor',
      permission: 'actors:write',
      tag: 'Actors',
      summary: 'Delete an actor',
      status: 204,
      rejections: ['actor_not_found'],
      async handle(request) {
        const { actorTokenId, projectId } = await currentActor(request);
        await changeActor(deps, {
          actorTokenId,
          projectId,
          accessScopeId: undefined,
          context: projectContext(request),
          command: () => ({ type: 'DeleteActor', actorTokenId, projectId }),
          select: () => undefined,
        });
      },
    }),
  ];
};

/** Normalizes times and identifiers. */
const normal = <B extends UpdateActorBody>(body: B): B => ({
  ...body,
  ...(body.expiresAt == null ? {} : { expiresAt: normalTime(body.expiresAt) }),
  ...(body.accessScopeId == null ? {} : { accessScopeId: body.accessScopeId.toLowerCase() }),
});
