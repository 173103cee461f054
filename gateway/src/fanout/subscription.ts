import type { Qos } from '@roomwire/shared/wire/protocol/clientFrames';
import type { FilterEntry } from '@roomwire/shared/wire/protocol/filterEntry';
import type { TopicAccess } from '../access/topicAccess.js';
import type { Membership } from '../groups/membership.js';
import type { Session } from '../session/session.js';

/** What a client may change of a subscription without leaving the topic. */
export interface SubscriptionOptions {
  readonly qos: Qos;
  /** Undefined for every message. */
  readonly filters: readonly FilterEntry[] | undefined;
  /** The worker group in which it takes turns; undefined for one that gets every message. */
  readonly group: string | undefined;
}

/** The hub's own notes are `isJoined`, `membership`, `slot` and `mark`, those of the retained values `greeted` and `newest`. */
export class Subscription {
  readonly session: Session;
  /** Changes with the records it was made from, never its room and topic while it is joined. */
  access: TopicAccess;
  qos: Qos;
  filters: readonly FilterEntry[] | undefined;
  group: string | undefined;
  isJoined = false;
  /** Where it stands instead of among those who get every message. */
  membership: Membership | undefined;
  /** Where it stands among the subscriptions without filters of its topic. */
  slot = -1;
  /** The last search that found it. */
  mark = 0;
  /** The stamp of the retained message that it was sent as the last value of the topic; empty for none. */
  greeted = '';
  /** The newest stamp that it was sent at all. */
  newest = '';

  constructor(session: Session, access: TopicAccess, { qos, filters, group }: SubscriptionOptions) {
    this.session = session;
    this.access = access;
    this.qos = qos;
    this.filters = filters;
    this.group = group;
  }
}
