import { roles } from '@roomwire/shared/domain/role';
import { organizationStatuses } from '@roomwire/shared/domain/organization';
import { exampleIds, exampleSecret, exampleTime } from '../http/exampleValues.js';
import * as s from '../http/schema.js';
import type { SignInWays } from './signInWays.js';

const oidcSchema = s.titledObject('ConsoleOidc', {
  issuer: s.text(),
  clientId: s.text(),
  authorizationEndpoint: s.text(),
  tokenEndpoint: s.text(),
  scope: s.text({ description: 'As the authorization request takes it' }),
  audience: s.text({ description: 'That an access token must have to open a session' }),
});

export const signInWaysSchema = s.titledObject('SignInWays', {
  code: s.only(true),
  token: s.only(true),
  oidc: s.described(
    s.orNull(oidcSchema),
    'Authorization code with PKCE (S256); the access token is a session token. Null where none is configured',
  ),
});

export const presentWays = ({ oidc }: SignInWays): s.ValueOf<typeof signInWaysSchema> => ({
  code: true,
  token: true,
  oidc: oidc ?? null,
});

export const exampleWays: s.ValueOf<typeof signInWaysSchema> = {
  code: true,
  token: true,
  oidc: {
    issuer: 'https://issuer.example.com/',
    clientId: 'roomwire-console',
    authorizationEndpoint: 'https://issuer.example.com/authorize',
    tokenEndpoint: 'https://issuer.example.com/oauth/token',
    scope: 'openid',
    audience: 'https://roomwire.example.com',
  },
};

export const signInSchema = s.titled(
  'SignIn',
  s.strictObject(
    { code: s.text({ minLength: 1, maxLength: 8_192, description: 'Of the link that was printed' }) },
    ['code'],
  ),
);

export const signedInSchema = s.titledObject('SignedIn', {
  token: s.text({ description: 'A user session token' }),
  expiresAt: s.time,
});

export const exampleSignIn = { code: `EXAMPLE.${exampleSecret}` };
export const exampleSignedIn = { token: `EXAMPLE.EXAMPLE.${exampleSecret}`, expiresAt: exampleTime };

const openedOrganizationSchema = s.titledObject('OpenedOrganization', {
  organizationId: s.uuid,
  name: s.text(),
  status: s.oneOf(organizationStatuses),
  role: s.described(s.oneOf(roles), 'Of the session in it'),
});

export const sessionSchema = s.titledObject('OwnSession', {
  principal: s.text(),
  isOperator: s.flag(),
  expiresAt: s.time,
  organizations: s.described(s.listOf(openedOrganizationSchema), 'By name; the first hundred'),
  hasMore: s.flag({ description: 'There are others: see `GET /v1/organizations`' }),
});

export const exampleSession: s.ValueOf<typeof sessionSchema> = {
  principal: 'session:ada',
  isOperator: false,
  expiresAt: exampleTime,
  organizations: [
    { organizationId: exampleIds.organizationId, name: 'Shop', status: 'active', role: 'admin' },
  ],
  hasMore: false,
};
