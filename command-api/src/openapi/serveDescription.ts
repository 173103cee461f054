import type { Request, RequestHandler } from 'express';
import type { Route } from '../http/route.js';
import { describeApi } from './describeApi.js';

/** Answers with the OpenAPI description of the routes, its server being the one that was asked. */
export const serveDescription = (routes: readonly Route[]): RequestHandler => {
  let rest: string | undefined;
  return (request, response) => {
    // Written once, but for the address.
    rest ??= JSON.stringify(describeApi(routes)).slice(1);
    const servers = JSON.stringify([{ url: `${originOf(request)}/v1` }]);
    response.type('application/json').send(`{"servers":${servers},${rest}`);
  };
};

const hostPattern = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

/** As the client wrote it, behind a proxy too; empty, and so relative, for what is no host. */
const originOf = ({ headers, protocol }: Request): string => {
  const { host = '', 'x-forwarded-proto': forwarded } = headers;
  const scheme = forwarded === 'https' || forwarded === 'http' ? forwarded : protocol;
  return hostPattern.test(host) ? `${scheme}://${host}` : '';
};
