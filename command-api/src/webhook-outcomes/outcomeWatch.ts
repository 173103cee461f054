import { webhookOutcomes, type WebhookOutcome } from '@roomwire/shared/wire/bus/webhookOutcomes';
import type { Clock } from '@roomwire/shared/ports/clock';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { ChannelReader, MessageBus } from '@roomwire/shared/ports/messageBus';
import type { Random } from '@roomwire/shared/ports/random';
import { once } from '@roomwire/shared/runtime/service';
import { withTimeout } from '@roomwire/shared/runtime/waiting';
import type { Cursor } from './resource.js';

export interface OutcomeWatchDeps {
  /** Called when a client begins to watch. Undefined where this process has no bus to read from. */
  readonly openBus: (() => Promise<Pick<MessageBus, 'read'>>) | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly options?: Partial<OutcomeWatchOptions>;
}

export interface OutcomeWatchOptions {
  /** Outcomes that are kept in memory while clients watch. */
  readonly kept: number;
  /** In one answer. */
  readonly most: number;
  /** How long a request waits for an outcome. */
  readonly waitMs: number;
  /** How long a request waits for further outcomes, once there is one. */
  readonly gatherMs: number;
  /** Reading ends this long after the last request. */
  readonly idleMs: number;
  /** How long a request waits for the bus. */
  readonly openMs: number;
}

const defaultOptions: OutcomeWatchOptions = {
  kept: 10_000,
  most: 500,
  waitMs: 5_000,
  gatherMs: 100,
  idleMs: 120_000,
  openMs: 5_000,
};

export interface Watched {
  readonly outcomes: readonly WebhookOutcome[];
  readonly isGap: boolean;
  readonly cursor: Cursor;
}

interface Reading {
  readonly name: string;
  readonly recent: RecentOutcomes;
  readonly reader: ChannelReader;
}

interface Waiter {
  readonly matches: Matches;
  readonly wake: () => void;
}

/** Requests that wait at once; a further one is answered immediately. */
const mostWaiting = 1_000;
/** For differences between clocks, and delays on the bus. */
const slackMs = 2_000;

/** The outcomes of webhook calls, for clients that poll. The bus is read only while there are such clients. */
export class OutcomeWatch {
  private readonly deps: OutcomeWatchDeps;
  private readonly options: OutcomeWatchOptions;
  private readonly waiters = new Set<Waiter>();
  private reading: Promise<Reading> | undefined;
  private idle: NodeJS.Timeout | undefined;
  private isOpen = true;

  constructor(deps: OutcomeWatchDeps) {
    this.deps = deps;
    this.options = { ...defaultOptions, ...deps.options };
  }

  /**
   * Matching outcomes since the cursor; waits a while where there are none. Without a cursor it resolves at once, with the
   * cursor for outcomes from now on. Rejects with `EngineUnavailable`.
   */
  async next(matches: Matches, cursor: Cursor | undefined): Promise<Watched> {
    const { name, recent } = await this.read();
    const isOurs = cursor?.reading === name;
    const { most } = this.options;
    const from = isOurs ? cursor.number : cursor ? recent.numberAt(cursor.time - slackMs) : recent.count;
    let found = recent.from(from, matches, most);
    if (isOurs && found.outcomes.length === 0 && !found.isGap) {
      await this.wait(matches);
      found = recent.from(found.next, matches, most);
    }
    const { outcomes, isGap, next: number } = found;
    return { outcomes, isGap, cursor: { reading: name, number, time: this.deps.clock.now() } };
  }

  readonly close = once(async () => {
    this.isOpen = false;
    for (const { wake } of this.waiters) wake();
    await this.stop();
  });

  private async read(): Promise<Reading> {
    if (!this.isOpen || this.deps.openBus === undefined) throw new EngineUnavailable('message bus');
    clearTimeout(this.idle);
    this.idle = setTimeout(() => void this.stop(), this.options.idleMs).unref();
    const reading = (this.reading ??= this.begin(this.deps.openBus));
    reading.catch(() => this.reading === reading && (this.reading = undefined));
    return inTime(reading, this.options.openMs);
  }

  private async begin(openBus: () => Promise<Pick<MessageBus, 'read'>>): Promise<Reading> {
    const recent = new RecentOutcomes(this.options.kept);
    const bus = await openBus();
    const reader = await bus.read(webhookOutcomes, { interest: 'all' }, (outcome) => {
      recent.add(outcome);
      this.tell(outcome);
    });
    return { name: this.deps.random.uuid().slice(0, 8), recent, reader };
  }

  private tell(outcome: WebhookOutcome): void {
    for (const waiter of this.waiters)
      if (waiter.matches(outcome)) {
        this.waiters.delete(waiter);
        setTimeout(waiter.wake, this.options.gatherMs);
      }
  }

  private wait(matches: Matches): Promise<void> {
    if (!this.isOpen || this.waiters.size >= mostWaiting) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(late);
        this.waiters.delete(waiter);
        resolve();
      };
      const waiter = { matches, wake };
      const late = setTimeout(wake, this.options.waitMs);
      this.waiters.add(waiter);
    });
  }

  private async stop(): Promise<void> {
    clearTimeout(this.idle);
    const reading = this.reading;
    this.reading = undefined;
    const closed = reading?.then(({ reader }) => reader.close());
    // A bus that is being opened may never be.
    if (closed) await inTime(closed, this.options.openMs).catch(() => undefined);
  }
}

const inTime = <T>(opening: Promise<T>, milliseconds: number): Promise<T> =>
  withTimeout(milliseconds, opening, () => {
    throw new EngineUnavailable('message bus');
  });

export type Matches = (outcome: WebhookOutcome) => boolean;

export interface Found {
  /** In the order of their arrival. */
  readonly outcomes: readonly WebhookOutcome[];
  /** The number to continue from. */
  readonly next: number;
  /** Some outcomes since then are no longer kept. */
  readonly isGap: boolean;
}

/** The most recent outcomes, numbered from 0. */
class RecentOutcomes {
  private readonly capacity: number;
  private readonly ring: WebhookOutcome[] = [];
  private counted = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /** How many outcomes have arrived; the number of the next one. */
  get count(): number {
    return this.counted;
  }

  add(outcome: WebhookOutcome): void {
    this.ring[this.counted % this.capacity] = outcome;
    this.counted += 1;
  }

  /** At most `most` matching outcomes, from a number on. */
  from(number: number, matches: Matches, most: number): Found {
    const oldest = this.oldest;
    const outcomes: WebhookOutcome[] = [];
    let next = Math.max(number, oldest);
    for (; next < this.counted && outcomes.length < most; next += 1) {
      const outcome = this.at(next);
      if (matches(outcome)) outcomes.push(outcome);
    }
    return { outcomes, next, isGap: number < oldest };
  }

  /** The number of the first that ended at a time (milliseconds since 1970) or later. */
  numberAt(time: number): number {
    let number = this.oldest;
    while (number < this.counted && this.at(number).at < time) number += 1;
    return number;
  }

  private get oldest(): number {
    return Math.max(0, this.counted - this.capacity);
  }

  private at(number: number): WebhookOutcome {
    return this.ring[number % this.capacity] as WebhookOutcome;
  }
}
