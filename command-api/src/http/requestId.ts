import type { IncomingMessage } from 'node:http';
import type { RequestHandler, Response } from 'express';
import type { Random } from '@roomwire/shared/ports/random';
import { isUuid } from './pathIds.js';

const header = 'x-request-id';

/** The caller's own where it sent a UUID, and a new one for anything else: it goes into events and log lines. */
export const requestIdFor = ({ headers }: IncomingMessage, random: Random): string => {
  const given = headers[header];
  return typeof given === 'string' && isUuid(given) ? given : random.uuid();
};

/** Names the request in its answer, its log lines and the events that it causes. */
export const assignRequestId =
  (random: Random): RequestHandler =>
  (request, response, next) => {
    const requestId = requestIdFor(request, random);
    (response.locals as { requestId?: string }).requestId = requestId;
    response.setHeader(header, requestId);
    next();
  };

export const requestIdOf = (response: Response): string => {
  const { requestId } = response.locals as { requestId?: string };
  if (requestId === undefined) throw new TypeError('The request has no id yet');
  return requestId;
};
