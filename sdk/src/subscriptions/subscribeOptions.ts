import type { ClientFrame, JobsField } from '../protocol/clientFrames.js';
import type { Filter, Qos, StartingPoint } from '../protocol/frames.js';
import type { GapHandler, HydrationHandler } from './message.js';

/** How a worker takes jobs. All but the last two options apply to the whole group: those of its newest member. */
export interface JobOptions {
  /** The most jobs that this worker holds at once, 1 to 1000; its `concurrency` by default, or 100 if that is not set. */
  readonly prefetch?: number;
  /** Seconds after which a job that is not settled goes to another worker, 5 to 3600; 60 by default. */
  readonly ackSeconds?: number;
  /** After so many deliveries without being settled a job becomes a dead letter, 1 to 100; 5 by default. */
  readonly maxDeliveries?: number;
  /** Seconds before a job whose handler has failed is delivered again, 0 to 900, or a function of its `delivery`; 0 by default. */
  readonly retrySeconds?: number | ((delivery: number) => number);
  /** Extends the deadline of a job, by `progress`, from its arrival until it is settled; false by default. */
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
  /** `meta` on every message: its id, time and publisher; false by default. Needs `meta` in `client.features`. */
  readonly meta?: boolean;
  /**
   * Also receive what the client's own actor publishes, on other connections or over HTTP; false by default. What this client publishes on its
   * current connection never comes back live. Needs `own` in `client.features`.
   */
  readonly own?: boolean;
  /**
   * Earlier messages to begin with: a number of the newest (at most 1000), or those since a time. Does not apply after a reconnect, or if
   * `resume` has a position. Needs a topic with history (`history_disabled`), and `history` in `client.features`.
   */
  readonly rewind?: number | { readonly since: Date | number };
  /**
   * Continue after the newest delivered message when the client reconnects, so that none is missing or duplicated. With a position, from
   * `subscription.position` or a message, also begin after that one. Messages then have `meta`. The same requirements as for `rewind`.
   */
  readonly resume?: boolean | { readonly position: string };
  /** Called if messages are missing in spite of `resume`. */
  readonly onGap?: GapHandler;
  /**
   * Called with the answer of the topic's hydration webhook, if it has one: after the subscribe, before or after the first messages, and
   * again after every reconnect. If subscribed topics of different rooms have the same name and wait for it at the same time, the answer cannot be
   * attributed, and only the client's event `hydration` reports it.
   */
  readonly onHydration?: HydrationHandler;
  /**
   * `manual`: a recorded message is acknowledged by its `ack()`. `auto`, the default: when the handlers of its topic have succeeded. Matters only to
   * worker groups.
   */
  readonly ack?: 'auto' | 'manual';
  /** How many messages the handler processes at once; further ones wait in the client, in order. Unlimited by default. */
  readonly concurrency?: number;
  /**
   * Take the messages as jobs of a worker group: each is stored on disk until a worker is there, and is redelivered until it is
   * settled. A client can have one such subscription per topic. Needs `jobs` in `client.features` (`unsupported_feature`).
   */
  readonly jobs?: JobOptions;
}

export interface WorkerOptions extends SubscribeOptions {
  readonly jobs: JobOptions;
}

export interface ManualAck {
  readonly ack: 'manual';
}

/** The request, which begins at a point of the history if there is one. */
export const subscribeFrame = (
  topic: string,
  options: SubscribeOptions,
  from: StartingPoint | undefined,
): ClientFrame => {
  const { qos, filters, loadBalance, loadBalanceGroup, own } = options;
  const jobs = jobsField(options);
  return {
    ...{ type: 'subscribe', topic, qos, filters, loadBalanceGroup, jobs },
    loadBalance: loadBalance ?? (jobs && true),
    meta: needsMeta(options) || undefined,
    own: own || undefined,
    from,
  };
};

/** What the server has to know of it. */
const jobsField = ({ jobs, concurrency }: SubscribeOptions): JobsField | undefined =>
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
