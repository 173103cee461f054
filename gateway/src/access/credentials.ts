import type { AuthError } from '@roomwire/shared/wire/protocol/protocolErrors';
import {
  parseClientToken,
  verifyClientToken,
  type ClientToken,
} from '@roomwire/shared/credentials/clientToken';
import { matchesSecret, parseToken, type ParsedToken } from '@roomwire/shared/credentials/secretToken';
import type { Actor } from '@roomwire/shared/domain/actor';
import { ownRule, standingRule, type Standing, type StandingRule } from '@roomwire/shared/domain/standing';
import type { Plan } from '@roomwire/shared/domain/organization';
import type { Scope } from '@roomwire/shared/domain/scope';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { isRevokedBy, namesExternalActor } from '@roomwire/shared/domain/tokenRevocation';
import type { FailedAuthentications } from '@roomwire/shared/credentials/failedAuthentications';
import type { RefusalLasts, RefusedCredentials } from '@roomwire/shared/credentials/refusedCredentials';
import type { ActorScope } from './client.js';
import { externalActor, type ConnectedActor, type ExternalActorRule } from './connectedActor.js';
import type { CredentialHolder, RefusalReports } from './refusalReports.js';
import { UnopenableKey, type OpenedKey, type SigningKeys } from './signingKeys.js';
import { latestRevocation } from './tokenRevocations.js';

/** The part of a client token that a connection depends on. */
export interface LiveClientToken {
  readonly signingKeyId: string;
  /** `exp`, Unix seconds; undefined for a token that does not expire. */
  readonly expiresAt: number | undefined;
  /** `iat`, Unix seconds; undefined for a token that does not say when it was issued. */
  readonly issuedAt: number | undefined;
}

/** What a valid credential yields. */
export interface Credentials extends GoodStanding {
  /** Null for an access token. */
  readonly clientToken: LiveClientToken | null;
}

/** The ids of what a connection's rights rest on; a change of any other leaves them as they are. */
export const restsOn = ({ actor, organizationId, clientToken }: Credentials) => [
  ...[actor.actorTokenId, actor.projectId, organizationId],
  ...[actor.accessScopeId, clientToken?.signingKeyId],
];

interface Holder {
  readonly actor: ConnectedActor | undefined;
  readonly clientToken: LiveClientToken | null;
}

export interface CredentialDeps {
  readonly views: ViewReader;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signingKeys: SigningKeys;
  readonly refused: RefusedCredentials<BadCredential>;
  readonly failures: Pick<FailedAuthentications, 'failed'>;
  readonly reports: Pick<RefusalReports, 'credential'>;
}

/** A credential that is presented. */
export interface Presented {
  readonly token: string | undefined;
  /** Of the client. */
  readonly address: string;
  readonly frame: 'auth' | 'reauth';
  /** Is called when the answer will be late. */
  readonly onDelay?: () => void;
}

/** Why a known credential is bad. */
export type BadCredentialReason =
  | StandingRule
  | ExternalActorRule
  | 'token_revoked'
  | 'wrong_secret'
  | 'bad_signature'
  | 'not_yet_valid'
  | 'token_expired'
  | 'signing_key_inactive'
  | 'signing_key_unopenable'
  | 'other_project';

const disclosed: { readonly [R in BadCredentialReason]?: AuthError } = {
  token_expired: 'token_expired',
  signing_key_unopenable: 'authentication_failed',
};

export class BadCredential {
  /** How long it is known to be bad; undefined where it may become good by itself. */
  readonly lasts: RefusalLasts | undefined;
  /** Undefined where nobody is known by it. */
  readonly holder: CredentialHolder | undefined;
  readonly reason: BadCredentialReason;

  constructor(
    lasts: RefusalLasts | undefined,
    holder?: CredentialHolder,
    reason: BadCredentialReason = 'actor_missing',
  ) {
    this.lasts = lasts;
    this.holder = holder;
    this.reason = reason;
  }

  /** [WS-AUTH-4] */
  get error(): AuthError {
    return disclosed[this.reason] ?? 'access_denied';
  }
}

/**
 * [WS-AUTH-4] The reason of a refusal is not disclosed, except for a valid client token that has expired. [WS-AUTH-18] Resolves
 * late for a bad credential after many failures.
 */
export const checkCredential = async (
  deps: CredentialDeps,
  { token = '', address, frame, onDelay }: Presented,
): Promise<Credentials | AuthError> => {
  const result = await verdictOn(deps, token);
  if (!(result instanceof BadCredential)) return result;
  const { error, holder, reason } = result;
  if (holder !== undefined) deps.reports.credential(holder, { reason, address, frame });
  if (error !== 'token_expired') await deps.failures.failed({ address, keyId: keyIdOf(token) }, onDelay);
  return error;
};

/** The public id in an access token. That of a client token is the same for many actors. */
const keyIdOf = (token: string): string | undefined => parseToken(token, 'at_live')?.keyId;

const verdictOn = async (
  deps: CredentialDeps,
  token: string,
): Promise<Credentials | BadCredential | AuthError> => {
  const known = deps.refused.find(token);
  if (known !== undefined) return known;
  const { changes } = deps.refused;
  try {
    const found = await credentialsOf(deps, token);
    const lasts = found instanceof BadCredential ? found.lasts : undefined;
    if (lasts !== undefined) deps.refused.add(token, found as BadCredential, lasts, changes);
    return found;
  } catch (error) {
    deps.logger.warn('A credential could not be checked', { error });
    return 'connection_failed';
  }
};

const credentialsOf = async (deps: CredentialDeps, token: string): Promise<Credentials | BadCredential> => {
  const holder = await holderOf(deps, token);
  if (holder instanceof BadCredential) return holder;
  const { actor, clientToken } = holder;
  const isRevoked = async (): Promise<boolean> => {
    if (actor === undefined || clientToken === null) return false;
    const revocation = await latestRevocation(deps.views, deps.clock, actor);
    return revocation !== undefined && isRevokedBy(revocation, clientToken.issuedAt);
  };
  const [standing, revoked] = await Promise.all([standingOf(deps.views, deps.clock, actor), isRevoked()]);
  const bad = (reason: BadCredentialReason) =>
    new BadCredential('briefly', actor && actorHolder(actor), reason);
  if (typeof standing === 'string') return bad(standing);
  // [HTTP-REVOKE-2]
  return revoked ? bad('token_revoked') : { ...standing, clientToken };
};

const holderOf = async (deps: CredentialDeps, token: string): Promise<Holder | BadCredential> => {
  const accessToken = parseToken(token, 'at_live');
  if (accessToken !== undefined) return holderOfAccessToken(deps, accessToken);
  const clientToken = parseClientToken(token);
  // Refused without a read anyway.
  if (clientToken === undefined) return new BadCredential(undefined);
  return holderOfClientToken(deps, clientToken);
};

/** The secret of an actor never changes. */
const holderOfAccessToken = async (
  deps: CredentialDeps,
  token: ParsedToken,
): Promise<Holder | BadCredential> => {
  const actor = await actorByKeyId(deps, token.keyId);
  if (matchesSecret(token.secret, actor?.secretHash)) return { actor, clientToken: null };
  return actor === undefined
    ? new BadCredential('briefly')
    : new BadCredential('always', actorHolder(actor), 'wrong_secret');
};

/** [WS-AUTH-9] */
const holderOfClientToken = async (
  deps: CredentialDeps,
  token: ClientToken,
): Promise<Holder | BadCredential> => {
  const key = await deps.signingKeys.find(token.kid);
  if (key === undefined) return new BadCredential('briefly');
  const holder = { projectId: key.projectId, principal: `signingKey:${token.kid}` };
  if (!key.isActive) return new BadCredential('briefly', holder, 'signing_key_inactive');
  if (key.secret instanceof UnopenableKey) {
    deps.logger.warn('A credential could not be checked', { error: key.secret });
    return new BadCredential('briefly', holder, 'signing_key_unopenable');
  }
  const verdict = verifyClientToken(token, key.secret, deps.clock.now());
  if (verdict === 'expired') return new BadCredential('always', holder, 'token_expired');
  if (verdict === 'invalid') return new BadCredential('always', holder, 'bad_signature');
  if (verdict === 'early') return new BadCredential(undefined, holder, 'not_yet_valid');
  const actor = await actorOf(deps, token, key);
  if (typeof actor === 'string') return new BadCredential('briefly', holder, actor);
  if (actor.projectId !== key.projectId) return new BadCredential('briefly', holder, 'other_project');
  const { signingKeyId } = key;
  const { expiresAt, issuedAt } = token;
  return { actor, clientToken: { signingKeyId, expiresAt, issuedAt } };
};

/** The actor that a verified token names, on record or external, or why there is none. */
const actorOf = async (
  deps: CredentialDeps,
  token: ClientToken,
  key: OpenedKey,
): Promise<ConnectedActor | ExternalActorRule | 'actor_missing'> => {
  if (namesExternalActor(token.subject)) return externalActor(token, key, deps.clock.now());
  return (await actorByKeyId(deps, token.subject)) ?? 'actor_missing';
};

export const actorHolder = ({ projectId, keyId }: ConnectedActor): CredentialHolder => ({
  ...{ projectId, principal: `actor:${keyId}` },
});

const actorByKeyId = async ({ views }: CredentialDeps, keyId: string): Promise<Actor | undefined> =>
  (await views.find('actors', { filter: { keyId }, limit: 1 }))[0];

export interface GoodStanding {
  readonly actor: ConnectedActor;
  readonly organizationId: string;
  readonly plan: Plan;
  readonly accessScope: ActorScope | null;
}

/** Whether an actor may be connected, or why not, according to the read models. Rejects when they are unavailable. */
export const standingOf = async (
  views: ViewReader,
  clock: Clock,
  actor: ConnectedActor | undefined,
): Promise<GoodStanding | StandingRule> => {
  const own = ownRule(actor, clock.now());
  if (own !== undefined || actor === undefined) return own ?? 'actor_missing';
  const standing = await readStanding(views, actor);
  const { organization, scope } = standing;
  const rule = standingRule(standing, clock.now());
  if (rule !== undefined) return rule;
  if (organization === undefined) return 'actor_missing';
  const { organizationId, plan } = organization;
  return { actor, organizationId, plan, accessScope: scope ? shown(scope) : null };
};

const readStanding = async (views: ViewReader, actor: ConnectedActor): Promise<Standing> => {
  const { projectId, accessScopeId } = actor;
  const owners = async () => {
    const project = await views.get('projects', projectId);
    return { project, organization: project && (await views.get('organizations', project.organizationId)) };
  };
  const [owned, scope] = await Promise.all([
    owners(),
    accessScopeId === null ? undefined : views.get('scopes', accessScopeId),
  ]);
  return { actor, ...owned, scope };
};

const shown = ({ accessScopeId, slug, name }: Scope): ActorScope => ({ accessScopeId, slug, name });
