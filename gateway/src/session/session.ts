import type { CloseSpec } from '@roomwire/shared/contracts/protocol/closes';
import type { RefusalContext, RefusalName } from '@roomwire/shared/contracts/protocol/refusals';
import type { ServerFrame } from '@roomwire/shared/contracts/protocol/serverFrames';
import type { Directory } from '../access/directory.js';
import { isCurrent, resolveAccess, type TopicAccess } from '../access/topicAccess.js';
import type { Subscription } from '../fanout/hub.js';
import { SlidingWindow } from '../policy/slidingWindow.js';
import type { Outbox } from '../socket/outbox.js';
import type { Identity } from './identity.js';

/** What a session asks of its connection. */
export interface SessionLink {
  readonly outbox: Outbox;
  send(frame: ServerFrame): void;
  refuse(name: RefusalName, context: RefusalContext): void;
  close(why: CloseSpec): void;
}

/** A connection may be refused this many times its publish rate before its publishes are no longer looked at. */
const refusalsPerPublish = 4;

/** More addresses than this on one connection, and the work of resolving them is done again. */
const maxKnownAddresses = 1_000;

/** The authenticated part of a connection. */
export class Session {
  readonly identity: Identity;
  readonly link: SessionLink;
  /** By the address as the client writes it. */
  readonly subscriptions = new Map<string, Subscription>();
  /** The last accepted publishes. */
  readonly published: SlidingWindow;
  /** The last publishes that were refused for something else than the rate. */
  readonly refused: SlidingWindow;
  /** Publishes that the bus has not answered for yet. */
  unacknowledged = 0;
  /** Milliseconds since 1970. */
  expiresAt: number;
  isOver = false;
  private readonly known = new Map<string, TopicAccess>();

  constructor(identity: Identity, link: SessionLink, expiresAt: number, publishRate: number) {
    this.identity = identity;
    this.link = link;
    this.expiresAt = expiresAt;
    this.published = new SlidingWindow(publishRate, 1_000);
    this.refused = new SlidingWindow(refusalsPerPublish * publishRate, 1_000);
  }

  /** What the actor may do at an address: at once where it is known and nothing has changed since. */
  access(directory: Directory, address: string): TopicAccess | undefined | Promise<TopicAccess | undefined> {
    const known = this.known.get(address);
    if (known !== undefined && isCurrent(known)) return known;
    const access = resolveAccess(directory, this.identity, address);
    return access instanceof Promise
      ? access.then((found) => this.remember(address, found))
      : this.remember(address, access);
  }

  private remember(address: string, access: TopicAccess | undefined): TopicAccess | undefined {
    if (this.known.size >= maxKnownAddresses) this.known.clear();
    if (access === undefined) this.known.delete(address);
    else this.known.set(address, access);
    return access;
  }
}
