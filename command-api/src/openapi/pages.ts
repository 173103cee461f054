import { type Request, type RequestHandler, Router } from 'express';
import type { Route } from '../http/route.js';
import { describeApi } from './describeApi.js';
import { describeAsyncApi } from '@roomwire/shared/wire/asyncapi/describeAsyncApi';
import { createRequire } from 'node:module';
import { contentPolicy } from '../http/browserHeaders.js';

/** Answers with the OpenAPI description of the routes; its server is the host of the request. */
export const serveDescription = (routes: readonly Route[]): RequestHandler => {
  let rest: string | undefined;
  return (request, response) => {
    // Serialized once, except for the address.
    rest ??= JSON.stringify(describeApi(routes)).slice(1);
    const servers = JSON.stringify([{ url: `${originOf(request)}/v1` }]);
    response.type('application/json').send(`{"servers":${servers},${rest}`);
  };
};

const hostPattern = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

/** The origin as the client sent it, behind a proxy too; empty, and so relative, for an invalid host. */
const originOf = ({ headers, protocol }: Request): string => {
  const { host = '', 'x-forwarded-proto': forwarded } = headers;
  const scheme = forwarded === 'https' || forwarded === 'http' ? forwarded : protocol;
  return hostPattern.test(host) ? `${scheme}://${host}` : '';
};

/** Answers with the AsyncAPI description of the socket and of the topics on Kafka. */
export const serveSocketDescription = (): RequestHandler => {
  let written: string | undefined;
  return (_request, response) => {
    written ??= JSON.stringify(describeAsyncApi());
    response.type('application/json').send(written);
  };
};

const require = createRequire(import.meta.url);

/** No font, script or image of another host. */
const ownAssets = contentPolicy({
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  // The renderer adds inline styles, and searches in a worker that it creates.
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
  'font-src': ["'self'"],
  'worker-src': ['blob:'],
  'connect-src': ["'self'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
});

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Roomwire control API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/page.css">
  </head>
  <body>
    <div id="reference">The reference is loading. The OpenAPI document is at <a href="/v1/openapi.json">/v1/openapi.json</a>.</div>
    <script src="/docs/redoc.standalone.js"></script>
    <script src="/docs/page.js"></script>
  </body>
</html>
`;

const styles = `body { margin: 0; font-family: system-ui, sans-serif; }
#reference { min-height: 100vh; }
/* The renderer's picture is on another host and is not fetched. */
img[src^='https:'] { display: none; }
`;

const text = 'system-ui, sans-serif';
const options = {
  hideDownloadButton: false,
  disableSearch: false,
  requiredPropsFirst: true,
  sortTagsAlphabetically: false,
  jsonSampleExpandLevel: 3,
  theme: {
    typography: {
      fontFamily: text,
      headings: { fontFamily: text },
      code: { fontFamily: 'ui-monospace, monospace' },
    },
  },
};

const script = `Redoc.init('/v1/openapi.json', ${JSON.stringify(options)}, document.getElementById('reference'));
`;

/** The description for readers: a page that loads everything from this service. To be mounted at `/docs`. */
export const docsPage = (): Router => {
  const router = Router({ caseSensitive: true });
  router.use(ownAssets);
  router.get('/', sending('html', page));
  router.get('/page.css', sending('css', styles));
  router.get('/page.js', sending('text/javascript', script));
  router.get('/redoc.standalone.js', (_request, response) => {
    response.set('cache-control', 'public, max-age=86400');
    response.sendFile(require.resolve('redoc/bundles/redoc.standalone.js'), { dotfiles: 'allow' });
  });
  return router;
};

const sending =
  (type: string, body: string): RequestHandler =>
  (_request, response) =>
    void response.type(type).send(body);
