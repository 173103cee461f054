import type { AppendedEvent } from '../../../domain/eventEnvelope.js';
import type { Clock } from '../../../ports/clock.js';
import type {
  AppendResult,
  EventLog,
  ExpectedRevision,
  LogPosition,
  LogSubscriber,
  LogSubscription,
} from '../../../ports/eventLog.js';
import type { Random } from '../../../ports/random.js';
import type { OutageReport } from '../../../runtime/outage.js';
import { once } from '../../../runtime/service.js';
import { systemClock } from '../../system/systemClock.js';
import { systemRandom } from '../../system/systemRandom.js';
import { createAppends, type Append } from './appends.js';
import { createConnection } from './connection.js';
import { createLogEnd, hasBeenClosed, Reads, type LogEnd } from './reads.js';
import { createEventReader, isSystemName } from './storedEvents.js';
import { subscribe } from './subscription.js';

export interface EventStoreDbOptions {
  /** `esdb://…` or `kurrentdb://…`, or either with `+discover`. */
  readonly url: string;
  readonly outage?: OutageReport;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Prepended to every stream name, so that several logs can share a database without seeing one another. */
  readonly streamPrefix?: string;
  /** An append or a read without an answer is sent again after this time; by default 5 s. */
  readonly answersWithinMs?: number;
  /** The longest duration of an append, and the longest silence of a read; by default 8 s. */
  readonly givesUpAfterMs?: number;
  /** How often an idle subscription is compared with the end of the log; by default 5 s. */
  readonly stallCheckMs?: number;
}

const quiet: OutageReport = { failed: () => undefined, over: () => undefined };

const defaults = {
  outage: quiet,
  clock: systemClock,
  random: systemRandom,
  streamPrefix: '',
  answersWithinMs: 5_000,
  givesUpAfterMs: 8_000,
  stallCheckMs: 5_000,
};

/**
 * The event log in EventStoreDB, version 22.10 or later; the user in the URL needs the right to read `$all`. The server
 * is not contacted before the first request, so opening succeeds while it is unavailable; only an invalid URL is rejected.
 */
export const openEventStoreDbLog = async (options: EventStoreDbOptions): Promise<EventLog> =>
  new EventStoreDbLog({ ...defaults, ...options });

class EventStoreDbLog implements EventLog {
  private readonly options: Required<EventStoreDbOptions>;
  private readonly reads: Reads;
  private readonly lookForEnd: () => Promise<LogEnd>;
  private readonly appends: (append: Append) => Promise<AppendResult>;
  private readonly events;
  private readonly connection;
  private readonly appending = new Set<Promise<unknown>>();
  private readonly subscriptions = new Set<LogSubscription>();
  private closed = false;

  constructor(options: Required<EventStoreDbOptions>) {
    this.options = options;
    this.events = createEventReader(options.streamPrefix);
    this.connection = createConnection(options.url);
    this.reads = new Reads({ ...options, connection: this.connection, events: this.events });
    this.lookForEnd = createLogEnd(this.reads, this.events);
    this.appends = createAppends({ ...options, connection: this.connection, reads: this.reads });
  }

  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly [AppendedEvent, ...AppendedEvent[]],
  ): Promise<AppendResult> {
    if (this.closed) throw hasBeenClosed();
    if (!isStreamName(stream))
      throw new RangeError(`A stream name has 1 to 500 characters and no $ in front`);
    const appending = this.appends({ stream, expected, events });
    return whileIn(this.appending, appending);
  }

  readStream(stream: string, fromRevision = 0) {
    return this.reads.stream(this.options.streamPrefix + stream, fromRevision);
  }

  readLast(stream: string) {
    return this.reads.last(this.options.streamPrefix + stream);
  }

  readAll(after?: LogPosition) {
    return this.reads.all(after);
  }

  subscribeAll(after: LogPosition | undefined, subscriber: LogSubscriber): LogSubscription {
    const readAt = (position: LogPosition) => this.reads.at(position);
    const deps = { ...this.options, lookForEnd: this.lookForEnd, readAt, events: this.events };
    const subscription = subscribe(deps, after, subscriber);
    this.subscriptions.add(subscription);
    const remove = () => this.subscriptions.delete(subscription);
    subscription.done.then(remove, remove);
    return subscription;
  }

  async head(): Promise<LogPosition | undefined> {
    return (await this.lookForEnd()).head;
  }

  async identity(): Promise<string | undefined> {
    return (await this.reads.first())?.id;
  }

  readAt(position: LogPosition) {
    return this.reads.at(position);
  }

  readonly close = once(async () => {
    this.closed = true;
    await Promise.all(Array.from(this.subscriptions, (subscription) => subscription.close()));
    await Promise.allSettled(this.appending);
    this.reads.close();
    await this.connection.close();
  });
}

/** Some tools do not show events of streams with longer names. */
const streamNameMaxLength = 500;

const isStreamName = (stream: string): boolean =>
  stream.length > 0 && stream.length <= streamNameMaxLength && !isSystemName(stream);

const whileIn = async <T>(set: Set<Promise<unknown>>, promise: Promise<T>): Promise<T> => {
  set.add(promise);
  try {
    return await promise;
  } finally {
    set.delete(promise);
  }
};
