import { openApi } from '../api/client.js';
import { answerOf } from '../api/failure.js';
import type { Schemas } from '../api/schemas.js';

/** The ways to sign in that the service offers. */
export type SignInWays = Schemas['SignInWays'];

/** Authorization code with PKCE. */
export type OidcWay = Schemas['ConsoleOidc'];

/** What the session opens. */
export type SessionShown = Schemas['OwnSession'];

/** Credentials of one project, for an hour. */
export type ConsoleAccess = Schemas['ConsoleAccess'];

export const signInWays = (): Promise<SignInWays> => answerOf(openApi.GET('/console/sign-in'));

/** The session of a one-time code. */
export const exchangeCode = (code: string): Promise<Schemas['SignedIn']> =>
  answerOf(openApi.POST('/console/sign-in', { body: { code } }));

const withSession = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

export const showSession = (token: string): Promise<SessionShown> =>
  answerOf(openApi.GET('/console/session', withSession(token)));

interface ProjectOpened {
  readonly organizationId: string;
  readonly projectId: string;
  /** An accessScopeId: the observer then sees that scope's rooms. */
  readonly scope?: string;
}

export const openProject = (token: string, opened: ProjectOpened): Promise<ConsoleAccess> => {
  const { organizationId: orgId, projectId, scope } = opened;
  const params = { path: { orgId, projectId }, ...(scope !== undefined && { query: { scope } }) };
  return answerOf(
    openApi.POST('/organizations/{orgId}/projects/{projectId}/console-access', {
      params,
      ...withSession(token),
    }),
  );
};
