import type { JsonSchema, Route } from '../http/route.js';
import { idFieldOf, pathParameterNames } from './parameters.js';

/** Where the id of a record is in an answer. */
interface RecordId {
  readonly field: string;
  readonly pointer: string;
}

/** What can be done next with what the route has made, or lists: the operations that take its id. */
export const linksOf = (route: Route, routes: readonly Route[]): Record<string, object> => {
  const own = recordIdIn(route, routes);
  if (own === undefined) return {};
  const sent = pathParameterNames(route.path);
  const valueOf = (parameter: string): string | undefined => {
    if (sent.includes(parameter)) return `$request.path.${parameter}`;
    return idFieldOf(parameter) === own.field ? `$response.body#${own.pointer}` : undefined;
  };

  const links: Record<string, object> = {};
  for (const { operationId, path } of routes) {
    const names = pathParameterNames(path);
    const parameters = Object.fromEntries(names.map((name) => [name, valueOf(name)]));
    const isReached = names.every((name) => parameters[name] !== undefined);
    if (isReached && names.some((name) => idFieldOf(name) === own.field))
      links[operationId] = { operationId, parameters };
  }
  return links;
};

/** Of the record that the route makes; or of the first one that it lists, where no route makes them. */
const recordIdIn = (route: Route, routes: readonly Route[]): RecordId | undefined => {
  if (route.answer === undefined) return undefined;
  if (route.status === 201) return { field: idFieldIn(route.answer), pointer: `/${idFieldIn(route.answer)}` };
  const { data } = (route.answer['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const items = data?.['items'] as JsonSchema | undefined;
  const isMade = routes.some(({ method, path }) => method === 'post' && path === route.path);
  if (items === undefined || isMade) return undefined;
  return { field: idFieldIn(items), pointer: `/data/0/${idFieldIn(items)}` };
};

/** A record begins with its own id. */
const idFieldIn = (record: JsonSchema): string => Object.keys(record['properties'] ?? {})[0] ?? '';
