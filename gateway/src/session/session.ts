import type { ConsoleSession } from '@roomwire/shared/domain/consoleAccess';
import { expiryOf } from '@roomwire/shared/domain/standing';
import type { Clock } from '@roomwire/shared/ports/clock';
import { closes, type CloseSpec } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { ProtocolErrorContext, ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { ServerFrame } from '@roomwire/shared/wire/protocol/serverFrames';
import type { ActorScope, Client, ClientOutbox, Identity } from '../access/client.js';
import { hasRecord, isExternal, principalOf, type ConnectedActor } from '../access/connectedActor.js';
import type { Life } from '../connection-facts/connectionLife.js';
import type { Credentials, GoodStanding } from '../access/credentials.js';
import type { RefusalReports, RefusedConnection } from '../access/refusalReports.js';
import { subscribeRule, type SubscribeRule } from '../access/subscribeRule.js';
import type { LatestRevocation } from '../access/tokenRevocations.js';
import type { TopicAccess } from '../access/topicAccess.js';
import { Publisher } from '../publishing/publisher.js';
import type { TokenBucket } from '@roomwire/shared/runtime/tokenBucket';
import { PublishRate, requestRate } from '../policy/rateLimits.js';
import { Subscriptions, type SubscriptionsDeps } from '../subscriptions/subscriptions.js';
import { closeOf, type Ending } from './endings.js';
import { KnownAddresses, type KnownAddressesDeps } from './knownAddresses.js';
import { socketAnswers } from './socketAnswers.js';
import { TokenLife } from './tokenLife.js';

/** What a session needs of its connection. */
export interface SessionLink {
  /** Of the client. */
  readonly address: string;
  /** Unix milliseconds. */
  readonly connectedAt: number;
  readonly outbox: ClientOutbox;
  send(frame: ServerFrame): void;
  sendError(name: ProtocolErrorName, context: ProtocolErrorContext): void;
  close(why: CloseSpec): void;
  /** Runs a task between two frames. It must not reject. */
  inTurn(task: () => Promise<void>): void;
}

export interface SessionDeps extends KnownAddressesDeps {
  readonly clock: Clock;
  readonly subscriptions: SubscriptionsDeps;
  readonly presence: {
    /** Removes a session from its room and its lobbies. */
    leave(session: Session): void;
    /** Ends a presence whose grant has expired. */
    endExpired(session: Session): void;
    /** Ends a presence that its token leaves out. */
    endLeftOut(session: Session): void;
    /** Ends a presence that its actor may no longer have. */
    recheck(session: Session): Promise<void>;
  };
  readonly reports: Pick<RefusalReports, 'connection'>;
  /** A second; 0 is no limit. */
  readonly publishRate: number;
  /** A second; 0 is no limit. */
  readonly requestRate: number;
  /** A new name for a connection, which no other has on any gateway. */
  readonly nameConnection: () => string;
  /** Begins to record what happens to a connection. */
  readonly lifeOf: (client: Session) => Life;
}

/** With what a session begins. */
export interface SessionFields extends Pick<Credentials, 'actor' | 'clientToken'> {
  readonly identity: Identity;
  /** [WS-NOTICE-1] */
  readonly wantsNotices: boolean;
  /** What the client says that it is. */
  readonly sdk: string | undefined;
}

/** Subscriptions that are held against a new token for the price of a request. */
const subscriptionsPerRequest = 100;

/** The authenticated part of a connection. */
export class Session implements Client {
  readonly outbox: ClientOutbox;
  readonly connection: string;
  readonly subscriptions: Subscriptions;
  readonly sdk: string | undefined;
  readonly life: Life;
  readonly publisher: Publisher;
  /** Undefined for no limit. */
  readonly publishRate: PublishRate | undefined;
  /** Undefined for no limit. */
  readonly requests: TokenBucket | undefined;
  readonly wantsNotices: boolean;
  private readonly link: SessionLink;
  private readonly deps: SessionDeps;
  private who: Identity;
  private actor: ConnectedActor;
  private token: TokenLife;
  /** Of the actor; milliseconds since 1970. */
  private expiresAt: number;
  /** The earliest expiry of the grants that subscriptions or presence depend on; milliseconds since 1970. */
  private grantsHoldUntil = Number.POSITIVE_INFINITY;
  private readonly addresses: KnownAddresses;
  private hasEnded = false;

  constructor(link: SessionLink, fields: SessionFields, deps: SessionDeps) {
    const { identity, actor, clientToken, wantsNotices, sdk } = fields;
    this.link = link;
    this.outbox = link.outbox;
    this.connection = deps.nameConnection();
    this.publisher = new Publisher(this.connection, socketAnswers(this, deps.clock));
    this.deps = deps;
    this.who = identity;
    this.actor = actor;
    this.expiresAt = expiryOf(actor);
    this.wantsNotices = wantsNotices;
    this.token = new TokenLife(clientToken, deps.clock.now(), wantsNotices);
    this.publishRate = deps.publishRate === 0 ? undefined : new PublishRate(deps.publishRate);
    this.requests = deps.requestRate === 0 ? undefined : requestRate(deps.requestRate);
    this.addresses = new KnownAddresses(this, deps);
    this.sdk = sdk;
    this.life = deps.lifeOf(this);
    this.subscriptions = new Subscriptions(this, deps.subscriptions);
  }

  get identity(): Identity {
    return this.who;
  }

  get isOver(): boolean {
    return this.hasEnded;
  }

  get address(): string {
    return this.link.address;
  }

  get connectedAt(): number {
    return this.link.connectedAt;
  }

  /** Of its actor. */
  get keyId(): string {
    return this.actor.keyId;
  }

  get signingKeyId(): string | undefined {
    return this.token.signingKeyId;
  }

  /** What its client token makes; undefined for an actor on record. */
  get actorOfToken(): ConnectedActor | undefined {
    return hasRecord(this.actor) ? undefined : this.actor;
  }

  /** The session that an observer of the console stands for. */
  get consoleSession(): ConsoleSession | undefined {
    return this.token.consoleSession;
  }

  /** Whether a revocation is about its client token; an access token is never revoked. */
  isRevokedBy(revocation: LatestRevocation): boolean {
    return this.token.isRevokedBy(revocation);
  }

  send(frame: ServerFrame): void {
    this.link.send(frame);
  }

  sendError(name: ProtocolErrorName, context: ProtocolErrorContext): void {
    this.link.sendError(name, context);
  }

  close(why: CloseSpec): void {
    this.link.close(why);
  }

  /** Its organization sees why. */
  endFor(ending: Ending): void {
    if (this.hasEnded) return;
    const why = closeOf[ending];
    this.report(ending, { route: 'connection', status: why.code });
    this.close(why);
  }

  /** It may not begin. */
  refusedFor(reason: string): void {
    this.report(reason, { route: 'auth', status: 403 });
  }

  inTurn(task: () => Promise<void>): void {
    this.link.inTurn(task);
  }

  /** [WS-CONN-10] A request was worth so many more. */
  charge(requests: number): void {
    this.requests?.reserve(this.deps.clock.monotonic(), requests);
  }

  subscribedApps(): readonly string[] {
    return this.subscriptions.apps();
  }

  /** What the actor may do at an address. Synchronous while a cached answer is current. */
  access(address: string): TopicAccess | undefined | Promise<TopicAccess | undefined> {
    return this.addresses.access(address);
  }

  /** By which rule the actor may subscribe at an address that was just asked for, or may not. */
  subscribeRule(address: string): SubscribeRule {
    return subscribeRule(this.deps.directory, this.who, address, this.deps.clock.now());
  }

  forgetAddresses(): void {
    this.addresses.forget();
  }

  /** A subscription or the presence of the session depends on these rights. */
  restOn({ until }: TopicAccess): void {
    this.grantsHoldUntil = Math.min(this.grantsHoldUntil, until);
  }

  isInScope(accessScopeId: string): boolean {
    return this.who.accessScope?.accessScopeId === accessScopeId;
  }

  scopeRenamed(accessScopeId: string, name: string): void {
    const { accessScope } = this.who;
    if (accessScope?.accessScopeId !== accessScopeId || accessScope.name === name) return;
    this.enterScope({ ...accessScope, name });
  }

  /** Applies the documents of the actor that were just read. */
  standingRead({ actor, accessScope }: GoodStanding): void {
    this.expiresAt = expiryOf(actor);
    this.enterScope(accessScope);
  }

  /** [WS-REAUTH-1] Continues with another credential of the same actor. `endLeftOut` must follow. */
  renew({ actor, accessScope, clientToken }: Credentials): void {
    this.actor = actor;
    this.expiresAt = expiryOf(actor);
    this.token = new TokenLife(clientToken, this.deps.clock.now(), this.wantsNotices);
    this.who = {
      ...{ ...this.who, capabilities: clientToken?.capabilities },
      ...(isExternal(actor) && { issuedAt: clientToken?.issuedAt ?? null }),
    };
    this.enterScope(accessScope);
    this.life.renewed();
  }

  /** [WS-CAP-5] Ends what the new token leaves out. */
  endLeftOut(): void {
    const { capabilities } = this.who;
    if (capabilities === undefined) return;
    this.charge(Math.floor(this.subscriptions.size / subscriptionsPerRequest));
    this.subscriptions.endLeftOut(capabilities);
    this.deps.presence.endLeftOut(this);
  }

  /** Ends subscriptions and presence that changed documents no longer allow. Rejects when the read models fail. */
  async recheck(): Promise<void> {
    await this.subscriptions.recheck();
    await this.deps.presence.recheck(this);
  }

  /** Ends what has expired (the actor, its client token, the grants that subscriptions and presence rest on), and says what will. */
  endExpired(): void {
    if (this.hasEnded) return;
    const now = this.deps.clock.now();
    if (this.expiresAt <= now) this.endFor('actor_expired');
    else if (this.token.isOver(now)) this.endToken();
    else {
      const authExpiresAt = this.token.takeNotice(now);
      if (authExpiresAt !== undefined) this.send({ type: 'tokenExpiring', authExpiresAt });
      if (this.grantsHoldUntil <= now) this.endGrants(now);
    }
  }

  /** The connection has ended. */
  end(): void {
    this.hasEnded = true;
    this.subscriptions.end();
    this.deps.presence.leave(this);
    this.discard();
  }

  /** Must be called for a session that never begins. */
  discard(): void {
    this.addresses.close();
  }

  private report(reason: string, call: Pick<RefusedConnection, 'route' | 'status'>): void {
    const { address, who, actor } = this;
    const { organizationId, projectId } = who;
    const holder = { organizationId, projectId, principal: principalOf(actor) };
    this.deps.reports.connection(holder, { ...call, reason, address });
  }

  /** [WS-SCOPE-4] */
  private enterScope(accessScope: ActorScope | null): void {
    const hasMoved = this.who.scope !== (accessScope?.slug ?? null);
    this.who = { ...this.who, accessScope, scope: accessScope?.slug ?? null };
    this.forgetAddresses();
    if (!hasMoved) return;
    this.life.renewed();
    this.deps.presence.leave(this);
    this.subscriptions.changeScope();
  }

  /** [WS-AUTH-10] */
  private endToken(): void {
    this.send({ type: 'disconnect', reason: 'token_expired' });
    this.close(closes.clientTokenExpired);
  }

  private endGrants(now: number): void {
    this.grantsHoldUntil = Number.POSITIVE_INFINITY;
    this.subscriptions.endExpired(now);
    this.deps.presence.endExpired(this);
  }
}
