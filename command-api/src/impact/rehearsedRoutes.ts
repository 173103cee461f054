import { actorRoutes } from '../actors/routes.js';
import { appRoutes } from '../apps/routes.js';
import { actorKeyIdPattern, isUuid } from '../http/request.js';
import type { ResourceDeps, Route } from '../http/route.js';
import { bodyValidator, type Validate } from '../http/validation.js';
import { grantRoutes } from '../rooms/grantRoutes.js';
import { roomRoutes } from '../rooms/routes.js';

/** The changes that may cut somebody off. */
const ofActors: ReadonlySet<string> = new Set(['updateActor', 'deleteActor']);
const operations: ReadonlySet<string> = new Set([
  ...['updateApp', 'deleteApp', 'updateRoom', 'deleteRoom', 'createRoomGrant', 'revokeRoomGrant'],
  ...ofActors,
]);

export type ChangeRoute = Extract<Route, { readonly access: 'project' }>;

/** Their routes, on the commands of the dependencies. */
export const changeRoutes = (deps: ResourceDeps): readonly ChangeRoute[] =>
  [...appRoutes(deps), ...roomRoutes(deps), ...grantRoutes(deps), ...actorRoutes(deps)].filter(
    (route): route is ChangeRoute => route.access === 'project' && operations.has(route.operationId),
  );

/** Whether it ends connections, and not subscriptions alone. */
export const isOfActor = ({ operationId }: Pick<NamedChange, 'operationId'>): boolean =>
  ofActors.has(operationId);

export interface NamedChange {
  readonly operationId: string;
  readonly path: Readonly<Record<string, string>>;
}

/** The change that a request names; undefined for none of these. */
export const namedChange = (
  routes: readonly ChangeRoute[],
  { method, path }: { readonly method: string; readonly path: string },
): NamedChange | undefined => {
  for (const { operationId, ...route } of routes) {
    const ids = route.method === method.toLowerCase() ? idsIn(`/v1${route.path}`, path) : undefined;
    if (ids !== undefined) return { operationId, path: ids };
  }
  return undefined;
};

/** Parameters of these paths are all ids; that of an actor may be its public one. */
const idsIn = (template: string, path: string): Record<string, string> | undefined => {
  const [wanted, given] = [template.split('/'), path.split('/')];
  if (wanted.length !== given.length) return undefined;
  const ids: Record<string, string> = {};
  for (const [at, segment] of wanted.entries()) {
    const [, name] = /^\{(\w+)\}$/.exec(segment) ?? [];
    const value = given[at] ?? '';
    if (name === undefined && value !== segment) return undefined;
    if (name === undefined) continue;
    if (isUuid(value)) ids[name] = value.toLowerCase();
    else if (name === 'actorId' && actorKeyIdPattern.test(value)) ids[name] = value;
    else return undefined;
  }
  return ids;
};

/** Checks bodies as the routes do; compiled once. */
export const bodyChecks = (routes: readonly ChangeRoute[]): ReadonlyMap<string, Validate> =>
  new Map(
    routes.flatMap(({ operationId, body }) =>
      body === undefined ? [] : [[operationId, bodyValidator(body)] as const],
    ),
  );
