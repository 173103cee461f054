import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from 'cors';

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
