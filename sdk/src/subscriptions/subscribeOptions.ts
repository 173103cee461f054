import type { JobsField } from '../protocol/clientFrames.js';
import type { Filter, Qos, StartingPoint } from '../protocol/frames.js';
import type { GapHandler, HydrationHandler } from './message.js';

/** How a worker takes jobs. All of it but the last two holds for the group, whose newest member's options are in force. */
export interface JobOptions {
  /** Most jobs that this worker holds, 1 to 1000; as many as its `concurrency` by default, and 100 without. */
  readonly prefetch?: number;
  /** A job that is not settled so long after it was handed out goes to another worker, 5 to 3600; 60 by default. */
  readonly ackSeconds?: number;
  /** A job that was handed out so often without being settled is dead, 1 to 100; 5 by default. */
  readonly maxDeliveries?: number;
  /** How long a job rests whose handler has failed, 0 to 900, or how to tell from its `delivery`; 0 by default. */
  readonly retrySeconds?: number | ((delivery: number) => number);
  /** Says `progress` for a job, from when it comes until it is settled; false by default. */
  readonly keepAlive?: boolean;
}

export interface SubscribeOptions {
  /** Of the broker's internal hop; 1 by default. */
  readonly qos?: Qos;
  /** Only messages that match one of these, at most 100; all messages by default. */
  readonly filters?: readonly Filter[] | undefined;
  /** Share the topic's messages with the other members of the group: each goes to one of them. */
  readonly loadBalance?: boolean;
  /** Name of the group within the app; the actor's `actorTokenId` by default. */
  readonly loadBalanceGroup?: string;
  /** `meta` on every message: its id, its time, its publisher; false by default. Only where `client.features` has `meta`. */
  readonly meta?: boolean;
  /**
   * Also what the own actor publishes, on other connections or over HTTP; false by default. What this client publishes on its present
   * connection never comes back live. Only where `client.features` has `own`.
   */
  readonly own?: boolean;
  /**
   * Messages of before, when the subscription begins: the newest so many (at most 1000), or those since a time. Not after a reconnect, and not
   * where `resume` has a position. Only on topics with history (`history_disabled`), and where `client.features` has `history`.
   */
  readonly rewind?: number | { readonly since: Date | number };
  /**
   * After a reconnect, go on behind the newest message that was delivered, so that none is missing and none comes twice; with a position, of
   * `subscription.position` or a message, begin behind that one already. Messages have `meta` then. For what `rewind` is for only.
   */
  readonly resume?: boolean | { readonly position: string };
  /** Called where messages are missing in spite of `resume`. */
  readonly onGap?: GapHandler;
  /**
   * Called with what the hydration webhook of the topic answers, if it has one: after the subscribe, sooner or later than the first messages, and
   * again after every reconnect. Where two subscribed topics of different rooms have one name and wait for it at once, nobody knows whose it is, and
   * only the client's event `hydration` tells of it.
   */
  readonly onHydration?: HydrationHandler;
  /**
   * `manual`: a recorded message is acknowledged by its `ack()`. `auto`, the default: when the handlers of its topic are done. Matters to worker
   * groups alone.
   */
  readonly ack?: 'auto' | 'manual';
  /** How many messages the handler works on at once; what comes meanwhile waits here, in order. Without a bound by default. */
  readonly concurrency?: number;
  /**
   * Take the messages as jobs, in a worker group that has them all: each waits for a worker, on disk, and is handed out again until it is
   * settled. A topic has one such subscription in a client. Only where `client.features` has `jobs` (`unsupported_feature`).
   */
  readonly jobs?: JobOptions;
}

export interface WorkerOptions extends SubscribeOptions {
  readonly jobs: JobOptions;
}

export interface ManualAck {
  readonly ack: 'manual';
}

/** What the server has to know of it. */
export const jobsField = ({ jobs, concurrency }: SubscribeOptions): JobsField | undefined =>
  jobs && {
    prefetch: jobs.prefetch ?? (concurrency && Math.min(concurrency, mostPrefetched)),
    ackSeconds: jobs.ackSeconds,
    maxDeliveries: jobs.maxDeliveries,
  };

const mostPrefetched = 1_000;

/** Whether the subscription goes on behind the last message after a reconnect. */
export const follows = ({ resume }: SubscribeOptions): boolean =>
  typeof resume === 'object' || resume === true;

/** Where a subscription with these options begins the first time; undefined for one that needs no history. */
export const startOf = ({ resume, rewind }: SubscribeOptions): StartingPoint | undefined => {
  if (typeof resume === 'object') return { position: resume.position };
  if (typeof rewind === 'number') return { last: rewind };
  if (rewind !== undefined) return { since: Number(rewind.since) };
  // Nothing of what was: the server says its position, or that there is no history.
  return resume === true ? { last: 0 } : undefined;
};

/** Whether older messages come at first, of which somebody who joins later would get none. */
export const replaysAtFirst = ({ resume, rewind }: SubscribeOptions): boolean =>
  typeof resume === 'object' || (rewind !== undefined && rewind !== 0);

/** Whether two sets of options ask the server for the same. */
export const sameOptions = (one: SubscribeOptions, other: SubscribeOptions): boolean =>
  essence(one) === essence(other);

/** The server has to say where its messages stand, of a subscription that follows them. */
export const needsMeta = (options: SubscribeOptions): boolean => options.meta === true || follows(options);

const essence = (options: SubscribeOptions): string => {
  const { qos, filters, loadBalance, loadBalanceGroup, own } = options;
  return JSON.stringify([
    ...[qos ?? 1, filters ?? [], loadBalance ?? false, loadBalanceGroup],
    ...[needsMeta(options), own ?? false, follows(options), startOf(options), jobsField(options)],
  ]);
};
