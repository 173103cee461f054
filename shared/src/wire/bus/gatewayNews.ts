import { Encoder, decode } from '@msgpack/msgpack';
import type { Channel } from './channel.js';
import { isCount, isMap, isText } from './recordChecks.js';

/** What a gateway tells about itself with every beat. A later program may add fields. */
export interface GatewayReport {
  /** Live authenticated connections by organization; an organization without any is absent. */
  readonly connections: Readonly<Record<string, number>>;
  /** The last number that this gateway gave to a `presence` record whose sending has ended, well or not. */
  readonly presenceSequence: number;
}

/** What gateways tell one another. `gatewayId` is the sender, a new one with every start. */
export type GatewayNews =
  /** Alive. `number` counts the sender's beats from 1. */
  | {
      readonly kind: 'beat';
      readonly gatewayId: string;
      readonly number: number;
      readonly report: GatewayReport;
    }
  /** Just started, has sent nothing yet, and wants to know what all the others stand for. */
  | { readonly kind: 'hello'; readonly gatewayId: string }
  /** Closed: what it stood for is over. */
  | { readonly kind: 'goodbye'; readonly gatewayId: string }
  /** Wants to know anew what the gateway `to` stands for. */
  | { readonly kind: 'ask'; readonly gatewayId: string; readonly to: string }
  /** The `presence` records numbered `from` to `upTo` said all that the sender stands for: older ones are void. */
  | { readonly kind: 'state'; readonly gatewayId: string; readonly from: number; readonly upTo: number };

const version = 1;

const encoder = new Encoder();

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

/** Throws for a record that this program does not know: the reader passes it over. */
const decodeNews = (bytes: Uint8Array): GatewayNews => {
  const record = decode(bytes);
  if (!Array.isArray(record) || record[0] !== version || !isNews(record[1])) {
    throw new Error('Not news of a gateway of a known version');
  }
  return record[1];
};

/** One partition: what a gateway reads of itself tells it that it reads the others too. */
export const gatewayNews: Channel<GatewayNews> = {
  name: 'gateways',
  key: (news) => news.gatewayId,
  codec: { encode: (news) => encoder.encode([version, news]), decode: decodeNews },
};
