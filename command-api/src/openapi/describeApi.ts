import { STATUS_CODES } from 'node:http';
import { type Route, tags } from '../http/route.js';
import { createSchemaDescriber } from './describeSchema.js';
import { errorCasesOf } from './errorCases.js';
import { operationOf } from './operation.js';
import * as s from '../http/schema.js';

const prose = `Manages apps, rooms, room grants, actors, access scopes and signing keys of the real-time messaging
service. Messages themselves are exchanged over WebSocket at \`/ws\`; a backend publishes them at \`/publish\` too.

A project API key determines the project: no path names it. Organizations, projects, API keys and the webhook dead
letters require a user session token. A body with a field that is not listed is rejected; query parameters that
are not listed are ignored. Beyond the schemas, \`__proto__\` is rejected as the name of a field anywhere, and so
is nesting deeper than 32 levels.

An API key may be limited to permissions, one of which each of its endpoints names, and to the addresses that it is used from.

Errors have one of three shapes; read \`message\` in every case. Publishing answers errors of the socket's protocol as well, which have
an \`error\` instead.`;

const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'A project-scoped API key, `ak_live_<id>.<secret>`',
  },
  session: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A user session token' },
};

const headers = {
  RequestId: {
    description: 'Names the request in logs and in the history; the id that was sent, where it is a UUID',
    schema: s.uuid,
  },
  RetryAfter: {
    description: 'Seconds after which to try again; of 503 only where an upgrade is under way',
    schema: { type: 'integer', minimum: 1 },
  },
};

/** The OpenAPI 3.1 description of the routes, without servers. */
export const describeApi = (routes: readonly Route[]): Record<string, unknown> => {
  const { describe, schemas } = createSchemaDescriber();
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) (paths[route.path] ??= {})[route.method] = operationOf(route, routes, describe);
  const used = new Set(routes.map(({ tag }) => tag));
  return {
    openapi: '3.1.1',
    info: {
      title: 'Roomwire control API',
      version: '1.0.0',
      description: prose,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    tags: Object.entries(tags)
      .filter(([name]) => (used as Set<string>).has(name))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas, examples: errorExamples(routes), headers, securitySchemes },
  };
};

const errorExamples = (routes: readonly Route[]): Record<string, object> =>
  Object.fromEntries(
    routes.flatMap(errorCasesOf).map(({ name, answer }) => [
      name,
      {
        summary: `${answer.status} ${STATUS_CODES[answer.status]}: ${String(answer.body['message'] ?? answer.body['error'])}`,
        value: answer.body,
      },
    ]),
  );
