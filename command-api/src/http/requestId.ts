import type { RequestHandler, Response } from 'express';
import type { Random } from '@roomwire/shared/ports/random';

/** Names the request in its answer, its log lines and the events that it causes. */
export const assignRequestId =
  (random: Random): RequestHandler =>
  (_request, response, next) => {
    const requestId = random.uuid();
    (response.locals as { requestId?: string }).requestId = requestId;
    response.setHeader('x-request-id', requestId);
    next();
  };

export const requestIdOf = (response: Response): string => {
  const { requestId } = response.locals as { requestId?: string };
  if (requestId === undefined) throw new TypeError('The request has no id yet');
  return requestId;
};
