import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { AuthError } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { AuthFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import {
  features,
  type AuthReply,
  type RestoredSubscription,
} from '@roomwire/shared/wire/protocol/serverFrames';
import { negotiatedVersion } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import type { LastUses } from '@roomwire/shared/runtime/lastUses';
import type { Identity } from '../access/client.js';
import { hasRecord, isExternal, isObserver } from '../access/connectedActor.js';
import { checkCredential, restsOn, type CredentialDeps, type Credentials } from '../access/credentials.js';
import type { ConnectionEnding } from '../connection-facts/connectionLife.js';
import type { ConnectionLimit } from '../limits/connectionLimit.js';
import type { LeaseOutcome } from '../limits/leaseTerms.js';
import type { Plans } from '../limits/plans.js';
import type { GatewayMetrics } from '../metrics.js';
import type { PersistentSessions } from '../subscriptions/persistentSessions.js';
import type { Restoration } from '../subscriptions/restoring.js';
import type { Revalidator } from './revalidator.js';
import type { Roster } from './roster.js';
import { Session, type SessionDeps, type SessionLink } from './session.js';

export interface SessionsDeps {
  readonly credentials: CredentialDeps;
  readonly session: SessionDeps;
  readonly bus: Pick<MessageBus, 'reachable'>;
  readonly metrics: GatewayMetrics;
  readonly logger: Logger;
  readonly roster: Roster;
  readonly plans: Plans;
  readonly connectionLimit: Pick<ConnectionLimit, 'takePlace' | 'returnPlace'>;
  readonly persistentSessions: Pick<PersistentSessions, 'load' | 'keep' | 'ended'>;
  readonly revalidator: Pick<Revalidator, 'changes' | 'recheckActor'>;
  /** Receives the actors and signing keys that open connections. */
  readonly lastUses: Pick<LastUses, 'used'>;
  readonly limits: Pick<LimitReports, 'reached'>;
  /** On this gateway. */
  readonly connectionsPerActor: number;
}

/** A connection that authenticates. */
export interface AuthenticatingLink extends SessionLink {
  readonly isClosed: boolean;
  /** Stops reading until no frame waits. */
  pauseReading(): void;
}

/** Authenticates connections, and begins and ends their sessions. */
export class Sessions {
  private readonly deps: SessionsDeps;

  constructor(deps: SessionsDeps) {
    this.deps = deps;
  }

  /** Never rejects. If the link has closed meanwhile, the caller must cancel the result. */
  async authenticate(link: AuthenticatingLink, frame: AuthFrame): Promise<PendingSession | AuthError> {
    const { bus, logger, revalidator, persistentSessions } = this.deps;
    const changesBefore = revalidator.changes.latest;
    const { address } = link;
    const onDelay = () => link.pauseReading();
    const credentials = await checkCredential(this.deps.credentials, {
      ...{ address, onDelay, frame: 'auth' },
      token: frame.token,
    });
    if (typeof credentials === 'string') return credentials;
    // [WS-AUTH-8] Refuses sessions while the bus cannot deliver messages.
    if (!bus.reachable) return this.refused('bus_unreachable', 'broker_unavailable');
    if (link.isClosed) return 'connection_failed';
    const identity = identityOf(credentials, frame);
    const fields = { ...credentials, identity, wantsNotices: frame.notices, sdk: frame.sdk };
    const session = new Session(link, fields, this.deps.session);
    try {
      const recorded = await persistentSessions.load(session.identity, frame);
      const restoration = await session.subscriptions.restore(recorded);
      return new PendingSession({ session, credentials, frame, restoration, changesBefore }, this.deps);
    } catch (error) {
      session.discard();
      logger.warn('A session could not be restored', { error });
      return bus.reachable ? 'connection_failed' : 'broker_unavailable';
    }
  }

  end(session: Session, ending: ConnectionEnding): void {
    // While its subscriptions are still there.
    session.life.end(ending);
    this.deps.roster.leave(session);
    // Must precede the end of the subscriptions.
    this.deps.persistentSessions.ended(session.subscriptions);
    session.end();
  }

  private refused(reason: string, error: AuthError): AuthError {
    this.deps.logger.debug('An auth was refused', { reason });
    return error;
  }
}

interface AdmissionFields {
  readonly session: Session;
  readonly credentials: Credentials;
  readonly frame: AuthFrame;
  readonly restoration: Restoration;
  /** The latest change of rights that was known before the credential was checked. */
  readonly changesBefore: number;
}

/** An authenticated session that has not begun. Either `begin` or `cancel` must be called. */
export class PendingSession {
  readonly session: Session;
  private readonly fields: AdmissionFields;
  private readonly deps: SessionsDeps;
  /** Among the connections of its organization. */
  private hasPlace = false;

  constructor(fields: AdmissionFields, deps: SessionsDeps) {
    this.session = fields.session;
    this.fields = fields;
    this.deps = deps;
  }

  /**
   * Takes a place for the connection, if it may begin. Where other gateways have to be asked it is a promise, and
   * `refusalOfActor` must be called again after it.
   */
  takePlace(): AuthError | undefined | Promise<AuthError | undefined> {
    const refusal = this.refusalOfActor();
    // [WS-OBS-5]
    if (refusal !== undefined || this.session.identity.observes) return refusal;
    const outcome = this.takePlaceOfOrganization();
    return outcome instanceof Promise
      ? outcome.then((known) => this.refusalOf(known))
      : this.refusalOf(outcome);
  }

  /** [WS-AUTH-17] */
  refusalOfActor(): AuthError | undefined {
    const { roster, limits, connectionsPerActor } = this.deps;
    const { actorTokenId, projectId } = this.session.identity;
    if (roster.countOfActor(actorTokenId) < connectionsPerActor) return undefined;
    limits.reached('connectionsPerActor', { actorTokenId, projectId });
    return this.refusedFor('actor_connection_limit');
  }

  begin(): void {
    const { metrics, lastUses, roster, persistentSessions, revalidator } = this.deps;
    const { session, credentials, restoration, frame } = this.fields;
    const { identity } = session;
    metrics.authenticated++;
    // There is no record that would show it, or with which it would go.
    if (hasRecord(credentials.actor)) lastUses.used(identity.actorTokenId);
    const signingKeyId = credentials.clientToken?.signingKeyId;
    if (signingKeyId !== undefined) lastUses.used(signingKeyId);
    roster.enter(session);
    session.life.begin();
    this.returnPlace();
    session.send(authSucceeded(identity, frame, restoration.activate()));
    restoration.release();
    persistentSessions.keep(session.subscriptions, frame);
    // A change of what its rights rest on that arrived during the authentication did not include this session.
    if (this.hasChanged) revalidator.recheckActor(identity.actorTokenId);
  }

  cancel(): void {
    this.returnPlace();
    this.fields.restoration.cancel();
    this.session.discard();
  }

  /** [WS-AUTH-12] After a change during authentication the plan that was read may be stale: it is used only if none is known. */
  private takePlaceOfOrganization(): LeaseOutcome | Promise<LeaseOutcome> {
    const { plans, connectionLimit } = this.deps;
    const { organizationId, plan } = this.fields.credentials;
    if (!this.hasChanged || plans.of(organizationId) === undefined) plans.read(organizationId, plan);
    return connectionLimit.takePlace(organizationId);
  }

  private refusalOf(outcome: LeaseOutcome): AuthError | undefined {
    if (outcome === 'unavailable') {
      this.tell('limit_unknown');
      return 'broker_unavailable';
    }
    this.hasPlace = outcome === 'taken';
    return this.hasPlace ? undefined : this.refusedFor('connection_limit');
  }

  private refusedFor(reason: 'connection_limit' | 'actor_connection_limit'): AuthError {
    this.session.refusedFor(reason);
    this.tell(reason);
    return 'connection_limit_reached';
  }

  private tell(reason: string): void {
    const { actorTokenId, projectId } = this.session.identity;
    this.deps.logger.debug('An auth was refused', { reason, actorTokenId, projectId });
  }

  private returnPlace(): void {
    if (this.hasPlace) this.deps.connectionLimit.returnPlace(this.fields.credentials.organizationId);
    this.hasPlace = false;
  }

  private get hasChanged(): boolean {
    const { credentials, changesBefore } = this.fields;
    return this.deps.revalidator.changes.haveTouched(restsOn(credentials), changesBefore);
  }
}

const identityOf = (
  { actor, organizationId, accessScope, clientToken }: Credentials,
  { protocolVersion }: AuthFrame,
): Identity => ({
  actorTokenId: actor.actorTokenId,
  projectId: actor.projectId,
  organizationId,
  actorType: actor.actorType,
  scope: accessScope?.slug ?? null,
  accessScope,
  capabilities: clientToken?.capabilities,
  version: negotiatedVersion(protocolVersion),
  ...(isExternal(actor) && { externalType: actor.actorType, issuedAt: clientToken?.issuedAt ?? null }),
  ...(isObserver(actor) && { observes: true }),
});

/** [WS-AUTH-2] */
const authSucceeded = (
  { actorTokenId, projectId, actorType, version }: Identity,
  frame: AuthFrame,
  restoredSubscriptions: readonly RestoredSubscription[],
): AuthReply => ({
  type: 'auth',
  success: true,
  actorTokenId,
  projectId,
  actorType,
  protocolVersion: version,
  restoredSubscriptions,
  ...(frame.features && { features }),
});
