import type { ClientTokenDefect } from '@roomwire/shared/credentials/clientToken';
import type { RefusalLasts } from '@roomwire/shared/credentials/refusedCredentials';
import type { StandingRule } from '@roomwire/shared/domain/standing';
import type { AuthError } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { ExternalActorRule } from './connectedActor.js';
import type { CredentialHolder } from './refusalReports.js';

/** Which check a credential has failed. The log says it, and, where it is known whose it is, the access log. */
export type BadCredentialReason =
  | StandingRule
  | ClientTokenDefect
  | ExternalActorRule
  | 'api_key'
  | 'wrong_secret'
  | 'bad_signature'
  | 'capabilities_malformed'
  | 'not_yet_valid'
  | 'token_expired'
  | 'token_revoked'
  | 'session_revoked'
  | 'signing_key_unknown'
  | 'signing_key_inactive'
  | 'signing_key_unopenable'
  | 'other_project';

const disclosed: { readonly [R in BadCredentialReason]?: AuthError } = {
  token_expired: 'token_expired',
  signing_key_unopenable: 'authentication_failed',
};

export class BadCredential {
  readonly reason: BadCredentialReason;
  /** How long it is known to be bad; undefined where it may become good by itself, or costs no read. */
  readonly lasts: RefusalLasts | undefined;
  /** Undefined where nobody is known by it. */
  readonly holder: CredentialHolder | undefined;
  /** Whose it says that it is: public ids alone. */
  readonly principal: string | undefined;

  constructor(
    reason: BadCredentialReason,
    lasts?: RefusalLasts,
    holder?: CredentialHolder | { readonly principal: string },
  ) {
    this.reason = reason;
    this.lasts = lasts;
    this.holder = holder && 'projectId' in holder ? holder : undefined;
    this.principal = holder?.principal;
  }

  /** [WS-AUTH-4] */
  get error(): AuthError {
    return disclosed[this.reason] ?? 'access_denied';
  }
}
