import type { CloseSpec } from '@roomwire/shared/wire/protocol/closes';
import type { ProtocolErrorContext, ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { ServerFrame } from '@roomwire/shared/wire/protocol/serverFrames';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Directory } from '../access/directory.js';
import { isCurrent, resolveAccess, type TopicAccess } from '../access/topicAccess.js';
import type { Subscription } from '../fanout/subscription.js';
import { Allowance, SlidingWindow } from '../policy/rateLimits.js';
import type { Outstanding } from '../recording/outstanding.js';
import type { RecordingLine } from '../fanout/recording.js';
import type { Outbox } from '../socket/outbox.js';
import type { Admission } from './authenticate.js';
import { expiryOf, type Credentials, type LiveClientToken } from '../access/credentials.js';
import type { ActorScope, Identity } from './identity.js';

/** What a session asks of its connection. */
export interface SessionLink {
  readonly outbox: Outbox;
  send(frame: ServerFrame): void;
  sendError(name: ProtocolErrorName, context: ProtocolErrorContext): void;
  close(why: CloseSpec): void;
  /** Runs something between two frames, so that neither sees it half done. It must not reject. */
  inTurn(task: () => Promise<void>): void;
}

export interface SessionLimits {
  readonly publishRate: number;
  /** A second; 0 is no limit. */
  readonly requestRate: number;
  readonly clock: Clock;
}

/** A connection may be refused this many times its publish rate before its publishes are no longer looked at. */
const errorsPerPublish = 4;

/** More addresses than this on one connection, and the work of resolving them is done again. */
const maxKnownAddresses = 1_000;

/** The authenticated part of a connection. */
export class Session {
  readonly link: SessionLink;
  /** By the address as the client writes it. */
  readonly subscriptions = new Map<string, Subscription>();
  /** The last accepted publishes. */
  readonly published: SlidingWindow;
  /** The last publishes that were refused for something else than the rate. */
  readonly refused: SlidingWindow;
  /** Of what it asks for; undefined for no limit. */
  readonly requests: Allowance | undefined;
  /** Publishes that the bus has not answered for yet. */
  unacknowledged = 0;
  /** Undefined until the session publishes to a topic that is recorded. */
  line: RecordingLine | undefined;
  /** Undefined until the session is given a message as a member of a worker group. */
  outstanding: Outstanding | undefined;
  /** Of the actor; milliseconds since 1970. */
  expiresAt: number;
  /** Null under an access token. */
  clientToken: LiveClientToken | null;
  /** What the actor's record named last: ahead of `identity` while the scope is being read. */
  accessScopeId: string | null;
  /** No grant that a subscription or a presence hangs on ends before; milliseconds since 1970. */
  grantsHoldUntil = Number.POSITIVE_INFINITY;
  isOver = false;
  private who: Identity;
  private readonly clock: Clock;
  private readonly known = new Map<string, TopicAccess>();

  constructor(
    link: SessionLink,
    { identity, credentials }: Admission,
    { publishRate, requestRate, clock }: SessionLimits,
  ) {
    this.link = link;
    this.who = identity;
    this.clock = clock;
    this.expiresAt = expiryOf(credentials.actor);
    this.clientToken = credentials.clientToken;
    this.accessScopeId = credentials.actor.accessScopeId;
    this.requests = requestRate === 0 ? undefined : new Allowance(requestRate);
    this.published = new SlidingWindow(publishRate, 1_000);
    this.refused = new SlidingWindow(errorsPerPublish * publishRate, 1_000);
  }

  /** Changes with the actor's scope, and with nothing else. */
  get identity(): Identity {
    return this.who;
  }

  /** What the actor may do at an address: at once where it is known and nothing has changed since. */
  access(directory: Directory, address: string): TopicAccess | undefined | Promise<TopicAccess | undefined> {
    const known = this.known.get(address);
    if (known !== undefined && isCurrent(known)) return this.inForce(known);
    const { who } = this;
    const access = resolveAccess(directory, who, address);
    if (!(access instanceof Promise)) return this.remember(address, access);
    return access.then((found) =>
      who === this.who ? this.remember(address, found) : this.access(directory, address),
    );
  }

  /** Makes a subscription hang on other rights to the same topic, or to the topic that it will join. */
  sustain(subscription: Subscription, access: TopicAccess): void {
    subscription.access = access;
    this.restOn(access);
  }

  /** Something of the session's hangs on these rights. */
  restOn({ until }: TopicAccess): void {
    this.grantsHoldUntil = Math.min(this.grantsHoldUntil, until);
  }

  /** The actor's rights as they were just read; its scope is not taken over. */
  renew({ actor, clientToken }: Credentials): void {
    this.expiresAt = expiryOf(actor);
    this.clientToken = clientToken;
    this.known.clear();
  }

  /** From now on every address is the new scope's. What was subscribed under the old one is for the caller to move. */
  enterScope(accessScope: ActorScope | null): void {
    this.who = { ...this.who, accessScope, scope: accessScope?.slug ?? null };
    this.accessScopeId = accessScope?.accessScopeId ?? null;
    this.known.clear();
  }

  private remember(address: string, access: TopicAccess | undefined): TopicAccess | undefined {
    if (this.known.size >= maxKnownAddresses) this.known.clear();
    if (access === undefined) this.known.delete(address);
    else this.known.set(address, access);
    return this.inForce(access);
  }

  /** [WS-GRANT-4] A grant that has run out gives nothing from that moment on. */
  private inForce(access: TopicAccess | undefined): TopicAccess | undefined {
    if (access === undefined || access.until === Number.POSITIVE_INFINITY) return access;
    return access.until > this.clock.now() ? access : undefined;
  }
}
