import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

type Middleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

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
export const securityHeaders = (): Middleware => {
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
  return (request, response, next) => {
    response.setHeader('Cache-Control', 'no-store');
    harden(request, response, () => loadNothing(request, response, next));
  };
};
