import {
  activityFields,
  type ActivityField,
  type ActivityStore,
  type MinuteAccount,
} from '../ports/activityStore.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import type { Random } from '../ports/random.js';
import { Outage } from '../runtime/outage.js';
import { once } from '../runtime/service.js';
import { limitTable } from '../wire/limits/limitTable.js';

export const minuteMs = 60_000;

export const minuteAt = (ms: number): number => Math.floor(ms / minuteMs);

/** Where parts of a process say what happens. */
export interface ActivitySink {
  add(projectId: string, field: Exclude<ActivityField, 'connections'>, count?: number): void;
  /** Connections by project; asked at the end of each minute. */
  connectionsBy(count: () => Iterable<readonly [projectId: string, connections: number]>): void;
}

/** Where nobody counts. */
export const noActivity: ActivitySink = { add: () => undefined, connectionsBy: () => undefined };

export interface ActivityDeps {
  readonly store: Pick<ActivityStore, 'note' | 'prune'>;
  readonly clock: Clock;
  readonly random: Pick<Random, 'uuid'>;
  readonly logger: Logger;
  readonly lookMs?: number;
}

type Counts = Map<string, number[]>;

/** Of each field in the counts: looked up for every message. */
const places = Object.fromEntries(activityFields.map((field, at) => [field, at])) as Readonly<
  Record<ActivityField, number>
>;

const keptMinutes = limitTable.activityMinutes.value;
/** Accounts that wait for the store. */
const mostWaiting = 30;

/** Counts what happens in this process, and tells it minute by minute. Nobody waits for it, and nothing fails with it. */
export class Activity implements ActivitySink {
  private readonly deps: ActivityDeps;
  private readonly writer: string;
  private readonly from: number;
  private readonly timer: NodeJS.Timeout;
  private readonly outage: Outage;
  private minute: number;
  private counts: Counts = new Map();
  private waiting: MinuteAccount[] = [];
  private missing: number[] = [];
  private connections: () => Iterable<readonly [string, number]> = () => [];
  private working: Promise<void> | undefined;
  private lastPruned = 0;

  constructor(deps: ActivityDeps) {
    this.deps = deps;
    this.writer = deps.random.uuid();
    this.minute = this.from = minuteAt(deps.clock.now());
    this.outage = new Outage({
      logger: deps.logger,
      lost: 'The activity of projects cannot be written; retrying',
      back: 'The activity of projects is written again',
    });
    this.timer = setInterval(() => this.look(), deps.lookMs ?? 1_000).unref();
    // That it counts must be known, should it be killed in its first minute.
    void this.write(false);
  }

  add(projectId: string, field: Exclude<ActivityField, 'connections'>, count = 1): void {
    let counts = this.counts.get(projectId);
    if (counts === undefined) this.counts.set(projectId, (counts = activityFields.map(() => 0)));
    const at = places[field];
    counts[at] = (counts[at] ?? 0) + count;
  }

  connectionsBy(count: () => Iterable<readonly [string, number]>): void {
    this.connections = count;
  }

  /** Tells the rest. */
  readonly close = once(async () => {
    clearInterval(this.timer);
    await this.working;
    this.turn();
    await this.write(true);
  });

  private look(): void {
    const now = minuteAt(this.deps.clock.now());
    if (now > this.minute) this.turn(now);
    if (this.waiting.length > 0) void this.write(false);
  }

  /** Ends the account of the minute. */
  private turn(next = this.minute + 1): void {
    for (const [projectId, connections] of this.connections()) {
      const counts = this.counts.get(projectId) ?? activityFields.map(() => 0);
      counts[places.connections] = connections;
      this.counts.set(projectId, counts);
    }
    this.waiting.push({ minute: this.minute, projects: this.counts });
    this.counts = new Map();
    // The process was stopped meanwhile.
    for (let skipped = this.minute + 1; skipped < next; skipped += 1) this.missing.push(skipped);
    this.minute = next;
    while (this.waiting.length > mostWaiting)
      this.missing.push((this.waiting.shift() as MinuteAccount).minute);
    this.missing = this.missing.filter((minute) => minute > next - keptMinutes);
  }

  /** One at a time. Never rejects. */
  private write(hasEnded: boolean): Promise<void> {
    return (this.working ??= this.writeWaiting(hasEnded).finally(() => (this.working = undefined)));
  }

  private async writeWaiting(hasEnded: boolean): Promise<void> {
    const { store } = this.deps;
    const accounts = [...this.waiting];
    // Each minute until now is in an account, or missing.
    const upTo = this.minute - 1;
    const { writer, from, missing } = this;
    try {
      await store.note(accounts, { writer, from, upTo, missing: [...missing], hasEnded });
      this.waiting = this.waiting.filter(({ minute }) => minute > upTo);
      this.outage.over();
      await this.prune();
    } catch (error) {
      this.outage.failed(error);
    }
  }

  private async prune(): Promise<void> {
    const oldest = this.minute - keptMinutes;
    if (oldest < this.lastPruned + 60) return;
    this.lastPruned = oldest;
    await this.deps.store.prune(oldest);
  }
}
