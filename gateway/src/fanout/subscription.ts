import type { Qos } from '@roomwire/shared/contracts/protocol/clientFrames';
import type { FilterEntry } from '@roomwire/shared/contracts/protocol/filterEntry';
import type { TopicAccess } from '../access/topicAccess.js';
import type { Session } from '../session/session.js';

/** What a client may change of a subscription without leaving the topic. */
export interface SubscriptionOptions {
  readonly qos: Qos;
  /** Undefined for every message. */
  readonly filters: readonly FilterEntry[] | undefined;
}

/** The hub's own notes are `isJoined`, `slot` and `mark`, those of the retained values `greeted` and `newest`. */
export class Subscription {
  readonly session: Session;
  /** Changes with the records it was made from, never its room and topic while it is joined. */
  access: TopicAccess;
  qos: Qos;
  filters: readonly FilterEntry[] | undefined;
  isJoined = false;
  /** Where it stands among the subscriptions without filters of its topic. */
  slot = -1;
  /** The last search that found it. */
  mark = 0;
  /** The stamp of the retained message that it was sent as the last value of the topic; empty for none. */
  greeted = '';
  /** The newest stamp that it was sent at all. */
  newest = '';

  constructor(session: Session, access: TopicAccess, { qos, filters }: SubscriptionOptions) {
    this.session = session;
    this.access = access;
    this.qos = qos;
    this.filters = filters;
  }
}
