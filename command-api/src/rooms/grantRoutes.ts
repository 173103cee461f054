import type { GrantFields, Room } from '@roomwire/shared/domain/room';
import { actorTarget } from '../actors/decider.js';
import { currentApp } from '../apps/resource.js';
import { Rejection } from '../handling/rejections.js';
import { validationError } from '../http/errors.js';
import { grantListQuery, listOrPage, listOrPageOf } from '../http/recordLists.js';
import { type ResourceDeps, pathValue, projectContext, projectRoute, type Route } from '../http/route.js';
import { existing, roomsTarget } from './decider.js';
import { findRoom } from './resource.js';
import {
  exampleGrant,
  exampleNewGrant,
  grantSchema,
  createGrantSchema,
  type CreateGrantBody,
  presentGrant,
} from './grantResource.js';
import { existingGrant } from './grants.js';
import { normalTime } from '../http/schema.js';

export const grantRoutes = ({ commands, views, random }: ResourceDeps): readonly Route[] => {
  const checkHolder = async (actorTokenId: string | null, projectId: string): Promise<void> => {
    if (actorTokenId === null) return;
    const owner = await commands.inspect(actorTarget(actorTokenId), ({ actor }) => actor?.projectId);
    if (owner !== projectId) throw new Rejection('actor_not_in_project', { actorTokenId });
  };

  return [
    projectRoute({
      method: 'get',
      path: '/apps/{appId}/rooms/{roomId}/actors',
      operationId: 'listRoomGrants',
      permission: 'grants:read',
      tag: 'Room grants',
      summary: 'List the grants on a room, oldest first; a page newest first',
      query: grantListQuery,
      status: 200,
      answer: listOrPageOf(grantSchema),
      example: { answer: [exampleGrant] },
      rejections: ['app_not_found', 'room_not_found'],
      async handle(request) {
        const { roomId } = await findRoom(views, request);
        return listOrPage(views, 'grants', { roomId }, request.query, 'oldest first', (grants) =>
          grants.map(presentGrant),
        );
      },
    }),

    projectRoute({
      method: 'post',
      path: '/apps/{appId}/rooms/{roomId}/actors',
      operationId: 'createRoomGrant',
      permission: 'grants:write',
      tag: 'Room grants',
      summary: 'Grant an actor, or every actor of a type, access to a room',
      body: createGrantSchema,
      status: 201,
      answer: grantSchema,
      example: { body: exampleNewGrant, answer: exampleGrant },
      rejections: [
        'app_not_found',
        'room_not_found',
        'actor_not_in_project',
        'grant_holder_missing',
        'grant_holder_taken',
      ],
      async handle(request) {
        const holder = holderIn(request.body);
        const { appId, projectId } = await currentApp(commands, request);
        const roomId = pathValue(request, 'roomId');
        const room = await commands.inspect(roomsTarget(appId), (state) => existing(state, roomId));
        await checkHolder(holder.actorTokenId, projectId);
        const grant = newGrant(random.uuid(), room, holder, request.body);
        return commands.execute(
          roomsTarget(appId),
          { type: 'GrantAccess', grant },
          projectContext(request),
          (state) => presentGrant(existingGrant(state.grants.get(roomId), grant.roomActorAccessId)),
        );
      },
    }),

    projectRoute({
      method: 'delete',
      path: '/apps/{appId}/rooms/{roomId}/actors/{roomActorAccessId}',
      operationId: 'revokeRoomGrant',
      permission: 'grants:write',
      tag: 'Room grants',
      summary: 'Revoke a grant',
      status: 204,
      rejections: ['app_not_found', 'room_not_found', 'grant_not_found'],
      async handle(request) {
        const { appId } = await currentApp(commands, request);
        const roomId = pathValue(request, 'roomId');
        const roomActorAccessId = pathValue(request, 'roomActorAccessId');
        await commands.execute(
          roomsTarget(appId),
          { type: 'RevokeAccess', appId, roomId, roomActorAccessId },
          projectContext(request),
        );
      },
    }),
  ];
};

type Holder = Pick<GrantFields, 'actorTokenId' | 'actorType'>;

/** Exactly one of the two. A body with both fails validation. */
const holderIn = ({ actorTokenId, actorType }: CreateGrantBody): Holder => {
  if (actorTokenId === undefined && actorType === undefined) throw new Rejection('grant_holder_missing', {});
  if (actorTokenId !== undefined && actorType !== undefined)
    throw validationError([
      { path: 'actorType', value: actorType, message: 'must not be given together with actorTokenId' },
    ]);
  return { actorTokenId: actorTokenId?.toLowerCase() ?? null, actorType: actorType ?? null };
};

const newGrant = (
  roomActorAccessId: string,
  { appId, roomId, projectId }: Room,
  holder: Holder,
  body: CreateGrantBody,
): GrantFields => ({
  roomActorAccessId,
  appId,
  roomId,
  projectId,
  ...holder,
  permission: body.permission,
  topics: body.topics ?? null,
  expiresAt: body.expiresAt == null ? null : normalTime(body.expiresAt),
  isActive: body.isActive ?? true,
  role: body.role ?? null,
  metadata: body.metadata ?? null,
});
