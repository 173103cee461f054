import { Router, type Request, type RequestHandler, type Response } from 'express';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Authenticator } from './authenticate.js';
import { applicationError } from './errorAnswer.js';
import { readJsonBody } from './jsonBody.js';
import type { LimitRate } from './rateLimit.js';
import { checkPathIds } from './pathIds.js';
import { readQuery } from './query.js';
import { requestIdOf } from './requestId.js';
import type { ApiRequest, Route } from './route.js';
import { bodyValidator, queryValidator, type Validate } from './validation.js';

export interface MountDeps {
  readonly authenticator: Authenticator;
  readonly limitRate: LimitRate;
  readonly clock: Clock;
}

/** A router that answers the given table of routes. */
export const mountRoutes = (routes: readonly Route[], deps: MountDeps): Router => {
  const router = Router({ caseSensitive: true });
  for (const path of new Set(routes.map((route) => route.path))) {
    const ofPath = routes.filter((route) => route.path === path);
    const expressPath = path.replace(/\{(\w+)\}/g, ':$1');
    for (const route of ofPath) router[route.method](expressPath, answering(route, deps));
    router.all(expressPath, refusingMethod(ofPath, deps));
  }
  return router;
};

const refusingMethod = (routes: readonly Route[], { clock }: MountDeps): RequestHandler => {
  const methods = routes.map(({ method }) => method.toUpperCase());
  const allow = (methods.includes('GET') ? ['HEAD', ...methods] : methods).sort().join(', ');
  return (request, response) => {
    const at = { id: requestIdOf(response), now: new Date(clock.now()).toISOString() };
    response.set('allow', allow);
    throw applicationError(405, `Cannot ${request.method} ${request.baseUrl}${request.path}`, at);
  };
};

/** A route's own types hold once its schemas and its credential have been checked. */
type Handle<Caller> = (this: void, request: ApiRequest<Caller, unknown, unknown>) => Promise<unknown>;

/** The order of the checks is part of the contract: credentials, then the rate, then ids, then the query and the body. */
const answering = (route: Route, { authenticator, limitRate, clock }: MountDeps): RequestHandler => {
  const checkQuery = route.query && queryValidator(route.query);
  const checkBody = route.body && bodyValidator(route.body);

  return async (request, response) => {
    const at = { id: requestIdOf(response), now: new Date(clock.now()).toISOString() };
    const { authorization } = request.headers;
    const caller =
      route.access === 'project'
        ? await authenticator.project(authorization, at)
        : await authenticator.session(authorization, at);
    limitRate(caller.principal, at);
    const path = checkPathIds(request.params as Record<string, string>, at);
    const query = checkQuery && validQuery(request, checkQuery);
    const body = checkBody && (await validBody(request, response, checkBody, at));

    // Only now: a body may take minutes to come in, and what happens must not be dated back to its first byte.
    const now = new Date(clock.now()).toISOString();
    const { handle } = route as { handle: Handle<typeof caller> };
    const answer = await handle({ caller, path, query, body, now, requestId: at.id });
    if (route.status === 204) response.status(204).end();
    else response.status(route.status).json(answer);
  };
};

const validQuery = (request: Request, check: Validate): unknown => {
  const query = readQuery(request.originalUrl);
  check(query);
  return query;
};

const validBody = async (
  request: Request,
  response: Response,
  check: Validate,
  at: { id: string; now: string },
): Promise<unknown> => {
  // A missing body is checked like an empty one of the wrong type, so that it is never an empty, valid PATCH.
  const body = (await readJsonBody(request, response, at)) ?? null;
  check(body);
  return body;
};
