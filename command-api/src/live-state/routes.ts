import { internalRoom } from '@roomwire/shared/domain/topic';
import type { LiveState } from '@roomwire/shared/ports/liveState';
import { available } from './available.js';
import { findApp } from '../apps/resource.js';
import { projectRoute, type ResourceDeps, type Route } from '../http/route.js';
import { findRoom } from '../rooms/resource.js';
import { scopeOfQuery } from '../scopes/resource.js';
import {
  exampleOccupancy,
  examplePresencePage,
  limitOf,
  occupancyQuerySchema,
  occupancySchema,
  presencePageSchema,
  presenceQuerySchema,
  presentOccupancy,
  presentPresence,
} from './resource.js';

export interface LiveStateDeps {
  /** Undefined while this process cannot ask gateways. */
  readonly liveState: () => LiveState | undefined;
}

export const liveStateRoutes = ({
  views,
  liveState,
}: Pick<ResourceDeps, 'views'> & LiveStateDeps): readonly Route[] => [
  projectRoute({
    method: 'get',
    path: '/apps/{appId}/rooms/{roomId}/presence',
    operationId: 'listPresence',
    permission: 'presence:read',
    tag: 'Presence',
    summary: 'List who is present in a room, by actorTokenId',
    query: presenceQuerySchema,
    status: 200,
    answer: presencePageSchema,
    example: { answer: examplePresencePage },
    rejections: ['app_not_found', 'room_not_found', 'scope_not_found'],
    async handle(request) {
      const [app, room] = [await findApp(views, request), await findRoom(views, request)];
      const { query } = request;
      const scope = await scopeOfQuery(views, request, query.scope);
      const { present, next } = await available(liveState()).presencePage({
        room: internalRoom(app.projectId, scope?.slug ?? null, app.slug, room.slug),
        limit: limitOf(query),
        after: query.cursor?.toLowerCase(),
      });
      return { data: present.map(presentPresence), next: next ?? null };
    },
  }),

  projectRoute({
    method: 'get',
    path: '/apps/{appId}/occupancy',
    operationId: 'getOccupancy',
    permission: 'presence:read',
    tag: 'Presence',
    summary: 'Count who is present in rooms, and who listens there',
    query: occupancyQuerySchema,
    status: 200,
    answer: occupancySchema,
    example: { answer: exampleOccupancy },
    rejections: ['app_not_found', 'scope_not_found'],
    async handle(request) {
      const { appId, projectId, slug } = await findApp(views, request);
      const scope = await scopeOfQuery(views, request, request.query.scope);
      const asked = [...new Set(request.query.rooms)];
      const found = await Promise.all(
        asked.map((room) => views.find('rooms', { filter: { appId, slug: room }, limit: 1 })),
      );
      const rooms = found.flat();
      const counts = await available(liveState()).occupancy(
        rooms.map((room) => internalRoom(projectId, scope?.slug ?? null, slug, room.slug)),
      );
      return {
        data: rooms.flatMap((room, at) => {
          const counted = counts[at];
          return counted === undefined ? [] : [presentOccupancy(room, counted)];
        }),
      };
    },
  }),
];
