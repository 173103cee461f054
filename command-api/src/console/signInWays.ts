/** What a page needs to sign in with the OIDC issuer of sessions: an authorization code with PKCE. */
export interface ConsoleOidc {
  readonly issuer: string;
  readonly clientId: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  /** With spaces between them. */
  readonly scope: string;
  /** Of the access tokens that open sessions. */
  readonly audience: string;
}

/** The ways to sign in to the console besides a code and a session token. */
export interface SignInWays {
  readonly oidc: ConsoleOidc | undefined;
}

/** The origins that the content security policy of the console has to let its pages connect to, besides its own. */
export const connectSources = ({ oidc }: SignInWays): readonly string[] =>
  oidc === undefined ? [] : [new URL(oidc.tokenEndpoint).origin];
