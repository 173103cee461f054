import type { OidcWay } from './consoleRoutes.js';

/** What has to outlast the way to the issuer and back, in this tab. It is no session, and is taken out at the return. */
interface Begun {
  readonly state: string;
  readonly verifier: string;
  /** Where the user was. */
  readonly place: string;
}

const key = 'roomwire-sign-in';

const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const randomText = (): string => base64Url(crypto.getRandomValues(new Uint8Array(32)));

const redirectUri = (): string => `${location.origin}/console`;

/** Leaves for the issuer's page, by the authorization code flow with PKCE (RFC 7636). */
export const leaveForIssuer = async (way: OidcWay): Promise<void> => {
  const begun: Begun = {
    state: randomText(),
    verifier: randomText(),
    place: `${location.pathname}${location.search}`,
  };
  sessionStorage.setItem(key, JSON.stringify(begun));
  const challenge = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(begun.verifier));
  const address = new URL(way.authorizationEndpoint);
  const query = {
    response_type: 'code',
    client_id: way.clientId,
    redirect_uri: redirectUri(),
    scope: way.scope,
    audience: way.audience,
    state: begun.state,
    code_challenge: base64Url(new Uint8Array(challenge)),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  location.assign(address.href);
};

/** What the issuer has added to the address; undefined where this is no return from it. */
export const returned = (address: Location): URLSearchParams | undefined => {
  const query = new URLSearchParams(address.search);
  const isReturn = query.has('state') && (query.has('code') || query.has('error'));
  return isReturn ? query : undefined;
};

const takeBegun = (): Begun | undefined => {
  const kept = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  return kept === null ? undefined : (JSON.parse(kept) as Begun);
};

/** Exchanges what the issuer has sent for the access token, which is the session, and the place to go back to. */
export const finishReturn = async (
  way: OidcWay,
  query: URLSearchParams,
): Promise<{ readonly token: string; readonly place: string }> => {
  const begun = takeBegun();
  if (begun === undefined || begun.state !== query.get('state'))
    throw new Error('This sign-in was not begun here. Begin it again.');
  const refusal = query.get('error_description') ?? query.get('error');
  if (refusal !== null) throw new Error(`The sign-in service refused: ${refusal}`);
  const response = await fetch(way.tokenEndpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: way.clientId,
      redirect_uri: redirectUri(),
      code: query.get('code') ?? '',
      code_verifier: begun.verifier,
    }),
  });
  const body = (await response.json()) as { readonly access_token?: string; readonly error?: string };
  if (!response.ok || body.access_token === undefined)
    throw new Error(`The sign-in service gave no session: ${body.error ?? response.status}`);
  return { token: body.access_token, place: begun.place };
};
