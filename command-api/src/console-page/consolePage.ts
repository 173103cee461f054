import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Request, type Response, Router } from 'express';
import { contentPolicy } from '../http/browserHeaders.js';

interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  /** Made when somebody asks for it. */
  readonly compressed: () => Promise<Buffer>;
}

/** The built console: its page, and the files that the page loads, by their names. */
export interface ConsoleFiles {
  readonly page: Asset;
  readonly assets: ReadonlyMap<string, Asset>;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

const compress = promisify(gzip);

const assetOf = (type: string, bytes: Buffer): Asset => {
  let compressed: Promise<Buffer> | undefined;
  return { type, bytes, compressed: () => (compressed ??= compress(bytes, { level: 9 })) };
};

/** Reads the folder of a build into memory; undefined where there is none. It is small, and no request reaches the disk. */
export const readConsole = async (folder: string): Promise<ConsoleFiles | undefined> => {
  const names = await readdir(folder).catch(() => []);
  const assets = new Map<string, Asset>();
  for (const name of names) {
    const type = types[extname(name)];
    if (type !== undefined) assets.set(name, assetOf(type, await readFile(join(folder, name))));
  }
  const page = assets.get('index.html');
  assets.delete('index.html');
  return page && { page, assets };
};

export interface ConsolePageOptions {
  /** Origins besides the page's own that it may connect to: that of the gateway, and of an issuer of sessions. */
  readonly connectSources: readonly string[];
  /** WebSocket address of the gateway; undefined where it is at the page's own origin. */
  readonly gatewayUrl: string | undefined;
}

/**
 * Nothing of another host, no inline script or style, in no frame. `'self'` is the WebSocket of the page's own origin, too.
 * Its own icon is a `data:` address.
 */
const policyOf = ({ connectSources, gatewayUrl }: ConsolePageOptions) =>
  contentPolicy({
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    'img-src': ["'self'", 'data:'],
    'font-src': ["'self'"],
    'connect-src': [
      "'self'",
      ...connectSources,
      ...(gatewayUrl === undefined ? [] : [new URL(gatewayUrl).origin]),
    ],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
  });

/** Names of files are of their contents, so that a browser never asks for one again. */
const forever = 'public, max-age=31536000, immutable';

/** The console, a page that does everything else over the API. To be mounted at `/console`. */
export const consolePage = ({ page, assets }: ConsoleFiles, options: ConsolePageOptions): Router => {
  const router = Router({ caseSensitive: true });
  const shown = withGateway(page, options.gatewayUrl);
  router.use(policyOf(options));
  router.get('/assets/:name', async (request, response, next) => {
    const asset = assets.get(request.params.name);
    if (asset === undefined) return next();
    response.set('cache-control', forever);
    await sendAsset(asset, request, response);
  });
  // Addresses of its pages are told apart by the page.
  router.get(/^\/(?!assets\/)/, (request, response) => sendAsset(shown, request, response));
  return router;
};

const sendAsset = async (
  { type, bytes, compressed }: Asset,
  request: Request,
  response: Response,
): Promise<void> => {
  response.set({ 'content-type': type, vary: 'accept-encoding' });
  const isCompressed = request.acceptsEncodings('gzip') === 'gzip';
  if (isCompressed) response.set('content-encoding', 'gzip');
  response.send(isCompressed ? await compressed() : bytes);
};

/** Tells the page where the gateway is, unless that is its own origin. */
const withGateway = (page: Asset, gatewayUrl: string | undefined): Asset => {
  if (gatewayUrl === undefined) return page;
  const content = new URL(gatewayUrl).href.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const meta = `<meta name="roomwire-gateway" content="${content}" />`;
  return assetOf(page.type, Buffer.from(page.bytes.toString().replace('<head>', `<head>\n    ${meta}`)));
};
