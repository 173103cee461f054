import type { App } from '@roomwire/shared/domain/app';
import { exposesTopic } from '@roomwire/shared/domain/admission';
import { internalRoom } from '@roomwire/shared/domain/topic';
import type { HistoryTopic } from '@roomwire/shared/ports/history';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { findApp } from '../apps/resource.js';
import { Rejection } from '../handling/rejections.js';
import { pathValue, type ProjectRequest } from '../http/route.js';
import { findRoom } from '../rooms/resource.js';
import { scopeOfQuery } from '../scopes/resource.js';

interface FoundTopic {
  readonly topic: HistoryTopic;
  readonly app: App;
}

/** The topic that the path names, in a scope. An app or room that is disabled keeps what it has, and its backend may read it. */
export const findTopic = async (
  views: ViewReader,
  request: ProjectRequest,
  accessScopeId: string | undefined,
): Promise<FoundTopic> => {
  const [app, room] = [await findApp(views, request), await findRoom(views, request)];
  const name = pathValue(request, 'topic');
  if (!exposesTopic(app, room, name)) throw new Rejection('topic_not_found', { topic: name });
  const scope = await scopeOfQuery(views, request, accessScopeId);
  return {
    app,
    topic: {
      roomId: room.roomId,
      accessScopeId: scope?.accessScopeId ?? null,
      name,
      room: internalRoom(app.projectId, scope?.slug ?? null, app.slug, room.slug),
    },
  };
};
