import { METHODS, type IncomingMessage, type ServerResponse } from 'node:http';
import createRouter, { type FindResult, type HTTPMethod, type HTTPVersion } from 'find-my-way';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Tracing } from '@roomwire/shared/ports/tracing';
import { addressGroup, clientAddress } from '@roomwire/shared/runtime/clientAddress';
import type { TraceParent } from '@roomwire/shared/wire/bus/channel';
import type { Authenticator } from './authenticate.js';
import type { Authorize } from './authorize.js';
import { applicationError } from './errors.js';
import type { AnswerFailure } from './failures.js';
import { readJsonBody } from './jsonBody.js';
import type { LimitRate } from './rateLimit.js';
import { checkPathIds, readQuery, requestIdOf } from './request.js';
import { type RequestMetrics, type RouteTimes, beginRequest, endRequest } from './requestTelemetry.js';
import type { FailedRequest } from '../access-log/refusals.js';
import { Otherwise, type ApiRequest, type Caller, type PublicCaller, type Route } from './route.js';
import { sendAnswer } from './sendJson.js';
import { bodyValidator, queryValidator, type Validate } from './validation.js';

export interface MountDeps {
  readonly authenticator: Authenticator;
  readonly authorize: Authorize;
  readonly limitRate: LimitRate;
  /** Proxies in front, whose word is taken for the address of the client. */
  readonly trustedProxies: number;
  readonly clock: Clock;
  readonly answerFailure: AnswerFailure;
  /** Is told of every request that failed on its way through a route. */
  readonly onFailure?: ((error: unknown, request: FailedRequest) => void) | undefined;
  readonly metrics: RequestMetrics;
  readonly tracing?: Tracing | undefined;
}

/** Answers a request, or returns false where no route matches. */
export type AnswerRoutes = (request: IncomingMessage, response: ServerResponse) => boolean;

type Found = FindResult<HTTPVersion.V1>;

/** Answers a request to a path. */
type Answer = (
  request: IncomingMessage,
  response: ServerResponse,
  params: Found['params'],
  traceparent: TraceParent | undefined,
) => Promise<void>;

/** Longer than any request target that Node accepts: the length of ids is checked with their form. */
const maxParamLength = 64 * 1024;

/**
 * Answers the given table of routes, whose paths follow the prefix. Not by Express, whose way through the table and whose
 * own requests and answers cost as much as all the rest of a read.
 */
export const mountRoutes = (routes: readonly Route[], prefix: string, deps: MountDeps): AnswerRoutes => {
  const router = createRouter({
    ignoreTrailingSlash: true,
    maxParamLength,
    // Only routes that take a query parse it, see readQuery.
    querystringParser: () => undefined,
    // No route matches, so that there is no metric and no trace for it.
    onBadUrl: (path, _request, response) =>
      deps.answerFailure(Object.assign(new URIError(`Cannot decode ${path}`), { status: 400 }), response),
  });
  const { metrics, clock, tracing } = deps;
  const mount = (methods: HTTPMethod[], path: string, method: string, answer: Answer): void =>
    router.on(
      methods,
      prefix + path.replace(/\{(\w+)\}/g, ':$1'),
      answer,
      metrics.timesOf({ method, route: prefix + path }),
    );

  for (const route of routes)
    mount(methodsOf(route), route.path, route.method.toUpperCase(), answering(route, prefix, deps));
  for (const path of new Set(routes.map((route) => route.path))) {
    const methods = routes.filter((route) => route.path === path).flatMap(methodsOf);
    mount(methodsBesides(methods), path, 'other', rejectingMethod(methods, deps));
  }

  const answer = async (request: IncomingMessage, response: ServerResponse, found: Found): Promise<void> => {
    const times = found.store as RouteTimes;
    const span = tracing && beginRequest(tracing, request, times.of);
    const began = clock.monotonic();
    metrics.inFlight += 1;
    try {
      await (found.handler as Answer)(request, response, found.params, span?.traceparent);
    } catch (error) {
      deps.answerFailure(error, response);
    }
    metrics.inFlight -= 1;
    times.observe(response.statusCode, (clock.monotonic() - began) / 1_000);
    if (span) endRequest(span, response);
  };
  return (request, response) => {
    const found = router.find(request.method as HTTPMethod, request.url ?? '');
    // The router accepts empty parameters; the API has no path with an empty segment.
    if (found === null || Object.values(found.params).includes('')) return false;
    if (found.store === null) void found.handler(request, response, found.params, null, {});
    else void answer(request, response, found);
    return true;
  };
};

/** A path with GET has HEAD too. */
const methodsOf = ({ method }: Route): HTTPMethod[] =>
  method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase() as HTTPMethod];

/** The methods that a path answers with 405. `OPTIONS` is for browsers, and answered elsewhere. */
const methodsBesides = (methods: readonly HTTPMethod[]): HTTPMethod[] =>
  (METHODS as HTTPMethod[]).filter((method) => method !== 'OPTIONS' && !methods.includes(method));

const rejectingMethod = (methods: readonly HTTPMethod[], { clock }: MountDeps): Answer => {
  const allow = methods.toSorted().join(', ');
  return (request, response) => {
    const at = { id: requestIdOf(response), now: new Date(clock.now()).toISOString() };
    response.setHeader('allow', allow);
    const [path] = (request.url ?? '').split('?', 1);
    return Promise.reject(applicationError(405, `Cannot ${request.method} ${path}`, at));
  };
};

/** The types of a route hold once its credential and its schemas have been checked. */
type Handle = (this: void, request: ApiRequest<Caller, unknown, unknown>) => Promise<unknown>;

/** By its address alone, which may be that of many. */
const unknownCaller = (_authorization: unknown, _at: unknown, address: string): PublicCaller => ({
  ...{ address, principal: `address:${addressGroup(address)}` },
});

/** The order of the checks is part of the specification: credentials, rate, ids, rights, query, body. */
const answering = (
  route: Route,
  prefix: string,
  { authenticator, authorize, limitRate, clock, trustedProxies, onFailure }: MountDeps,
): Answer => {
  const checkQuery = route.query && queryValidator(route.query);
  const { readBody } = route;
  const callers = { ...authenticator, none: unknownCaller };
  const checkBody = route.body && bodyValidator(route.body);

  return async (request, response, params, traceparent) => {
    const at = { id: requestIdOf(response), now: new Date(clock.now()).toISOString() };
    const { authorization } = request.headers;
    const address = clientAddress(request, trustedProxies);
    let caller: Caller | undefined;
    let path: Record<string, string> = {};
    try {
      caller = await callers[route.access](authorization, at, address);
      if (!route.hasOwnRate) limitRate(caller.principal, at);
      path = checkPathIds(params as Record<string, string>, at);
      await authorize(route, caller, path);
      const query = checkQuery && validQuery(request, checkQuery);
      const body = readBody
        ? await readBody(request, response, at)
        : checkBody && (await validBody(request, response, checkBody, at));

      // Only now: a body may take minutes to arrive, and its events must not be dated back to its first byte.
      const now = new Date(clock.now()).toISOString();
      const { handle } = route as { handle: Handle };
      const answer = await handle({ caller, path, query, body, now, requestId: at.id, traceparent });
      if (answer instanceof Otherwise && route.otherwise)
        await sendAnswer(response, route.otherwise.status, answer.body);
      else if (route.status === 204) response.writeHead(204).end();
      else await sendAnswer(response, route.status, answer);
    } catch (error) {
      const method = request.method ?? '';
      onFailure?.(error, { caller, path, address, method, route: prefix + route.path });
      throw error;
    }
  };
};

const validQuery = (request: IncomingMessage, check: Validate): unknown => {
  const query = readQuery(request.url ?? '');
  check(query);
  return query;
};

const validBody = async (
  request: IncomingMessage,
  response: ServerResponse,
  check: Validate,
  at: { id: string; now: string },
): Promise<unknown> => {
  // A missing body is checked as null, so that it never counts as an empty, valid PATCH.
  const body = (await readJsonBody(request, response, at)) ?? null;
  check(body);
  return body;
};
