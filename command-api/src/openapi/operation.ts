import { organizationParameter, pathParameterNames, roleNeeded, type Route } from '../http/route.js';
import { errorCasesOf, type ErrorCase, errorSchemaOf } from './errorCases.js';
import { actorKeyIdPattern, bracketed } from '../http/request.js';
import { exampleIds } from '../http/exampleValues.js';
import * as s from '../http/schema.js';

type Describe = (schema: s.JsonSchema) => s.JsonSchema;

const json = 'application/json';
const messagePack = 'application/msgpack';

const security = { project: [{ apiKey: [] }], session: [{ session: [] }], none: [] };

/** An endpoint as OpenAPI has it. Error examples are references to those of the components. */
export const operationOf = (route: Route, routes: readonly Route[], describe: Describe): object => {
  const parameters = parametersOf(route, describe);
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    ...descriptionOf(route),
    security: security[route.access],
    parameters,
    ...(route.body === undefined
      ? {}
      : { requestBody: { required: true, content: bodyContent(route, route.body, describe) } }),
    responses: {
      [route.status]: success(route, routes, describe),
      ...(route.otherwise && { [route.otherwise.status]: otherSuccess(route.otherwise, describe) }),
      ...errorResponses(errorCasesOf(route), describe),
    },
  };
};

/** The same fields in either encoding. */
const bodyContent = (route: Route, body: s.JsonSchema, describe: Describe): Record<string, object> => {
  const media = { schema: describe(body), example: route.example?.body };
  return route.readBody ? { [json]: media, [messagePack]: media } : { [json]: media };
};

const descriptionOf = (route: Route): { readonly description?: string } => {
  if (route.access === 'project')
    return { description: `Needs the permission \`${route.permission}\`, or a key with all permissions.` };
  return pathParameterNames(route.path).includes(organizationParameter)
    ? { description: `Needs the role \`${roleNeeded(route)}\` in the organization.` }
    : {};
};

const headers = { 'x-request-id': { $ref: '#/components/headers/RequestId' } };

const success = (route: Route, routes: readonly Route[], describe: Describe): object => {
  const links = linksOf(route, routes);
  return {
    description: statusDescriptions[route.status],
    headers,
    ...(Object.keys(links).length === 0 ? {} : { links }),
    ...(route.answer === undefined
      ? {}
      : { content: { [json]: { schema: describe(route.answer), example: route.example?.answer } } }),
  };
};

const otherSuccess = (
  { status, answer, example }: NonNullable<Route['otherwise']>,
  describe: Describe,
): object => ({
  description: statusDescriptions[status],
  headers,
  content: { [json]: { schema: describe(answer), example } },
});

const errorResponses = (cases: readonly ErrorCase[], describe: Describe): Record<number, object> => {
  const statuses = [...new Set(cases.map(({ answer }) => answer.status))].sort((a, b) => a - b);
  const withStatus = (status: number) => cases.filter(({ answer }) => answer.status === status);
  return Object.fromEntries(
    statuses.map((status) => [status, errorResponse(status, withStatus(status), describe)]),
  );
};

const errorResponse = (status: number, cases: readonly ErrorCase[], describe: Describe): object => {
  const schemas = [...new Set(cases.map(({ answer }) => errorSchemaOf(answer)))].map(describe);
  const examples = Object.fromEntries(
    cases.map(({ name }) => [name, { $ref: `#/components/examples/${name}` }]),
  );
  return {
    description: statusDescriptions[status],
    headers: {
      ...headers,
      ...(status === 429 || status === 503
        ? { 'retry-after': { $ref: '#/components/headers/RetryAfter' } }
        : {}),
    },
    content: { [json]: { schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas }, examples } },
  };
};

/** The parameters of a route, as OpenAPI has them. */
export const parametersOf = (route: Route, describe: Describe): readonly object[] => [
  ...pathParameterNames(route.path).map(pathParameter),
  ...queryProperties(route).map(([name, schema]) => queryParameter(name, describe(schema))),
  requestIdParameter,
];

/** Not a reference: not every tool looks for parameters in the components. */
const requestIdParameter = {
  name: 'x-request-id',
  in: 'header',
  description:
    'A UUID of your choice that names the request in the answer, the logs and the history; anything else is ignored',
  schema: s.text(),
  example: exampleIds.errorId,
};

const pathParameter = (name: string): object => ({
  name,
  in: 'path',
  required: true,
  schema: pathSchema(name),
  example: exampleOf(name),
});

const pathSchema = (name: string): s.JsonSchema => {
  if (name === 'topic') return s.topicName;
  if (name !== 'actorId') return s.uuid;
  return {
    description: 'The `actorTokenId` or the `keyId` of the actor',
    anyOf: [s.uuid, { type: 'string', pattern: actorKeyIdPattern.source }],
  };
};

const idFields: Readonly<Record<string, string>> = {
  orgId: 'organizationId',
  actorId: 'actorTokenId',
  scopeId: 'accessScopeId',
};

/** The field of a record that holds the id of a path parameter. */
const idFieldOf = (parameter: string): string => idFields[parameter] ?? parameter;

const exampleOf = (parameter: string): string | undefined => {
  if (parameter === 'topic') return 'chat';
  const ids: Readonly<Record<string, string>> = exampleIds;
  return ids[idFieldOf(parameter)];
};

const queryProperties = ({ query }: Route): [string, s.JsonSchema][] =>
  Object.entries((query?.['properties'] ?? {}) as Record<string, s.JsonSchema>);

/** A list is sent once for each of its items. */
const queryParameter = (name: string, schema: s.JsonSchema): object => {
  const { description, ...rest } = schema;
  return {
    name: name === bracketed ? `${name}[]` : name,
    in: 'query',
    ...(description === undefined ? {} : { description }),
    ...(schema['type'] === 'array' ? { style: 'form', explode: true } : {}),
    schema: rest,
  };
};

/** Where an answer holds the id of a record. */
interface RecordId {
  readonly field: string;
  readonly pointer: string;
}

/** The operations that take the id of the record that the route creates or lists. */
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

/** The id of the record that the route creates, or of the first one that it lists where no route creates them. */
const recordIdIn = (route: Route, routes: readonly Route[]): RecordId | undefined => {
  if (route.answer === undefined) return undefined;
  if (route.status === 201) return { field: idFieldIn(route.answer), pointer: `/${idFieldIn(route.answer)}` };
  const { data } = (route.answer['properties'] ?? {}) as Readonly<Record<string, s.JsonSchema>>;
  const items = data?.['items'] as s.JsonSchema | undefined;
  const isMade = routes.some(({ method, path }) => method === 'post' && path === route.path);
  if (items === undefined || isMade) return undefined;
  return { field: idFieldIn(items), pointer: `/data/0/${idFieldIn(items)}` };
};

/** The first field of a record is its own id. */
const idFieldIn = (record: s.JsonSchema): string => Object.keys(record['properties'] ?? {})[0] ?? '';

/** Descriptions of the statuses. */
const statusDescriptions: Readonly<Record<number, string>> = {
  200: 'Done',
  201: 'Created',
  202: 'Accepted: it is done later',
  204: 'Done; the answer is empty',
  400: 'The request is not valid, or a rule of the resource does not allow it',
  401: 'The credential is missing, invalid or of the wrong kind',
  403: 'The credential, the plan or a setting does not allow it',
  404: 'It does not exist, was deleted, or belongs to another owner',
  409: 'It conflicts with an existing resource',
  413: 'The body, or something in it, is too large',
  415: 'The body is of another type, or is compressed',
  429: 'Too many requests, or messages, with this key or by this subject',
  500: 'An error of the service; the answer has only the id of the request',
  503: 'The service is temporarily unavailable',
};
