import type { Channel } from './channel.js';
import { isCount, isMap, isText, versionedCodec } from './recordCodec.js';

/** What a gateway reports with every heartbeat. A later version may add fields. */
export interface GatewayReport {
  /** Live authenticated connections by organization; an organization without any is absent. */
  readonly connections: Readonly<Record<string, number>>;
  /** The last number that this gateway gave to a `presence` record whose sending has ended, well or not. */
  readonly presenceSequence: number;
}

/** Records of gateways about themselves. `gatewayId` is the sender, a new one with every start. */
export type GatewayNews =
  /** A heartbeat. `number` counts the sender's heartbeats from 1. */
  | {
      readonly kind: 'beat';
      readonly gatewayId: string;
      readonly number: number;
      readonly report: GatewayReport;
    }
  /** Just started, has sent nothing yet, and asks all others for their state. */
  | { readonly kind: 'hello'; readonly gatewayId: string }
  /** Closed: its presence is over. */
  | { readonly kind: 'goodbye'; readonly gatewayId: string }
  /** Asks the gateway `to` to send its state again. */
  | { readonly kind: 'ask'; readonly gatewayId: string; readonly to: string }
  /** The `presence` records numbered `from` to `upTo` are the whole state of the sender: older ones are void. */
  | { readonly kind: 'state'; readonly gatewayId: string; readonly from: number; readonly upTo: number };

const isReport = (value: unknown): value is GatewayReport =>
  isMap(value) &&
  isCount(value['presenceSequence']) &&
  isMap(value['connections']) &&
  Object.values(value['connections']).every(isCount);

/** What each kind has besides the sender. */
const isSound: {
  readonly [K in GatewayNews['kind']]: (news: Readonly<Record<string, unknown>>) => boolean;
} = {
  beat: ({ number, report }) => isCount(number) && isReport(report),
  hello: () => true,
  goodbye: () => true,
  ask: ({ to }) => isText(to),
  state: ({ from, upTo }) => isCount(from) && isCount(upTo),
};

const isNews = (value: unknown): value is GatewayNews =>
  isMap(value) &&
  isText(value['gatewayId']) &&
  isText(value['kind']) &&
  Object.hasOwn(isSound, value['kind']) &&
  isSound[value['kind'] as GatewayNews['kind']](value);

/** One partition: a gateway that reads its own records reads those of the others too. */
export const gatewayNews: Channel<GatewayNews> = {
  name: 'gateways',
  key: (news) => news.gatewayId,
  codec: versionedCodec(1, isNews, 'news of a gateway'),
};
