import type { HopLoad, HopResult } from '../hop/measureHop.js';
import type { Measurement } from '../measure/comparison.js';
import type { CpuUse } from '../measure/usage.js';
import { startWorker } from '../process/worker.js';
import type { JobOptions } from './jobWorker.js';

export interface RoomwireLogin {
  readonly protocol: 'roomwire';
  readonly publisherToken: string;
  /** One actor a subscriber. */
  readonly subscriberTokens: readonly string[];
}

export interface CentrifugoLogin {
  readonly protocol: 'centrifugo';
  /** What each client's token is made with. */
  readonly secret: string;
}

/** How the peers differ before the load begins; the load itself is the same. */
export type Login = { readonly protocol: 'relay' | 'socketIo' | 'nats' } | RoomwireLogin | CentrifugoLogin;

/** One publisher and its subscribers. */
export interface StageJob {
  readonly login: Login;
  readonly port: number;
  readonly serverId: number;
  /** The relays have no topics, but each frame carries it. */
  readonly topic: string;
  readonly subscribers: number;
  /** The subscribers have this many different filters in turn, of which each publish matches one; 0 for none at all. */
  readonly filters: number;
  /** Whether all subscribers ask for `meta`. */
  readonly meta?: boolean;
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

/** Clients that connect, authenticate and subscribe. */
export interface CrowdJob {
  readonly login: Login;
  readonly port: number;
  readonly serverId: number;
  readonly topic: string;
  readonly clients: number;
  /** Clients that are connecting at any moment. */
  readonly atOnce: number;
}

export interface StormJob extends CrowdJob {
  readonly kind: 'storm';
  /** All clients come and go this often. */
  readonly waves: number;
}

export interface IdleJob extends CrowdJob {
  readonly kind: 'idle';
}

export interface ChatJob {
  readonly kind: 'chat';
  readonly login: Login;
  readonly port: number;
  readonly serverId: number;
  /** One a room. All equally long, so that deliveries are. */
  readonly topics: readonly string[];
  readonly clientsPerRoom: number;
  readonly messagesPerSecond: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/** Some watch a room; the others announce themselves there, change what they say, and move to a room of their own. */
export interface PresenceJob {
  readonly kind: 'presence';
  readonly login: Login;
  readonly port: number;
  readonly serverId: number;
  readonly room: string;
  /** Where each mover goes when it leaves. */
  readonly homes: readonly string[];
  readonly watchers: number;
  /** Changes that have been asked for and not been seen by all watchers. */
  readonly window: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/** A large room that others join. The first `told` of those present get every event, all others count. */
export interface JoinStormJob {
  readonly kind: 'joinStorm';
  readonly login: RoomwireLogin;
  readonly port: number;
  readonly serverId: number;
  readonly room: string;
  readonly present: number;
  readonly told: number;
  /** Where they are fewer than the joins they leave, and join again. */
  readonly joiners: number;
  readonly joinsPerSecond: number;
  readonly seconds: number;
}

/** Messages that each are for one of several. */
export interface GroupsJob {
  readonly kind: 'groups';
  readonly login: Login;
  readonly port: number;
  readonly serverId: number;
  readonly topic: string;
  readonly members: number;
  /** The worker group that they are in; undefined for a single subscriber that is in none. */
  readonly group: string | undefined;
  /** Whether each message is acknowledged, which only Roomwire asks for. */
  readonly acks: boolean;
  /** Messages that have been published and not been got. */
  readonly window: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/** A worker group with jobs, on a topic that nobody has used before. */
export interface WorkersJob {
  readonly kind: 'workers';
  readonly login: RoomwireLogin;
  readonly port: number;
  readonly serverId: number;
  readonly topic: string;
  readonly group: string;
  readonly members: number;
  readonly options: JobOptions;
  readonly load:
    | { readonly kind: 'backlog'; readonly jobs: number }
    /** Publishes that have not been answered, or not been worked off. */
    | { readonly kind: 'together'; readonly window: number }
    /** So many that nobody acknowledges, all of them in flight. */
    | { readonly kind: 'timeOuts'; readonly jobs: number };
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

export interface RestJob {
  readonly kind: 'rest';
  readonly port: number;
  readonly serverId: number;
  readonly apiKey: string;
  /** Creates are POSTed here, and read here with `/<id>`. */
  readonly path: string;
  /** Their names begin with it: `Room` unless there are such rooms already. */
  readonly named?: string;
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

/** How publishes that are answered get to a server: over HTTP many in a request, over a socket one by one. */
export type PublishWay =
  | {
      readonly kind: 'http';
      readonly dialect: 'roomwire' | 'centrifugo';
      readonly path: string;
      readonly apiKey: string;
      readonly messages: number;
    }
  | { readonly kind: 'socket'; readonly token: string };

/** Publishes that are each answered before their connection goes on, and one subscriber that gets them all. */
export interface PublishingJob {
  readonly kind: 'publishing';
  readonly way: PublishWay;
  readonly port: number;
  readonly serverId: number;
  readonly topic: string;
  /** Whether each message has an id of its publisher's making. */
  readonly withIds: boolean;
  readonly connections: number;
  /** Requests on a fixed schedule; undefined for as many as are answered. */
  readonly requestsPerSecond: number | undefined;
  /** Of the subscriber. */
  readonly login: Login;
  readonly subscribePort: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/** Publishes to many rooms, each answered when it is as durable as its topic promises. */
export interface DurableJob {
  readonly kind: 'durable';
  readonly login: RoomwireLogin;
  readonly port: number;
  readonly serverId: number;
  /** One a room. All equally long, so that deliveries are. */
  readonly topics: readonly string[];
  /** Each room has a subscriber of its own; otherwise none has one. */
  readonly isHeard: boolean;
  /** Those that publish. */
  readonly connections: number;
  /** On a fixed schedule; undefined for as many as are answered. */
  readonly messagesPerSecond: number | undefined;
  /** Publishes that are not answered yet, where there is no schedule. */
  readonly window: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/** So many messages in each room, each answered when it is durable. */
export interface FillRoomsJob {
  readonly kind: 'fillRooms';
  readonly login: RoomwireLogin;
  readonly port: number;
  readonly serverId: number;
  readonly topics: readonly string[];
  readonly messagesEach: number;
  readonly connections: number;
  /** Publishes that are not answered yet. */
  readonly window: number;
}

/** Clients that were away while `missed` messages were published to each topic, and subscribe again at the same moment. */
export interface ResumeJob {
  readonly kind: 'resume';
  readonly login: RoomwireLogin;
  readonly port: number;
  readonly serverId: number;
  readonly topics: readonly string[];
  readonly subscribers: number;
  readonly missed: number;
  /** Wave after wave. */
  readonly seconds: number;
}

/** The newest messages of topics in turn. */
export interface HistoryReadsJob {
  readonly kind: 'historyReads';
  readonly token: string;
  readonly port: number;
  readonly serverId: number;
  readonly topics: readonly string[];
  /** From one topic to the next one that is read. */
  readonly step: number;
  readonly limit: number;
  readonly connections: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/** Those that are answered by the figures of one round. */
type PlainJob =
  | FilterJob
  | StormJob
  | IdleJob
  | ChatJob
  | PresenceJob
  | JoinStormJob
  | GroupsJob
  | RequestsJob
  | FillJob
  | PublishingJob
  | DurableJob
  | FillRoomsJob
  | ResumeJob
  | HistoryReadsJob
  | WorkersJob;

export type GeneratorJob = FanOutJob | RestJob | HopJob | PlainJob;
export type ResultOf<J extends GeneratorJob> = J extends FanOutJob
  ? FanOutResult
  : J extends HopJob
    ? HopResult
    : J extends PlainJob
      ? Measurement
      : RestResult;

export const workFigures = (deliveries: number, { elapsed, server, generator }: CpuUse): Measurement => ({
  deliveriesPerSecond: deliveries / elapsed,
  cpuPerDelivery: (server * 1e6) / deliveries,
  serverCpu: (server / elapsed) * 100,
  generatorCpu: (generator / elapsed) * 100,
});

/** The load generator in a process of its own. */
export interface Generator {
  run<J extends GeneratorJob>(job: J): Promise<ResultOf<J>>;
  stop(): Promise<void>;
}

export const startGenerator = (core: number | undefined): Generator => {
  const worker = startWorker<GeneratorJob, ResultOf<GeneratorJob>>(
    new URL('./main.js', import.meta.url),
    core,
  );
  return {
    run: <J extends GeneratorJob>(job: J) => worker.run(job) as Promise<ResultOf<J>>,
    stop: () => worker.stop(),
  };
};
