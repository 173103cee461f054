import { failureOf } from '../api/failure.js';
import { send } from '../api/connectivity.js';
import type { Role } from './role.js';

/** The ways to sign in that the service offers. */
export interface SignInWays {
  readonly code: boolean;
  readonly token: boolean;
  readonly oidc: OidcWay | null;
}

/** Authorization code with PKCE. */
export interface OidcWay {
  readonly issuer: string;
  readonly clientId: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly scope: string;
  readonly audience: string;
}

export interface SessionOrganization {
  readonly organizationId: string;
  readonly name: string;
  readonly status: 'active' | 'suspended';
  readonly role: Role;
}

/** What the session opens. */
export interface SessionShown {
  readonly principal: string;
  readonly isOperator: boolean;
  readonly expiresAt: string;
  readonly organizations: readonly SessionOrganization[];
  /** There are others than these. */
  readonly more: boolean;
}

/** Credentials of one project, for an hour. */
export interface ConsoleAccess {
  /** For the REST API of the project. */
  readonly apiKey: string;
  /** For the socket, as a built-in observer. */
  readonly token: string;
  readonly expiresAt: string;
  readonly actorTokenId: string;
  readonly permissions: readonly string[] | null;
}

const ask = async <T>(path: string, init: RequestInit & { readonly token?: string } = {}): Promise<T> => {
  const { token, ...rest } = init;
  const headers = new Headers(token === undefined ? {} : { authorization: `Bearer ${token}` });
  if (rest.body !== undefined) headers.set('content-type', 'application/json');
  const response = await send(new Request(`/v1${path}`, { ...rest, headers }));
  const body: unknown = await response.json();
  if (!response.ok) throw failureOf(response.status, body);
  return body as T;
};

export const signInWays = (): Promise<SignInWays> => ask('/console/sign-in');

/** The session of a one-time code. */
export const exchangeCode = (code: string): Promise<{ readonly token: string }> =>
  ask('/console/sign-in', { method: 'POST', body: JSON.stringify({ code }) });

export const showSession = (token: string): Promise<SessionShown> => ask('/console/session', { token });

export const openProject = (
  token: string,
  { organizationId, projectId, scope }: { organizationId: string; projectId: string; scope?: string },
): Promise<ConsoleAccess> => {
  const query = scope === undefined ? '' : `?scope=${scope}`;
  const path = `/organizations/${organizationId}/projects/${projectId}/console-access${query}`;
  return ask(path, { method: 'POST', token });
};
