import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

export interface Issuer {
  readonly url: string;
  /** What the next that signs in is let in with; undefined refuses. */
  claims: object | undefined;
  close(): void;
}

const audience = 'roomwire';

/** An OIDC issuer that lets everybody in, by the authorization code flow with PKCE. */
export const startIssuer = async (): Promise<Issuer> => {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const key = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' };
  const challenges = new Map<string, string>();
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '', url);
    // A page of another origin reads the answer.
    response.setHeader('access-control-allow-origin', '*');
    if (pathname === '/jwks') return void response.end(JSON.stringify({ keys: [key] }));
    if (pathname === '/authorize') return letIn(searchParams, response);
    const body = new URLSearchParams(await text(request));
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    if (challenges.get(body.get('code') ?? '') !== challenge)
      return void response.writeHead(400).end('{"error":"invalid_grant"}');
    const token = await new SignJWT({ iss: url, aud: audience, sub: 'ada', ...issuer.claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1', typ: 'at+jwt' })
      .setExpirationTime('1h')
      .sign(privateKey);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ access_token: token, token_type: 'Bearer' }));
  };

  const letIn = (query: URLSearchParams, response: ServerResponse): void => {
    const back = new URL(query.get('redirect_uri') ?? '');
    back.searchParams.set('state', query.get('state') ?? '');
    if (issuer.claims === undefined) back.searchParams.set('error', 'access_denied');
    else {
      const code = `code ${challenges.size}`;
      challenges.set(code, query.get('code_challenge') ?? '');
      back.searchParams.set('code', code);
    }
    response.writeHead(302, { location: back.href }).end();
  };

  const issuer: Issuer = {
    url,
    claims: {},
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return issuer;
};

/** Settings with which a service takes its sessions, and pages sign in with it. */
export const settingsFor = ({ url }: Issuer): Record<string, string> => ({
  ROOMWIRE_SESSION_JWKS_URL: `${url}/jwks`,
  ROOMWIRE_SESSION_ISSUER: url,
  ROOMWIRE_SESSION_AUDIENCE: audience,
  ROOMWIRE_CONSOLE_OIDC_CLIENT_ID: 'console',
  ROOMWIRE_CONSOLE_OIDC_AUTHORIZATION_URL: `${url}/authorize`,
  ROOMWIRE_CONSOLE_OIDC_TOKEN_URL: `${url}/token`,
});
