import {
  constant,
  count,
  flag,
  listOf,
  mapOf,
  object,
  optional,
  text,
  union,
  type TypeOf,
} from '../schema.js';
import type { Channel } from './channel.js';
import { versionedRecord } from './recordCodec.js';

const report = object({
  /** Live authenticated connections by organization; an organization without any is absent. */
  connections: mapOf(count),
  /** The last number that this gateway gave to a `presence` record whose sending has ended, well or not. */
  presenceSequence: count,
  /** Whether the sender reads accounts of presences; absent in earlier versions, which do not. */
  readsAccounts: optional(flag),
  /** Whether the sender takes leases on what organizations may use; absent in earlier versions, which do not. */
  takesLeases: optional(flag),
  /** Whether the sender knows members of worker groups that get what their own actor publishes; absent in earlier versions. */
  knowsOwn: optional(flag),
  /** False for a process without sockets, which publishes for backends: it has no presences, and needs none. */
  keepsPresences: optional(flag),
  /** The kinds of questions that the sender answers; absent in earlier versions, which answer none. */
  answers: optional(listOf(text)),
});

/** What a gateway reports with every heartbeat, and whenever it asks for the state of others. A later version may add fields. */
export type GatewayReport = TypeOf<typeof report>;

/** The sender: a new id with every start. */
const gatewayId = text;

const leaseStatement = object({
  /** `connections/<organizationId>` or `messages/<projectId>/<month>`. */
  key: text,
  /** What the sender may use. */
  held: count,
  /** It claims to use so many. `number` counts its claims; a claim is over with the next statement of the key that is without it. */
  claim: optional(object({ number: count, upTo: count, isRepeated: optional(flag) })),
  /** The others are to give back what they do not use, and to answer the claim. */
  asks: optional(flag),
  /** The claims of others that this answers. */
  answers: optional(listOf(object({ gatewayId, number: count }))),
});

/** What a gateway says of its lease on one thing that is limited. The latest counts. */
export type LeaseStatement = TypeOf<typeof leaseStatement>;

const news = union(
  /** A heartbeat. `number` counts the sender's heartbeats from 1. */
  object({ kind: constant('beat'), gatewayId, number: count, report }),
  /** The sender has just started and requests the state of all others. Earlier versions send no report with this and `ask`. */
  object({ kind: constant('hello'), gatewayId, report: optional(report) }),
  /** The sender has closed: its presences have ended. */
  object({ kind: constant('goodbye'), gatewayId }),
  /** Requests the state of the gateway `to` again. */
  object({ kind: constant('ask'), gatewayId, to: text, report: optional(report) }),
  /** The `presence` records numbered `from` to `upTo` are the whole state of the sender: older ones are void. */
  object({ kind: constant('state'), gatewayId, from: count, upTo: count }),
  /**
   * The `parts` records of this account were, for the gateways `to`, the whole state of the sender: changes with a number
   * below `from` are void.
   */
  object({
    kind: constant('account'),
    gatewayId,
    to: listOf(text),
    account: count,
    parts: count,
    from: count,
  }),
  /** About leases of the sender. Their order among those of all gateways decides who gets the last place. */
  object({ kind: constant('leases'), gatewayId, statements: listOf(leaseStatement) }),
);

/** Records of gateways about themselves. */
export type GatewayNews = TypeOf<typeof news>;

export const gatewayNewsRecord = versionedRecord('news of a gateway', 1, news);

/** One partition: a gateway that reads its own records reads those of the others too. */
export const gatewayNews: Channel<GatewayNews> = {
  name: 'gateways',
  key: (news) => news.gatewayId,
  codec: gatewayNewsRecord.codec,
};
