import { constant, count, mapOf, object, text, union, type TypeOf } from '../schema.js';
import type { Channel } from './channel.js';
import { versionedRecord } from './recordCodec.js';

const report = object({
  /** Live authenticated connections by organization; an organization without any is absent. */
  connections: mapOf(count),
  /** The last number that this gateway gave to a `presence` record whose sending has ended, well or not. */
  presenceSequence: count,
});

/** What a gateway reports with every heartbeat. A later version may add fields. */
export type GatewayReport = TypeOf<typeof report>;

/** The sender: a new id with every start. */
const gatewayId = text;

const news = union(
  /** A heartbeat. `number` counts the sender's heartbeats from 1. */
  object({ kind: constant('beat'), gatewayId, number: count, report }),
  /** The sender has just started and requests the state of all others. */
  object({ kind: constant('hello'), gatewayId }),
  /** The sender has closed: its presences have ended. */
  object({ kind: constant('goodbye'), gatewayId }),
  /** Requests the state of the gateway `to` again. */
  object({ kind: constant('ask'), gatewayId, to: text }),
  /** The `presence` records numbered `from` to `upTo` are the whole state of the sender: older ones are void. */
  object({ kind: constant('state'), gatewayId, from: count, upTo: count }),
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
