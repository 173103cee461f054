import type { HopLoad, HopResult } from '../hop/jobs.js';
import type { Measurement } from '../measure/comparison.js';

/** How the peers differ before the load begins; the load itself is the same. */
export type Login =
  | { readonly protocol: 'relay' }
  | {
      readonly protocol: 'roomwire';
      readonly publisherToken: string;
      /** One actor a subscriber. */
      readonly subscriberTokens: readonly string[];
    };

/** One publisher and its subscribers. */
export interface StageJob {
  readonly login: Login;
  readonly port: number;
  readonly serverId: number;
  /** The relays have no topics, but get it in each frame all the same. */
  readonly topic: string;
  readonly subscribers: number;
  /** The subscribers have this many different filters in turn, of which each publish matches one; 0 for none at all. */
  readonly filters: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** Saturated: this many publishes in flight. */
  readonly window: number;
}

export interface FanOutJob extends StageJob {
  readonly kind: 'fanOut';
  /** Moderate: this many a second, whether the earlier ones have arrived or not. */
  readonly publishesPerSecond: number;
}

export interface FanOutResult {
  readonly saturated: Measurement;
  readonly moderate: Measurement;
}

/** A fan-out that is saturated and nothing else. */
export interface FilterJob extends StageJob {
  readonly kind: 'filters';
}

export interface RestJob {
  readonly kind: 'rest';
  readonly port: number;
  readonly serverId: number;
  readonly apiKey: string;
  /** Creates are POSTed here, and read here with `/<id>`. */
  readonly path: string;
  readonly connections: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/** Makes so many records; `#` in the body becomes the number of each. */
export interface FillJob {
  readonly kind: 'fill';
  readonly port: number;
  readonly apiKey: string;
  readonly path: string;
  readonly body: string;
  readonly count: number;
  readonly connections: number;
}

/** GETs of these paths in turn. */
export interface RequestsJob {
  readonly kind: 'requests';
  readonly port: number;
  readonly serverId: number;
  readonly apiKey: string;
  readonly paths: readonly string[];
  readonly connections: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

export interface RestResult {
  readonly creates: Measurement;
  readonly reads: Measurement;
}

/** Publishers at one gateway, one subscriber at another. */
export interface HopJob extends HopLoad {
  readonly kind: 'hop';
  readonly publishPort: number;
  readonly subscribePort: number;
  readonly publisherToken: string;
  readonly subscriberToken: string;
  readonly topic: string;
  /** Connections that publish while saturated; at a rate it is one. */
  readonly publishers: number;
}

export type GeneratorJob = FanOutJob | FilterJob | RestJob | RequestsJob | FillJob | HopJob;
export type ResultOf<J extends GeneratorJob> = J extends FanOutJob
  ? FanOutResult
  : J extends HopJob
    ? HopResult
    : J extends FilterJob | RequestsJob | FillJob
      ? Measurement
      : RestResult;
