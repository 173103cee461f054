import type { EngineUse } from '../../../ports/errors.js';
import { workSlices } from '../../../runtime/workSlices.js';
import { StoreTransactions } from '../../lmdb/storeTransactions.js';
import { factsFrom, writtenEntry, type WrittenEntry } from './entries.js';
import { LookUps, Outdated } from './lookUps.js';
import type { RecordFile } from './recordFile.js';
import { bothForms, entryWith, journalTextsOf, RecentFacts } from './recentFacts.js';
import { writeSegment, type Segment } from './segment.js';
import { termOf } from './terms.js';

/** Facts that are in no segment yet, at most: they are in memory, too. */
const recentBytes = 512 * 1024;
/** Of small records they are a small part. */
const partOfRecord = 16;

const use: EngineUse = 'connection record';

/**
 * Facts in a journal, and in segments once they are enough for one: a connection that is short has its few facts side by side, written in one piece with
 * those of hundreds of others. Segments are not changed, but written anew. What writes must run in turn.
 */
export class SegmentStore {
  readonly file: RecordFile;
  readonly recent = new RecentFacts();
  readonly transactions: StoreTransactions;
  private readonly maxBytes: number;
  private readonly recentBytes: number;
  private segments: readonly Segment[];
  private nextId: number;
  private nextRecord: number;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(file: RecordFile, maxBytes: number) {
    this.file = file;
    this.maxBytes = maxBytes;
    this.recentBytes = Math.min(recentBytes, maxBytes / partOfRecord);
    this.transactions = new StoreTransactions(file.environment, use);
    this.segments = file.allSegments();
    this.nextId = 1 + Math.max(0, ...this.segments.map(({ id }) => id));
    const journal = file.allJournal();
    this.nextRecord = 1 + (journal.at(-1)?.key ?? 0);
    for (const { value } of journal) {
      const { gateway, known, facts } = value;
      const byId = new Map(known.map((connection) => [connection.connectionId, connection]));
      this.recent.add(gateway, factsFrom(facts).map(bothForms), byId);
    }
  }

  /** Runs what writes, one after the other. */
  inTurn<T>(write: () => Promise<T>): Promise<T> {
    this.transactions.assertOpen();
    const done = this.turn.then(write);
    this.turn = done.catch(() => undefined);
    return done;
  }

  /** Reads what there is, while others have their turns. */
  async read<T>(look: (lookUps: LookUps) => Promise<T>): Promise<T> {
    const slices = workSlices();
    const pause = async (): Promise<void> => {
      if (slices.isOver()) await slices.next();
      this.transactions.assertOpen();
    };
    for (;;)
      try {
        await pause();
        return await look(
          new LookUps(this.file, { segments: this.segments, recent: this.recent.all }, pause),
        );
      } catch (error) {
        if (!(error instanceof Outdated)) throw error;
        await slices.next();
      }
  }

  /** Within a transaction. */
  putRecord(text: string): void {
    this.file.putJournal(this.nextRecord, text);
    this.nextRecord += 1;
  }

  /** Makes a segment of recent facts, once they are enough. */
  async seal(): Promise<void> {
    if (this.recent.bytes < this.recentBytes) return;
    const id = this.nextId;
    const written = writeSegment([...this.recent.all.values()], { id, order: id });
    await this.transactions.run(() => {
      this.file.putSegment(written);
      this.file.clearJournal();
    });
    this.nextId += 1;
    this.segments = [...this.segments, written.segment];
    this.recent.replace([]);
  }

  /** Where there is too much, the oldest segments go; resolves with the number of facts in them. */
  async evict(): Promise<number> {
    let evicted = 0;
    while (this.bytes > this.maxBytes) {
      const [oldest] = this.segments;
      if (oldest === undefined) break;
      await this.rewrite(oldest, [], oldest.to);
      evicted += oldest.facts;
    }
    return evicted;
  }

  /** Removes facts of before a time; resolves with their number. */
  async forget(before: number): Promise<number> {
    let forgotten = await this.inTurn(() => this.forgetRecent(before));
    for (const segment of this.segments)
      if (segment.from < before) forgotten += await this.inTurn(() => this.forgetIn(segment, before));
    return forgotten;
  }

  async removeOf(projectIds: ReadonlySet<string>): Promise<void> {
    await this.inTurn(async () => {
      const entries = [...this.recent.all.values()];
      const kept = entries.filter(isOfOthers(projectIds));
      if (kept.length < entries.length) await this.replaceRecent(kept);
    });
    for (const segment of this.segments) await this.inTurn(() => this.removeIn(segment, projectIds));
  }

  close(): Promise<void> {
    return this.transactions.close(() => this.turn);
  }

  private get bytes(): number {
    return this.segments.reduce((sum, { bytes }) => sum + bytes, this.recent.bytes);
  }

  private async forgetRecent(before: number): Promise<number> {
    const { old, kept } = divided([...this.recent.all.values()], before);
    if (old.length === 0) return 0;
    await this.replaceRecent(kept, Math.max(...old));
    return old.length;
  }

  private async replaceRecent(entries: readonly WrittenEntry[], forgottenUpTo?: number): Promise<void> {
    await this.transactions.run(() => {
      this.file.clearJournal();
      for (const text of journalTextsOf(entries)) this.putRecord(text);
      if (forgottenUpTo !== undefined) this.file.forgetUpTo(forgottenUpTo);
    });
    this.recent.replace(entries);
  }

  private async forgetIn(segment: Segment, before: number): Promise<number> {
    if (!this.segments.includes(segment)) return 0;
    if (segment.to < before) {
      await this.rewrite(segment, [], segment.to);
      return segment.facts;
    }
    const { old, kept } = divided(this.entriesOf(segment), before);
    if (old.length > 0) await this.rewrite(segment, kept, Math.max(...old));
    return old.length;
  }

  private async removeIn(segment: Segment, projectIds: ReadonlySet<string>): Promise<void> {
    if (!this.segments.includes(segment)) return;
    const terms = this.file.termsOf(segment);
    if (![...projectIds].some((id) => terms?.blocksOf(termOf('project', id)).length)) return;
    const entries = this.entriesOf(segment);
    const kept = entries.filter(isOfOthers(projectIds));
    if (kept.length < entries.length) await this.rewrite(segment, kept);
  }

  private entriesOf(segment: Segment): readonly WrittenEntry[] {
    const blocks = segment.blocks.map((_, index) => this.file.block(segment, index) ?? []);
    return blocks.flat().map(writtenEntry);
  }

  private async rewrite(
    segment: Segment,
    entries: readonly WrittenEntry[],
    forgottenUpTo?: number,
  ): Promise<void> {
    const { order } = segment;
    const written = entries.length === 0 ? undefined : writeSegment(entries, { id: this.nextId, order });
    await this.transactions.run(() => {
      this.file.removeSegment(segment);
      if (written !== undefined) this.file.putSegment(written);
      if (forgottenUpTo !== undefined) this.file.forgetUpTo(forgottenUpTo);
    });
    this.nextId += 1;
    this.segments = this.segments.flatMap((each) => {
      if (each !== segment) return [each];
      return written === undefined ? [] : [written.segment];
    });
  }
}

/** The times of facts of before, and what is kept of entries without these. */
const divided = (entries: readonly WrittenEntry[], before: number) => ({
  old: entries.flatMap(({ facts }) => facts.filter(({ at }) => at < before).map(({ at }) => at)),
  kept: entries.flatMap((entry) => entryWith(entry, ({ at }) => at >= before) ?? []),
});

const isOfOthers =
  (projectIds: ReadonlySet<string>) =>
  ({ connection }: WrittenEntry): boolean =>
    !projectIds.has(connection.projectId);
