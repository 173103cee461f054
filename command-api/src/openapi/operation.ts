import type { JsonSchema, Route } from '../http/route.js';
import { errorCasesOf, type ErrorCase } from './errorCases.js';
import { errorSchemaOf } from './errorSchemas.js';
import { linksOf } from './links.js';
import { parametersOf } from './parameters.js';
import { statusDescriptions } from './statusDescriptions.js';

type Describe = (schema: JsonSchema) => JsonSchema;

const json = 'application/json';

/** An endpoint as OpenAPI has it. Error examples are references to those of the components. */
export const operationOf = (route: Route, routes: readonly Route[], describe: Describe): object => {
  const parameters = parametersOf(route, describe);
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    security: [{ [route.access === 'project' ? 'apiKey' : 'session']: [] }],
    parameters,
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { [json]: { schema: describe(route.body), example: route.example?.body } },
          },
        }),
    responses: {
      [route.status]: success(route, routes, describe),
      ...errorResponses(errorCasesOf(route), describe),
    },
  };
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
      : { content: { [json]: { schema: describe(route.answer), example: route.example.answer } } }),
  };
};

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
      ...(status === 429 ? { 'retry-after': { $ref: '#/components/headers/RetryAfter' } } : {}),
    },
    content: { [json]: { schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas }, examples } },
  };
};
