import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';
import cors from 'cors';

type Middleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

type SetHeaders = (response: ServerResponse) => void;

/** What the answers of a path may load, by directive. A page sets its own after the API's: the last one counts. */
export const contentPolicy = (directives: Readonly<Record<string, readonly string[]>>): Middleware =>
  helmet.contentSecurityPolicy({
    useDefaults: false,
    directives: { ...directives, 'frame-ancestors': ["'none'"] },
  });

/**
 * What every answer tells a browser: it is data and never a page, nothing may frame it, and nobody may keep it.
 * `Strict-Transport-Security` is left to the proxy that ends TLS, because it binds everything else on the host too.
 */
export const securityHeaders = (): SetHeaders => {
  const loadNothing = contentPolicy({ 'default-src': ["'none'"] });
  const harden = helmet({
    contentSecurityPolicy: false,
    strictTransportSecurity: false,
    xFrameOptions: { action: 'deny' },
    // For browsers and plug-ins that are gone.
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    originAgentCluster: false,
  });
  const headers = [['Cache-Control', 'no-store'] as const, ...headersOf(harden), ...headersOf(loadNothing)];
  return (response) => {
    for (const [name, value] of headers) response.setHeader(name, value);
  };
};

/** They are the same in every answer, so that the middleware is asked once. */
const headersOf = (middleware: Middleware): readonly (readonly [string, string])[] => {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  middleware(request, response, () => undefined);
  return response.getHeaderNames().map((name) => [name, String(response.getHeader(name))] as const);
};

/** The origins whose pages may read answers; `*` for all. */
export type AllowedOrigins = readonly string[] | '*';

type Allow = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** How long a browser may remember the answer to a preflight. */
const rememberedSeconds = 600;

/**
 * Answers preflights, and tells browsers which pages may read an answer. Credentials travel in a header that a page sets
 * itself, never in cookies, so that nothing is lent to a page that does not have them.
 */
export const allowOrigins = (origins: AllowedOrigins): Allow =>
  cors({
    origin: origins === '*' ? '*' : [...origins],
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
    allowedHeaders: ['Authorization', 'Content-Type', 'X-Request-Id'],
    exposedHeaders: ['Retry-After', 'X-Request-Id'],
    maxAge: rememberedSeconds,
  });
