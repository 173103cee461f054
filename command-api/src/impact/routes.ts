import { isRightsEvent, rightsOf } from '@roomwire/shared/domain/assumedRights';
import { includesPermission } from '@roomwire/shared/domain/permission';
import { noActorImpact, noImpact, type ActorImpact, type Impact } from '@roomwire/shared/ports/impact';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { available } from '../live-state/available.js';
import { Rejection } from '../handling/rejections.js';
import { projectRoute, type ResourceDeps, type Route } from '../http/route.js';
import type { LiveStateDeps } from '../live-state/routes.js';
import { endedBy, isActorChange } from './endedActor.js';
import { Rehearsal } from './rehearsal.js';
import { bodyChecks, changeRoutes, isOfActor, namedChange } from './rehearsedRoutes.js';
import {
  exampleAssumedChange,
  exampleImpact,
  impactQuerySchema,
  impactSchema,
  presentCutOff,
} from './resource.js';

export const impactRoutes = (deps: ResourceDeps & LiveStateDeps): readonly Route[] => {
  const { commands, views, liveState } = deps;
  const known = changeRoutes(deps);
  const checks = bodyChecks(known);

  const actorImpactOf = async (
    projectId: string,
    { events }: Rehearsal,
    now: string,
  ): Promise<ActorImpact> => {
    const change = events.find(isActorChange);
    const ended = change && (await endedBy(deps, change, now));
    return ended ? available(liveState()).actorImpact({ projectId, ...ended }) : noActorImpact;
  };

  const impactOf = async (projectId: string, { events }: Rehearsal): Promise<Impact> => {
    const ofRights = events.filter(isRightsEvent).map(rightsOf);
    if (ofRights.length === 0) return noImpact;
    return available(liveState()).impact({ projectId, events: ofRights });
  };

  const namesOf = async (ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const actors = await views.find('actors', { filter: { actorTokenId: { $in: [...new Set(ids)] } } });
    return new Map(actors.map(({ actorTokenId, name }) => [actorTokenId, name]));
  };

  return [
    projectRoute({
      method: 'post',
      path: '/impact',
      operationId: 'assumeChange',
      permission: 'grants:read',
      furtherPermissions: ['apps:write', 'rooms:write', 'grants:write', 'actors:write'],
      tag: 'Room grants',
      summary: 'Whom a change of an app, a room, a grant or an actor would cut off now; nothing is changed',
      body: impactQuerySchema,
      status: 200,
      answer: impactSchema,
      example: { body: exampleAssumedChange, answer: exampleImpact },
      rejections: [
        ...(['change_unknown', 'app_not_found', 'app_slug_taken'] as const),
        ...(['room_not_found', 'room_static', 'actor_not_in_project'] as const),
        ...(['grant_holder_missing', 'grant_holder_taken', 'grant_not_found'] as const),
        ...(['actor_not_found', 'scope_not_in_project'] as const),
      ],
      async handle(request) {
        const { caller, body: assumed } = request;
        const change = namedChange(known, assumed);
        if (change === undefined) throw new Rejection('change_unknown', {});
        const rehearsal = new Rehearsal(commands);
        const route = changeRoutes({ ...deps, commands: rehearsal }).find(
          ({ operationId }) => operationId === change.operationId,
        );
        if (route === undefined) throw new Rejection('change_unknown', {});
        const { permission } = route;
        if (!includesPermission(caller.permissions, permission))
          throw new Rejection('permission_missing', { permission });
        const body = assumed.body ?? null;
        checks.get(change.operationId)?.(body);
        await route.handle({ ...request, path: change.path, body, query: undefined });
        const { cutOff, ...counts } = await (isOfActor(change)
          ? actorImpactOf(caller.projectId, rehearsal, request.now)
          : impactOf(caller.projectId, rehearsal));
        const shown = cutOff.slice(0, limitTable.impactShown.value);
        const names = await namesOf(shown.map(({ actorTokenId }) => actorTokenId));
        return { data: shown.map((one) => presentCutOff(one, names)), ...counts };
      },
    }),
  ];
};
