import type { ConsoleOidc } from '@roomwire/command-api/console/signInWays';
import type { OidcIssuer } from '@roomwire/shared/credentials/sessionToken';
import type { VariableReader } from '../environment.js';
import { isSecureAddress } from './secureAddress.js';

/** How pages of the console sign in with the issuer of sessions; undefined where they do not. */
export const readConsoleOidc = (
  read: VariableReader,
  sessions: OidcIssuer | undefined,
  problems: string[],
): ConsoleOidc | undefined => {
  const clientId = read.text('ROOMWIRE_CONSOLE_OIDC_CLIENT_ID');
  const authorizationEndpoint = read.url('ROOMWIRE_CONSOLE_OIDC_AUTHORIZATION_URL', ['https:', 'http:']);
  const tokenEndpoint = read.url('ROOMWIRE_CONSOLE_OIDC_TOKEN_URL', ['https:', 'http:']);
  const scope = read.text('ROOMWIRE_CONSOLE_OIDC_SCOPE') ?? 'openid';
  const given = [clientId, authorizationEndpoint, tokenEndpoint];
  if (given.every((setting) => setting === undefined)) return undefined;
  if (clientId === undefined || authorizationEndpoint === undefined || tokenEndpoint === undefined) {
    problems.push(
      'ROOMWIRE_CONSOLE_OIDC_CLIENT_ID, ROOMWIRE_CONSOLE_OIDC_AUTHORIZATION_URL and ROOMWIRE_CONSOLE_OIDC_TOKEN_URL are set together',
    );
    return undefined;
  }
  // The tokens that a page gets there have to open sessions here.
  if (sessions === undefined)
    problems.push('ROOMWIRE_CONSOLE_OIDC_CLIENT_ID needs ROOMWIRE_SESSION_JWKS_URL');
  if (![authorizationEndpoint, tokenEndpoint].every((url) => isSecureAddress(new URL(url))))
    problems.push(
      'the addresses of ROOMWIRE_CONSOLE_OIDC_… must begin with https:// unless their host is a loopback address',
    );
  const { issuer = '', audience = '' } = sessions ?? {};
  return { issuer, clientId, authorizationEndpoint, tokenEndpoint, scope, audience };
};
