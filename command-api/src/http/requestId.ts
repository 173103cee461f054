import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Random } from '@roomwire/shared/ports/random';
import { isUuid } from './pathIds.js';

const header = 'x-request-id';

/** The caller's own where it sent a UUID, and a new one for anything else: it goes into events and log lines. */
export const requestIdFor = ({ headers }: IncomingMessage, random: Random): string => {
  const given = headers[header];
  return typeof given === 'string' && isUuid(given) ? given : random.uuid();
};

/** Names the request in its answer, its log lines and the events that it causes. */
export const assignRequestId = (request: IncomingMessage, response: ServerResponse, random: Random): void => {
  response.setHeader(header, requestIdFor(request, random));
};

export const requestIdOf = (response: ServerResponse): string => {
  const requestId = response.getHeader(header);
  if (typeof requestId !== 'string') throw new TypeError('The request has no id yet');
  return requestId;
};
