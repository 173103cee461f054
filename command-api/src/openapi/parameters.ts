import { actorKeyIdPattern } from '../http/pathIds.js';
import type { JsonSchema, Route } from '../http/route.js';
import { textSchema, uuidSchema } from '../http/schemas.js';
import { exampleIds } from '../http/exampleValues.js';

type Describe = (schema: JsonSchema) => JsonSchema;

export const pathParameterNames = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');

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
    'A UUID of your choice, by which the answer, the logs and the history name the request; anything else is ignored',
  schema: textSchema,
  example: exampleIds.errorId,
};

const pathParameter = (name: string): object => ({
  name,
  in: 'path',
  required: true,
  schema: pathSchema(name),
  example: exampleOf(name),
});

const pathSchema = (name: string): JsonSchema =>
  name === 'actorId'
    ? {
        description: 'The `actorTokenId` or the `keyId` of the actor',
        anyOf: [uuidSchema, { type: 'string', pattern: actorKeyIdPattern.source }],
      }
    : uuidSchema;

const idFields: Readonly<Record<string, string>> = {
  orgId: 'organizationId',
  actorId: 'actorTokenId',
  scopeId: 'accessScopeId',
};

/** The field of a record that has the id which a path names so. */
export const idFieldOf = (parameter: string): string => idFields[parameter] ?? parameter;

const exampleOf = (parameter: string): string | undefined => {
  const ids: Readonly<Record<string, string>> = exampleIds;
  return ids[idFieldOf(parameter)];
};

const queryProperties = ({ query }: Route): [string, JsonSchema][] =>
  Object.entries((query?.['properties'] ?? {}) as Record<string, JsonSchema>);

/** A list is sent as `name[]=…`, once for each of its items. */
const queryParameter = (name: string, schema: JsonSchema): object => {
  const { description, ...rest } = schema;
  return {
    name: schema['type'] === 'array' ? `${name}[]` : name,
    in: 'query',
    ...(description === undefined ? {} : { description }),
    ...(schema['type'] === 'array' ? { style: 'form', explode: true } : {}),
    schema: rest,
  };
};
