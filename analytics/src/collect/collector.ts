import type { Logger } from '@roomwire/shared/ports/logger';
import type { Fact } from '../facts/factStream.js';
import type { Segment } from '../store/factFiles.js';
import { sleep } from '@roomwire/shared/runtime/waiting';

/** The facts of a partition from offset `first` to before `next`; some offsets have no fact. */
export interface Taken {
  readonly partition: number;
  readonly first: number;
  readonly next: number;
  readonly offsets: readonly number[];
  readonly facts: readonly Fact[];
}

/** Where facts come from, so that it can be held up. */
export interface FactSource {
  pause(): void;
  resume(): void;
  /** By partition, the offset before which everything is on disk. */
  written(offsets: ReadonlyMap<number, number>): void;
}

export interface CollectorLimits {
  /** Facts, and what they take in memory, that are gathered before they are written. Twice of it stops the source. */
  readonly facts: number;
  readonly bytes: number;
  /** How long a fact waits to be written. */
  readonly waitMs: number;
}

export const defaultLimits: CollectorLimits = { facts: 100_000, bytes: 32 * 1024 * 1024, waitMs: 60_000 };

interface CollectorDeps {
  /** Resolves when it is on disk. */
  readonly write: (segment: Segment) => Promise<void>;
  /** After writing, with the partitions that have a new file. */
  readonly wrote?: (partitions: ReadonlySet<number>) => Promise<void>;
  readonly source: FactSource;
  readonly limits: CollectorLimits;
  readonly logger: Logger;
}

interface Gathered {
  readonly partition: number;
  readonly first: number;
  next: number;
  readonly offsets: number[];
  readonly facts: Fact[];
  bytes: number;
  isLost: boolean;
}

/** How the writing goes. */
export interface CollectorState {
  /** Facts, since the start. */
  readonly written: number;
  /** Facts in memory. */
  readonly waiting: number;
  readonly failures: number;
  /** Whether the last write failed. */
  readonly isFailing: boolean;
}

const pauseAfterFailureMs = 1_000;
const bytesOfFact = 200;

/** Gathers facts by partition in bounded memory and writes them as files, a while after they came or when there are many. */
export class Collector {
  private readonly deps: CollectorDeps;
  private readonly gathering = new Map<number, Gathered[]>();
  private writing: Gathered[] = [];
  private facts = 0;
  private bytes = 0;
  private isPaused = false;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private hasGivenUp = false;
  private written = 0;
  private failures = 0;
  private isFailing = false;
  private readonly closing = new AbortController();

  constructor(deps: CollectorDeps) {
    this.deps = deps;
  }

  get state(): CollectorState {
    return {
      ...{ written: this.written, waiting: this.facts },
      ...{ failures: this.failures, isFailing: this.isFailing },
    };
  }

  add({ partition, first, next, offsets, facts }: Taken): void {
    const gathered = this.gatheredFor(partition, first);
    const bytes = sizeOf(facts);
    gathered.next = next;
    gathered.bytes += bytes;
    for (const offset of offsets) gathered.offsets.push(offset);
    for (const fact of facts) gathered.facts.push(fact);
    this.facts += facts.length;
    this.bytes += bytes;
    if (this.isBeyond(2)) this.hold();
    this.beginOrWait();
  }

  /** Another process now reads the facts that are not written yet. */
  lose(partition: number): void {
    for (const gathered of this.gathering.get(partition) ?? []) this.forget(gathered);
    for (const gathered of this.writing) if (gathered.partition === partition) gathered.isLost = true;
    this.gathering.delete(partition);
    this.releaseIfRoom();
  }

  /** Resolves when all that has come is on disk. */
  async flush(): Promise<void> {
    do {
      this.begin();
      await this.running;
    } while (this.facts > 0 && !this.closing.signal.aborted);
  }

  /** Writes the collected facts once, without retries. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.running;
    this.begin();
    await this.running;
  }

  private gatheredFor(partition: number, first: number): Gathered {
    const segments = this.gathering.get(partition) ?? [];
    this.gathering.set(partition, segments);
    const last = segments.at(-1);
    if (last?.next === first) return last;
    const gathered = { partition, first, next: first, offsets: [], facts: [], bytes: 0, isLost: false };
    segments.push(gathered);
    return gathered;
  }

  private beginOrWait(): void {
    if (this.closing.signal.aborted) return;
    if (this.isBeyond(1)) this.begin();
    else if (this.facts > 0) this.timer ??= setTimeout(() => this.begin(), this.deps.limits.waitMs);
  }

  private begin(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.hasGivenUp) return;
    this.running ??= this.writeAll().finally(() => {
      this.running = undefined;
      this.releaseIfRoom();
      this.beginOrWait();
    });
  }

  private async writeAll(): Promise<void> {
    this.writing = this.takeWhatHasFacts();
    const partitions = new Set<number>();
    for (const gathered of this.writing) {
      const isWritten = await this.writeUntilDone(gathered);
      this.forget(gathered);
      if (isWritten) partitions.add(gathered.partition);
      else if (!gathered.isLost) {
        // What stands behind it must not be written: reading would go on behind that, and the gap stay for good.
        this.hasGivenUp = true;
        break;
      }
      this.releaseIfRoom();
    }
    this.writing = [];
    this.deps.source.written(this.safePlaces(partitions));
    if (partitions.size > 0)
      await this.deps.wrote?.(partitions).catch((error: unknown) => this.failed(error));
  }

  /** What was read past without a fact stays: the next file of the partition covers it. */
  private takeWhatHasFacts(): Gathered[] {
    const taken: Gathered[] = [];
    for (const [partition, segments] of this.gathering) {
      const full = segments.filter(({ facts }) => facts.length > 0);
      const last = segments.at(-1);
      taken.push(...full);
      if (last === undefined) continue;
      const follows = last.facts.length === 0 ? last : this.emptyAt(partition, last.next);
      this.gathering.set(partition, [follows]);
    }
    return taken;
  }

  private emptyAt(partition: number, first: number): Gathered {
    return { partition, first, next: first, offsets: [], facts: [], bytes: 0, isLost: false };
  }

  /** Retries while the disk is full. What is lost meanwhile, or left when this ends, the next owner reads again. */
  private async writeUntilDone(gathered: Gathered): Promise<boolean> {
    const { partition, first, next, offsets, facts } = gathered;
    while (!gathered.isLost) {
      try {
        await this.deps.write({ partition, first, last: next - 1, revision: 0, offsets, facts });
        this.written += facts.length;
        this.isFailing = false;
        return true;
      } catch (error) {
        this.failed(error);
        if (this.closing.signal.aborted) return false;
        await sleep(pauseAfterFailureMs, this.closing.signal);
      }
    }
    return false;
  }

  private safePlaces(partitions: ReadonlySet<number>): ReadonlyMap<number, number> {
    const offsets = new Map<number, number>();
    for (const partition of partitions) {
      const [segment] = this.gathering.get(partition) ?? [];
      if (segment) offsets.set(partition, segment.first);
    }
    return offsets;
  }

  private forget(gathered: Gathered): void {
    this.facts -= gathered.facts.length;
    this.bytes -= gathered.bytes;
  }

  private isBeyond(times: number): boolean {
    const { facts, bytes } = this.deps.limits;
    return this.facts >= times * facts || this.bytes >= times * bytes;
  }

  private hold(): void {
    if (this.isPaused) return;
    this.isPaused = true;
    this.deps.source.pause();
  }

  private releaseIfRoom(): void {
    if (!this.isPaused || this.isBeyond(1)) return;
    this.isPaused = false;
    this.deps.source.resume();
  }

  private failed(error: unknown): void {
    this.failures += 1;
    this.isFailing = true;
    this.deps.logger.error('Facts cannot be written', { error });
  }
}

/** About, in memory. */
const sizeOf = (facts: readonly Fact[]): number =>
  facts.reduce((sum, fact) => sum + bytesOfFact + textOf(fact.at(-1)), 0);

const textOf = (value: Fact[number] | undefined): number => (typeof value === 'string' ? value.length : 0);
