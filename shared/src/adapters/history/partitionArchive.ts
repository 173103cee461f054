import type { Clock } from '../../ports/clock.js';
import type { HistoryIndex, IndexedPartition, IndexedRecord } from '../../ports/historyIndex.js';
import type { Logger } from '../../ports/logger.js';
import { backOffMs, sleep } from '../../runtime/waiting.js';
import type { EndsOfPartition } from '../message-bus/kafka/kafkaClient.js';

/** Successive records, as far as they are kept. */
export interface Intake {
  readonly first: number;
  readonly records: readonly IndexedRecord[];
  /** The offset behind the last of them, kept or not. */
  readonly next: number;
  readonly bytes: number;
}

export interface PartitionArchiveDeps {
  readonly partition: number;
  readonly index: Pick<HistoryIndex, 'partition' | 'begin' | 'append'>;
  readonly bounds: () => Promise<EndsOfPartition>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger | undefined;
  readonly report: ArchiveReport;
}

export interface ArchiveReport {
  archived(messages: number): void;
  failed(): void;
  /** Kept messages may be missing from the index. */
  epochBegun(): void;
  /** What no longer waits. */
  settled(bytes: number): void;
  /** From where it goes on. */
  begun(partition: number, next: number): void;
}

const betweenTries = { firstMs: 100, longestMs: 5_000 };
const largestAppend = { records: 1_000, bytes: 4 * 1024 * 1024 };

/** Brings the kept messages of one partition into the index, in their order, for as long as this process has the partition. */
export class PartitionArchive {
  private readonly deps: PartitionArchiveDeps;
  private readonly waiting: Intake[] = [];
  /** Up to where everything is looked at and, as far as it is kept, in the index. */
  private at: IndexedPartition | undefined;
  private written: IndexedPartition | undefined;
  private inHand: Intake | undefined;
  private working: Promise<void> | undefined;
  private isSaveDue = false;
  private readonly ending = new AbortController();

  constructor(deps: PartitionArchiveDeps) {
    this.deps = deps;
    this.work();
  }

  /** Behind what it has looked at, as far as is known. */
  get next(): number | undefined {
    return this.at?.next;
  }

  /** The message that has waited longest; undefined where none waits. */
  get oldest(): IndexedRecord | undefined {
    return this.inHand?.records[0] ?? this.waiting.find(({ records }) => records.length > 0)?.records[0];
  }

  take(intake: Intake): void {
    this.waiting.push(intake);
    this.work();
  }

  /** Resolves when nothing more comes of it. */
  async end(): Promise<void> {
    this.ending.abort();
    await this.working;
    this.deps.report.settled(this.waiting.splice(0).reduce((sum, { bytes }) => sum + bytes, 0));
  }

  /** Writes down up to where it has looked. */
  save(): void {
    if (this.at === this.written) return;
    this.isSaveDue = true;
    this.work();
  }

  /** Whether records that it has not seen are gone, or the numbering begins anew, and nobody else would tell. */
  async check(): Promise<boolean> {
    const { at } = this;
    if (at === undefined || this.working) return false;
    const { low, high } = await this.deps.bounds();
    if (this.at !== at || this.working) return false;
    return at.next < low || at.next > high;
  }

  private work(): void {
    this.working ??= this.workOff().finally(() => {
      this.working = undefined;
      if (this.isOwned && (this.waiting.length > 0 || this.isSaveDue)) this.work();
    });
  }

  private async workOff(): Promise<void> {
    if (this.at === undefined) await this.retried(() => this.begin());
    while (this.isOwned && this.at && this.waiting.length > 0) {
      const [{ first }] = this.waiting as [Intake, ...Intake[]];
      await (first > this.at.next ? this.beginAnew(this.at, first) : this.archiveSome(this.at));
    }
    if (!this.isSaveDue) return;
    this.isSaveDue = false;
    await this.retried(() => this.write());
  }

  private get isOwned(): boolean {
    return !this.ending.signal.aborted;
  }

  /** Where the index is; in a new epoch where it is new, or something between it and the partition is missing. */
  private async begin(): Promise<void> {
    const { index, partition, bounds, clock, report } = this.deps;
    const known = await index.partition(partition);
    const { low, high } = await bounds();
    if (known === undefined)
      this.written = await index.begin(partition, undefined, { epoch: clock.now(), next: low });
    else if (known.next < low || known.next > high)
      this.written = await index.begin(partition, known.epoch, this.newEpoch(known, low));
    else this.written = known;
    this.at = this.written;
    report.begun(partition, this.written.next);
  }

  /** Messages between it and the first one that waits are gone. Where another process has noticed that before, its epoch is that of both. */
  private async beginAnew(at: IndexedPartition, first: number): Promise<void> {
    const { index, partition } = this.deps;
    const anew = this.newEpoch(at, first);
    await this.retried(async () => {
      const begun = await index.begin(partition, at.epoch, anew);
      if (this.isOwned) this.at = this.written = begun;
    });
  }

  private async archiveSome(at: IndexedPartition): Promise<void> {
    const taken = this.takeSome(at.next);
    this.inHand = taken;
    const { next, bytes } = taken;
    const records = taken.records.filter(({ offset }) => offset >= at.next);
    const to = { epoch: at.epoch, next: Math.max(next, at.next) };
    if (records.length > 0) {
      await this.retried(async () => {
        await this.deps.index.append(this.deps.partition, records, to);
        this.written = to;
        this.deps.report.archived(records.length);
      });
    }
    if (this.isOwned) this.at = to;
    this.inHand = undefined;
    this.deps.report.settled(bytes);
  }

  /** Those that follow one another, as many as go together. */
  private takeSome(from: number): Intake {
    const [head, ...others] = this.waiting as [Intake, ...Intake[]];
    let taken = head;
    let count = 1;
    for (const intake of others) {
      const isFull =
        taken.records.length + intake.records.length > largestAppend.records ||
        taken.bytes + intake.bytes > largestAppend.bytes;
      if (isFull || intake.first > Math.max(taken.next, from)) break;
      const records = [...taken.records, ...intake.records];
      taken = { first: taken.first, records, next: intake.next, bytes: taken.bytes + intake.bytes };
      count += 1;
    }
    this.waiting.splice(0, count);
    return taken;
  }

  private newEpoch({ epoch }: IndexedPartition, next: number): IndexedPartition {
    const { clock, logger, report, partition } = this.deps;
    logger?.error('Messages are gone before they were archived: the history begins anew', {
      partition,
      next,
    });
    report.epochBegun();
    return { epoch: Math.max(clock.now(), epoch + 1), next };
  }

  private async write(): Promise<void> {
    const { at } = this;
    if (at === undefined) return;
    await this.deps.index.append(this.deps.partition, [], at);
    this.written = at;
  }

  /** Until it succeeds, or another process has the partition. */
  private async retried(action: () => Promise<void>): Promise<void> {
    for (let failures = 1; this.isOwned; failures += 1) {
      try {
        return await action();
      } catch (error) {
        this.deps.report.failed();
        this.deps.logger?.debug('What is kept of messages could not be archived', { error });
        await sleep(backOffMs(betweenTries, failures), this.ending.signal);
      }
    }
  }
}
