import type { Clock } from '@roomwire/shared/ports/clock';
import type { CollectMetrics } from '@roomwire/shared/ports/metrics';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { Outage, type OutageDeps } from '@roomwire/shared/runtime/outage';
import { once } from '@roomwire/shared/runtime/service';
import { TokenBucket } from '@roomwire/shared/runtime/tokenBucket';
import { withTimeout } from '@roomwire/shared/runtime/waiting';
import { standingMs, type ConnectionFact, type FactBatch } from '@roomwire/shared/wire/bus/connectionFacts';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { bytesOfFact } from './factBytes.js';

export interface FactWriterDeps {
  readonly gatewayId: string;
  readonly clock: Clock;
  readonly logger: OutageDeps['logger'];
  readonly limits: Pick<LimitReports, 'reached'>;
  /** Rejects where it is not known whether the batch is stored: then it is written again. */
  readonly write: (batch: FactBatch) => Promise<void>;
  readonly options?: Partial<FactWriterOptions>;
}

interface FactWriterOptions {
  /** Between two looks for facts that wait. */
  readonly everyMs: number;
  /** Without facts, the gateway says after this time that there were none. */
  readonly idleMs: number;
  readonly waitingBytes: number;
  /** After which a connection is told of anew. */
  readonly tellAgainMs: number;
  readonly handOutsPerSecond: number;
}

/** Each is told of anew in time, although many may be due at once. */
const defaults: FactWriterOptions = {
  everyMs: 1_000,
  idleMs: 2_000,
  waitingBytes: limitTable.connectionFactsWaiting.value,
  tellAgainMs: standingMs * 0.9,
  handOutsPerSecond: limitTable.handOutFacts.value,
};

/** Of the facts in a batch, and of those that wait before they are written at once: a write costs as much as hundreds of them. Kafka takes twice as much. */
const batchBytes = 512 * 1024;
/** Connections that are told of anew at once. */
const toldAtOnce = 500;
const closingMs = 2_000;

/** A connection that can be told of. */
export interface Telling {
  readonly id: string;
  /** That it is open, and with what. */
  standing(): readonly ConnectionFact[];
}

interface Told<T> {
  readonly telling: T;
  readonly at: number;
  /** The gaps that there had been. */
  readonly gaps: number;
}

interface Lost {
  readonly from: number;
  readonly upTo: number;
  readonly lost: number;
}

/**
 * Writes the facts of this gateway in batches, each until it is known to be stored. Nobody waits for it. What could not be written is counted
 * and becomes a gap, after which every open connection is told of anew.
 */
export class FactWriter<T extends Telling = Telling> {
  private readonly deps: FactWriterDeps;
  private readonly options: FactWriterOptions;
  private readonly outage: Outage;
  private readonly handOuts: TokenBucket;
  /** Those that were told of longest ago come first. */
  private readonly told = new Map<string, Told<T>>();
  private waiting: ConnectionFact[] = [];
  private waitingBytes = 0;
  private number = 0;
  private upTo: number;
  /** It may have been stored. */
  private pending: FactBatch | undefined;
  private gap: Lost | undefined;
  private handOutGap: Lost | undefined;
  private gaps = 0;
  /** Whether some connections have not been told of since the last gap, or all have been, which is to be said. */
  private account: 'due' | 'told' | undefined;
  private written = 0;
  private lost = 0;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> | undefined;
  private isClosed = false;

  constructor(deps: FactWriterDeps) {
    this.deps = deps;
    this.options = { ...defaults, ...deps.options };
    this.upTo = deps.clock.now();
    const perSecond = this.options.handOutsPerSecond;
    this.handOuts = new TokenBucket({ perSecond, burst: 2 * perSecond });
    this.outage = new Outage({
      logger: deps.logger,
      lost: 'The record of connections cannot be written; retrying',
      back: 'The record of connections is written again',
    });
  }

  /** The record knows of the gateway before it has connections, unless the record is out of reach. */
  async start(): Promise<void> {
    this.upTo = this.deps.clock.now();
    await withTimeout(closingMs, this.writeAll('now'), () => undefined, { unref: true });
    this.timer = setInterval(() => void this.writeAll('when due'), this.options.everyMs).unref();
  }

  readonly close = once(async () => {
    clearInterval(this.timer);
    await withTimeout(closingMs, this.writeLast(), () => undefined, { unref: true });
    this.isClosed = true;
  });

  /** A connection has begun, or ended. */
  enter(telling: T): void {
    this.told.set(telling.id, { telling, at: this.deps.clock.now(), gaps: this.gaps });
  }

  leave(id: string): void {
    this.told.delete(id);
  }

  /** One that has begun, and not ended. */
  open(id: string): T | undefined {
    return this.told.get(id)?.telling;
  }

  add(fact: ConnectionFact): void {
    if (this.isClosed) return;
    const isEnough = this.isEnough();
    this.push(fact);
    if (this.waitingBytes > this.options.waitingBytes) this.dropWaiting();
    else if (!isEnough && this.isEnough()) void this.writeAll('now');
  }

  /** Jobs may be more than all other facts together. */
  addHandOut(fact: ConnectionFact): void {
    if (this.handOuts.take(this.deps.clock.monotonic()) === 0) return this.add(fact);
    const { at } = fact;
    this.handOutGap = { from: this.handOutGap?.from ?? at, upTo: at, lost: (this.handOutGap?.lost ?? 0) + 1 };
    this.lost += 1;
  }

  readonly collect: CollectMetrics = (sink) => {
    sink.value('roomwire_connection_facts_written_total', this.written);
    sink.value('roomwire_connection_facts_lost_total', this.lost);
    sink.value('roomwire_connection_facts_waiting_bytes', this.waitingBytes);
  };

  private push(fact: ConnectionFact): void {
    this.waiting.push(fact);
    this.waitingBytes += bytesOfFact(fact);
  }

  /** For a batch. */
  private isEnough(): boolean {
    return this.waitingBytes >= batchBytes;
  }

  private dropWaiting(): void {
    const lost = this.waiting.length;
    const now = this.deps.clock.now();
    this.gap = { from: this.gap?.from ?? this.upTo, upTo: now, lost: (this.gap?.lost ?? 0) + lost };
    [this.waiting, this.waitingBytes] = [[], 0];
    this.lose(lost);
    this.deps.limits.reached('connectionFactsWaiting', {}, lost);
  }

  /** One batch after the other, as long as there is something to write and it can be written. */
  private writeAll(manner: 'now' | 'when due'): Promise<void> {
    return (this.writing ??= this.writeWaiting(manner).finally(() => (this.writing = undefined)));
  }

  private async writeWaiting(manner: 'now' | 'when due'): Promise<void> {
    let isDue = manner === 'now' || this.isDue();
    while (isDue) {
      this.tellAgain();
      this.pending ??= this.nextBatch();
      if (!(await this.tryWrite(this.pending))) return;
      this.pending = undefined;
      isDue = this.isEnough() || this.isTellingDue();
    }
  }

  private isDue(): boolean {
    if (this.pending !== undefined || this.waiting.length > 0 || this.isTellingDue()) return true;
    return this.deps.clock.now() - this.upTo >= this.options.idleMs;
  }

  private async tryWrite(batch: FactBatch): Promise<boolean> {
    try {
      await this.deps.write(batch);
      this.written += batch.facts.length;
      this.outage.over();
      return true;
    } catch (error) {
      this.outage.failed(error);
      // It would be refused for ever, and everything behind it would wait.
      if (error instanceof RangeError) this.pending = this.withoutFacts(batch);
      return false;
    }
  }

  private withoutFacts({ facts, gap, ...batch }: FactBatch): FactBatch {
    const lost = facts.length;
    this.lose(lost);
    const from = Math.min(batch.from, gap?.from ?? batch.from);
    return { ...batch, facts: [], gap: { from, upTo: batch.upTo, lost: lost + (gap?.lost ?? 0) } };
  }

  /** Every open connection is to be told of anew. */
  private lose(facts: number): void {
    this.lost += facts;
    this.gaps += 1;
    this.account = 'due';
  }

  private isTellingDue(): boolean {
    const [first] = this.told.values();
    return this.account === 'due' || (first !== undefined && this.isDueAgain(first));
  }

  private isDueAgain({ at, gaps }: Told<T>): boolean {
    return gaps < this.gaps || at < this.deps.clock.now() - this.options.tellAgainMs;
  }

  private tellAgain(): void {
    const due: T[] = [];
    for (const told of this.told.values()) {
      if (!this.isDueAgain(told) || due.length === toldAtOnce) break;
      due.push(told.telling);
    }
    for (const telling of due) {
      this.told.delete(telling.id);
      this.enter(telling);
      for (const fact of telling.standing()) this.push(fact);
    }
    if (this.account === 'due' && due.length < toldAtOnce) this.account = 'told';
  }

  private nextBatch(isLast = false): FactBatch {
    const now = this.deps.clock.now();
    const facts = this.takeFacts();
    const [next] = this.waiting;
    const from = Math.max(this.upTo, this.gap?.upTo ?? 0);
    // Something may still happen at the time that it is now.
    this.upTo = Math.max(from, isLast ? now : (next?.at ?? now) - 1);
    const { gap, handOutGap } = this;
    const isAccount = this.account === 'told' && next === undefined;
    [this.gap, this.handOutGap] = [undefined, undefined];
    if (isAccount) this.account = undefined;
    return {
      ...{ gateway: this.deps.gatewayId, number: ++this.number, from, upTo: this.upTo, facts },
      ...(gap && { gap }),
      ...(handOutGap && { handOutGap }),
      ...(isAccount && { isAccount }),
      ...(isLast && { isLast }),
    };
  }

  private takeFacts(): readonly ConnectionFact[] {
    if (this.waitingBytes <= batchBytes) {
      this.waitingBytes = 0;
      return this.waiting.splice(0);
    }
    let [count, bytes] = [0, 0];
    for (const fact of this.waiting) {
      if (bytes >= batchBytes) break;
      bytes += bytesOfFact(fact);
      count += 1;
    }
    this.waitingBytes -= bytes;
    return this.waiting.splice(0, count);
  }

  private async writeLast(): Promise<void> {
    await this.writing;
    if (this.pending !== undefined && !(await this.tryWrite(this.pending))) return;
    this.pending = undefined;
    for (let isLast = false; !isLast;) {
      isLast = this.waitingBytes <= batchBytes;
      if (!(await this.tryWrite(this.nextBatch(isLast)))) return;
    }
  }
}
