import type { AuthError } from '@roomwire/shared/wire/protocol/protocolErrors';
import {
  parseClientToken,
  verifyClientToken,
  type ClientToken,
} from '@roomwire/shared/credentials/clientToken';
import { isObserverKeyId, type ObserverKeys } from '@roomwire/shared/credentials/observerToken';
import { matchesSecret, parseToken, type ParsedToken } from '@roomwire/shared/credentials/secretToken';
import type { Actor } from '@roomwire/shared/domain/actor';
import { ownRule, standingRule, type Standing, type StandingRule } from '@roomwire/shared/domain/standing';
import { revocableConsoleSession } from '@roomwire/shared/domain/consoleAccess';
import { revocationKeys } from '@roomwire/shared/domain/sessionRevocation';
import type { Plan } from '@roomwire/shared/domain/organization';
import type { Scope } from '@roomwire/shared/domain/scope';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { isRevokedBy, namesExternalActor } from '@roomwire/shared/domain/tokenRevocation';
import type { FailedAuthentications } from '@roomwire/shared/credentials/failedAuthentications';
import { readCapabilities } from '@roomwire/shared/credentials/capabilityClaim';
import type { RefusedCredentials } from '@roomwire/shared/credentials/refusedCredentials';
import { BadCredential, type BadCredentialReason } from './badCredential.js';
import type { ActorScope } from './client.js';
import type { LiveClientToken } from './liveClientToken.js';
import { externalActor, principalOf, type ConnectedActor } from './connectedActor.js';
import { isObserverRevoked, observerOf } from './observers.js';
import type { CredentialHolder, RefusalReports } from './refusalReports.js';
import { UnopenableKey, type SigningKeys } from './signingKeys.js';
import { latestRevocation } from './tokenRevocations.js';

/** What a valid credential yields. */
export interface Credentials extends GoodStanding {
  /** Null for an access token. */
  readonly clientToken: LiveClientToken | null;
}

/** The ids of what a connection's rights rest on; a change of any other leaves them as they are. */
export const restsOn = ({ actor, organizationId, clientToken }: Credentials) => [
  ...[actor.actorTokenId, actor.projectId, organizationId],
  ...[actor.accessScopeId, clientToken?.signingKeyId],
  ...(clientToken?.consoleSession ? revocationKeys(revocableConsoleSession(clientToken.consoleSession)) : []),
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
  /** They verify tokens of observers; undefined where there are none. */
  readonly observerKeys: Pick<ObserverKeys, 'secretOf'> | undefined;
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
  const { error, holder, reason, principal } = result;
  deps.logger.debug('A credential was refused', { frame, reason, principal, address });
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
    const { consoleSession, issuedAt } = clientToken;
    if (consoleSession) return isObserverRevoked(deps.views, consoleSession);
    const revocation = await latestRevocation(deps.views, deps.clock, actor);
    return revocation !== undefined && isRevokedBy(revocation, issuedAt);
  };
  const [standing, revoked] = await Promise.all([standingOf(deps.views, deps.clock, actor), isRevoked()]);
  const bad = (reason: BadCredentialReason) =>
    new BadCredential(reason, 'briefly', actor && actorHolder(actor));
  if (typeof standing === 'string') return bad(standing);
  // [HTTP-REVOKE-2] [WS-OBS-7]
  if (revoked) return bad(clientToken?.consoleSession ? 'session_revoked' : 'token_revoked');
  return { ...standing, clientToken };
};

const holderOf = async (deps: CredentialDeps, token: string): Promise<Holder | BadCredential> => {
  const accessToken = parseToken(token, 'at_live');
  if (accessToken !== undefined) return holderOfAccessToken(deps, accessToken);
  const clientToken = parseClientToken(token);
  if (typeof clientToken !== 'string')
    return isObserverKeyId(clientToken.kid)
      ? holderOfObserverToken(deps, clientToken)
      : holderOfClientToken(deps, clientToken);
  // Refused without a read anyway.
  return new BadCredential(parseToken(token, 'ak_live') === undefined ? clientToken : 'api_key');
};

/** The secret of an actor never changes. */
const holderOfAccessToken = async (
  deps: CredentialDeps,
  token: ParsedToken,
): Promise<Holder | BadCredential> => {
  const actor = await actorByKeyId(deps, token.keyId);
  if (matchesSecret(token.secret, actor?.secretHash)) return { actor, clientToken: null };
  return actor === undefined
    ? new BadCredential('actor_missing', 'briefly', { principal: `actor:${token.keyId}` })
    : new BadCredential('wrong_secret', 'always', actorHolder(actor));
};

/** [WS-AUTH-9] */
const holderOfClientToken = async (
  deps: CredentialDeps,
  token: ClientToken,
): Promise<Holder | BadCredential> => {
  const key = await deps.signingKeys.find(token.kid);
  const principal = `signingKey:${token.kid}`;
  if (key === undefined) return new BadCredential('signing_key_unknown', 'briefly', { principal });
  const holder = { projectId: key.projectId, principal };
  if (!key.isActive) return new BadCredential('signing_key_inactive', 'briefly', holder);
  if (key.secret instanceof UnopenableKey) {
    deps.logger.warn('A credential could not be checked', { error: key.secret });
    return new BadCredential('signing_key_unopenable', 'briefly', holder);
  }
  const verdict = verifyClientToken(token, key.secret, deps.clock.now());
  if (verdict === 'invalid') return new BadCredential('bad_signature', 'always', holder);
  // [WS-CAP-1] [WS-EXT-2] Before its times: only of a token that is otherwise valid a client learns that it has expired.
  const capabilities = readCapabilities(token.roomwire);
  if (capabilities === 'malformed') return new BadCredential('capabilities_malformed', 'always', holder);
  const isExternal = namesExternalActor(token.subject);
  const external = isExternal ? externalActor(token, key, deps.clock.now()) : undefined;
  if (typeof external === 'string') return new BadCredential(external, 'briefly', holder);
  if (verdict === 'expired') return new BadCredential('token_expired', 'always', holder);
  if (verdict === 'early') return new BadCredential('not_yet_valid', undefined, holder);
  const actor = external ?? (await actorByKeyId(deps, token.subject));
  if (actor === undefined) return new BadCredential('actor_missing', 'briefly', holder);
  if (actor.projectId !== key.projectId) return new BadCredential('other_project', 'briefly', holder);
  const { signingKeyId } = key;
  const { expiresAt, issuedAt } = token;
  return { actor, clientToken: { signingKeyId, expiresAt, issuedAt, capabilities } };
};

/** [WS-OBS-1] */
const holderOfObserverToken = (
  { observerKeys, clock }: CredentialDeps,
  token: ClientToken,
): Holder | BadCredential => {
  const secret = observerKeys?.secretOf(token.kid);
  if (secret === undefined) return new BadCredential('signing_key_unknown', 'briefly');
  const verdict = verifyClientToken(token, secret, clock.now());
  if (verdict === 'invalid') return new BadCredential('bad_signature', 'always');
  const observer = observerOf(token);
  return verdict === 'valid'
    ? observer
    : new BadCredential('token_expired', 'always', actorHolder(observer.actor));
};

export const actorHolder = (actor: ConnectedActor): CredentialHolder => ({
  ...{ projectId: actor.projectId, principal: principalOf(actor) },
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
