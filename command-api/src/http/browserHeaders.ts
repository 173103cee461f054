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

/** The content security policy of the answers of a path. A page sets its own after the API's: the last one counts. */
export const contentPolicy = (directives: Readonly<Record<string, readonly string[]>>): Middleware =>
  helmet.contentSecurityPolicy({
    useDefaults: false,
    directives: { ...directives, 'frame-ancestors': ["'none'"] },
  });

/**
 * Headers of every answer for browsers: it is data and never a page, and must be neither framed nor cached.
 * `Strict-Transport-Security` is left to the proxy that ends TLS, because it applies to everything on the host.
 */
export const securityHeaders = (): SetHeaders => {
  const loadNothing = contentPolicy({ 'default-src': ["'none'"] });
  const harden = helmet({
    contentSecurityPolicy: false,
    strictTransportSecurity: false,
    xFrameOptions: { action: 'deny' },
    // For browsers and plug-ins that no longer exist.
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

/** The headers are the same in every answer, so that the middleware runs once. */
const headersOf = (middleware: Middleware): readonly (readonly [string, string])[] => {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  middleware(request, response, () => undefined);
  return response.getHeaderNames().map((name) => [name, String(response.getHeader(name))] as const);
};

/** The origins whose pages may read answers; `*` for all. */
export type AllowedOrigins = readonly string[] | '*';

type Allow = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** How long a browser may cache the answer to a preflight. */
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
