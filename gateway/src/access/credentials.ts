import type { AuthError } from '@roomwire/shared/wire/protocol/protocolErrors';
import {
  parseClientToken,
  verifyClientToken,
  type ClientToken,
} from '@roomwire/shared/credentials/clientToken';
import { matchesSecret, parseToken, type ParsedToken } from '@roomwire/shared/credentials/secretToken';
import type { Actor } from '@roomwire/shared/domain/actor';
import type { CloseName } from '@roomwire/shared/wire/protocol/protocolErrors';
import { standingRule, type Standing, type StandingRule } from '@roomwire/shared/domain/standing';
import type { Plan } from '@roomwire/shared/domain/organization';
import type { Scope } from '@roomwire/shared/domain/scope';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { SecretBox } from '@roomwire/shared/credentials/secretBox';
import type { SigningKey } from '@roomwire/shared/domain/signingKey';
import type { FailedAuthentications } from '@roomwire/shared/credentials/failedAuthentications';
import type { RefusalLasts, RefusedCredentials } from '@roomwire/shared/credentials/refusedCredentials';
import type { ActorScope } from './client.js';
import { EntryCache } from './entryCache.js';

/** The part of a client token that a connection depends on. */
export interface LiveClientToken {
  readonly signingKeyId: string;
  /** `exp`, Unix seconds; undefined for a token that does not expire. */
  readonly expiresAt: number | undefined;
}

/** What a valid credential yields. */
export interface Credentials extends GoodStanding {
  /** Null for an access token. */
  readonly clientToken: LiveClientToken | null;
}

interface Holder {
  readonly actor: Actor | undefined;
  readonly clientToken: LiveClientToken | null;
}

export interface CredentialDeps {
  readonly views: ViewReader;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signingKeys: SigningKeys;
  readonly refused: RefusedCredentials<AuthError>;
  readonly failures: Pick<FailedAuthentications, 'failed'>;
}

/** A credential that is presented. */
export interface Presented {
  readonly token: string | undefined;
  /** Of the client. */
  readonly address: string;
  /** Is called when the answer will be late. */
  readonly onDelay?: () => void;
}

/** A bad credential, and for how long it is known to be bad; undefined where it may become good by itself. */
class Refusal {
  readonly error: AuthError;
  readonly lasts: RefusalLasts | undefined;

  constructor(lasts: RefusalLasts | undefined, error: AuthError = 'access_denied') {
    this.error = error;
    this.lasts = lasts;
  }
}

/**
 * [WS-AUTH-4] The reason of a refusal is not disclosed, except for a valid client token that has expired. [WS-AUTH-18] Resolves
 * late for a bad credential after many failures.
 */
export const checkCredential = async (
  deps: CredentialDeps,
  { token = '', address, onDelay }: Presented,
): Promise<Credentials | AuthError> => {
  const result = await verdictOn(deps, token);
  if (result === 'access_denied' || result === 'authentication_failed')
    await deps.failures.failed({ address, keyId: keyIdOf(token) }, onDelay);
  return result;
};

/** The public id in an access token. That of a client token is the same for many actors. */
const keyIdOf = (token: string): string | undefined => parseToken(token, 'at_live')?.keyId;

const verdictOn = async (deps: CredentialDeps, token: string): Promise<Credentials | AuthError> => {
  const known = deps.refused.find(token);
  if (known !== undefined) return known;
  const { changes } = deps.refused;
  try {
    const credentials = await credentialsOf(deps, token);
    if (!(credentials instanceof Refusal)) return credentials;
    const { error, lasts } = credentials;
    if (lasts !== undefined) deps.refused.add(token, error, lasts, changes);
    return error;
  } catch (error) {
    deps.logger.warn('A credential could not be checked', { error });
    return 'connection_failed';
  }
};

const credentialsOf = async (deps: CredentialDeps, token: string): Promise<Credentials | Refusal> => {
  const holder = await holderOf(deps, token);
  if (holder instanceof Refusal) return holder;
  const standing = await standingOf(deps.views, deps.clock, holder.actor);
  if (typeof standing === 'string') return new Refusal('briefly');
  return { ...standing, clientToken: holder.clientToken };
};

const holderOf = async (deps: CredentialDeps, token: string): Promise<Holder | Refusal> => {
  const accessToken = parseToken(token, 'at_live');
  if (accessToken !== undefined) return holderOfAccessToken(deps, accessToken);
  const clientToken = parseClientToken(token);
  // Refused without a read anyway.
  if (clientToken === undefined) return new Refusal(undefined);
  return holderOfClientToken(deps, clientToken);
};

/** The secret of an actor never changes. */
const holderOfAccessToken = async (deps: CredentialDeps, token: ParsedToken): Promise<Holder | Refusal> => {
  const actor = await actorByKeyId(deps, token.keyId);
  if (matchesSecret(token.secret, actor?.secretHash)) return { actor, clientToken: null };
  return new Refusal(actor === undefined ? 'briefly' : 'always');
};

/** [WS-AUTH-9] */
const holderOfClientToken = async (deps: CredentialDeps, token: ClientToken): Promise<Holder | Refusal> => {
  const key = await deps.signingKeys.find(token.kid);
  if (!key?.isActive) return new Refusal('briefly');
  if (key.secret instanceof UnopenableKey) {
    deps.logger.warn('A credential could not be checked', { error: key.secret });
    return new Refusal('briefly', 'authentication_failed');
  }
  const now = deps.clock.now();
  const verdict = verifyClientToken(token, key.secret, now);
  if (verdict === 'expired') return new Refusal('always', 'token_expired');
  if (verdict === 'invalid') return new Refusal(isAhead(token, now) ? undefined : 'always');
  const actor = await actorByKeyId(deps, token.subject);
  if (actor?.projectId !== key.projectId) return new Refusal('briefly');
  return { actor, clientToken: { signingKeyId: key.signingKeyId, expiresAt: token.expiresAt } };
};

const isAhead = ({ notBefore }: ClientToken, now: number): boolean =>
  notBefore !== undefined && notBefore * 1_000 > now;

const actorByKeyId = async ({ views }: CredentialDeps, keyId: string): Promise<Actor | undefined> =>
  (await views.find('actors', { filter: { keyId }, limit: 1 }))[0];

export interface GoodStanding {
  readonly actor: Actor;
  readonly organizationId: string;
  readonly plan: Plan;
  readonly accessScope: ActorScope | null;
}

/** Why an actor may not be connected, as the reason with which its live connections are closed. */
export type BadStanding = Extract<
  CloseName,
  'tokenRevoked' | 'tokenExpired' | 'tokenNotFound' | 'projectNotFound' | 'scopeInactive'
>;

const badStandings: { readonly [R in StandingRule]: BadStanding } = {
  actor_missing: 'tokenNotFound',
  actor_disabled: 'tokenRevoked',
  actor_expired: 'tokenExpired',
  project_missing: 'projectNotFound',
  organization_suspended: 'tokenRevoked',
  scope_inactive: 'scopeInactive',
};

/** Whether an actor may be connected, according to the read models. Rejects when they are unavailable. */
export const standingOf = async (
  views: ViewReader,
  clock: Clock,
  actor: Actor | undefined,
): Promise<GoodStanding | BadStanding> => {
  const standing = await readStanding(views, actor);
  const { organization, scope } = standing;
  const rule = standingRule(standing, clock.now());
  if (rule !== undefined) return badStandings[rule];
  if (actor === undefined || organization === undefined) return 'tokenNotFound';
  const { organizationId, plan } = organization;
  return { actor, organizationId, plan, accessScope: scope ? shown(scope) : null };
};

const readStanding = async (views: ViewReader, actor: Actor | undefined): Promise<Standing> => {
  const project = actor && (await views.get('projects', actor.projectId));
  const organization = project && (await views.get('organizations', project.organizationId));
  const scopeId = actor?.accessScopeId ?? null;
  const scope = scopeId === null ? undefined : await views.get('scopes', scopeId);
  return { actor, project, organization, scope };
};

const shown = ({ accessScopeId, slug, name }: Scope): ActorScope => ({ accessScopeId, slug, name });

/** A signing key as far as it can be used. */
export interface OpenedKey {
  readonly signingKeyId: string;
  readonly projectId: string;
  readonly isActive: boolean;
  /** Decrypted, in the form that the customer was given. */
  readonly secret: string | UnopenableKey;
}

/** A key that no master key of this gateway decrypts, or that was altered. */
export class UnopenableKey extends Error {
  override readonly name = 'UnopenableKey';
}

const maxKeys = 10_000;

/** Signing keys, decrypted or tried once and cached until a domain event invalidates them. */
export class SigningKeys {
  private readonly views: ViewReader;
  private readonly box: SecretBox;
  private readonly keys = new EntryCache<OpenedKey>({ idOf: (key) => key.signingKeyId, maxEntries: maxKeys });

  constructor(views: ViewReader, box: SecretBox) {
    this.views = views;
    this.box = box;
  }

  /** By the `kid` of a client token. Rejects when the read models fail. */
  async find(kid: string): Promise<OpenedKey | undefined> {
    return (this.keys.peek(kid) ?? (await this.keys.load(kid, () => this.read(kid))))?.value;
  }

  changed(signingKeyId: string): void {
    this.keys.drop(signingKeyId);
  }

  projectChanged(projectId: string): void {
    this.keys.dropWhere((key) => key.projectId === projectId);
  }

  forgetAll(): void {
    this.keys.dropWhere(() => true);
  }

  private async read(keyId: string): Promise<OpenedKey | undefined> {
    const [key] = await this.views.find('signingKeys', { filter: { keyId }, limit: 1 });
    return key && this.opened(key);
  }

  private opened({ signingKeyId, projectId, status, sealedSecret }: SigningKey): OpenedKey {
    const secret = this.secretOf(sealedSecret, signingKeyId);
    return { signingKeyId, projectId, isActive: status === 'active', secret };
  }

  private secretOf(sealed: SigningKey['sealedSecret'], signingKeyId: string): string | UnopenableKey {
    try {
      return this.box.open(sealed, signingKeyId);
    } catch (cause) {
      return new UnopenableKey(`Signing key ${signingKeyId} cannot be opened`, { cause });
    }
  }
}
