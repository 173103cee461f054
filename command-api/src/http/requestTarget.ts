import type { RequestListener } from 'node:http';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Random } from '@roomwire/shared/ports/random';
import { applicationError } from './errorAnswer.js';
import { requestIdFor } from './requestId.js';

/** A path and its query. Express answers in a shape of its own what it cannot parse, so that never reaches it. */
const originForm = /^\/[^#\u00a0]*$/;

/** Answers 400 to a request target of any other form, and gives the rest to the API. */
export const takingOriginForm =
  (api: RequestListener, { clock, random }: { clock: Clock; random: Random }): RequestListener =>
  (request, response) => {
    if (originForm.test(request.url ?? '')) return api(request, response);
    const at = { id: requestIdFor(request, random), now: new Date(clock.now()).toISOString() };
    const { status, body } = applicationError(400, 'The request target must be a path', at);
    response.statusCode = status;
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.setHeader('x-request-id', at.id);
    response.end(JSON.stringify(body));
  };
