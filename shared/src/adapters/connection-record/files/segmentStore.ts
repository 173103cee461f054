import type { EngineUse } from '../../../ports/errors.js';
import { workSlices } from '../../../runtime/workSlices.js';
import { StoreTransactions } from '../../lmdb/storeTransactions.js';
import type { FoldedConnection } from '../connectionFold.js';
import { LookUps, Outdated } from './lookUps.js';
import type { RecordFile } from './recordFile.js';
import { GrowingSegment, type Segment } from './segment.js';
import { termOf } from './terms.js';
import { batchesWith, batchFrom, textOf, type WrittenBatch } from './writtenBatch.js';

/** Of a segment: a look-up that finds something in one reads all of it. */
const segmentBytes = 256 * 1024;
/** Of small records they are a small part. */
const partOfRecord = 16;

const use: EngineUse = 'connection record';

/**
 * Batches in segments, each batch written once and never moved: a segment that has become large enough gets what it is looked up by, and the next one
 * begins. Segments are not changed, but written anew. What writes must run in turn.
 */
export class SegmentStore {
  readonly file: RecordFile;
  readonly transactions: StoreTransactions;
  private readonly maxBytes: number;
  private readonly segmentBytes: number;
  private segments: readonly Segment[];
  private growing: GrowingSegment;
  private nextId: number;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(file: RecordFile, maxBytes: number) {
    this.file = file;
    this.maxBytes = maxBytes;
    this.segmentBytes = Math.min(segmentBytes, maxBytes / partOfRecord);
    this.transactions = new StoreTransactions(file.environment, use);
    this.segments = file.allSegments();
    const ids = this.segments.map(({ id }) => id);
    this.nextId = 1 + Math.max(file.growing()?.id ?? 0, ...ids);
    this.growing = this.readGrowing();
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
        return await look(new LookUps(this.file, { segments: this.segments, growing: this.growing }, pause));
      } catch (error) {
        if (!(error instanceof Outdated)) throw error;
        await slices.next();
      }
  }

  /** Writes a batch, and what is put `along` with it in one transaction. `open`: its connections that are open, as they are before it. */
  async append(
    { gateway, number, facts }: Omit<WrittenBatch, 'known'>,
    open: (connectionId: string) => FoldedConnection | undefined,
    along: () => void,
  ): Promise<void> {
    const { growing } = this;
    const known = new Map<string, FoldedConnection>();
    for (const fact of facts) {
      if (fact === null || growing.has(fact.connection)) continue;
      const connection = open(fact.connection);
      if (connection !== undefined) known.set(fact.connection, connection);
    }
    const batch: WrittenBatch = { gateway, number, known: [...known.values()], facts };
    const text = textOf(batch);
    const { id, batches } = growing.segment;
    growing.add(batch, text.length);
    const { segment } = growing;
    const isFull = segment.bytes >= this.segmentBytes;
    try {
      await this.transactions.run(() => {
        if (batches === 0) this.file.growIn(id);
        this.file.putBatch(id, batches, text);
        if (isFull) this.file.putSegment(segment, growing.terms());
        along();
      });
    } catch (error) {
      this.growing = this.readGrowing();
      throw error;
    }
    if (isFull) this.beginAfter(segment);
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
    let forgotten = 0;
    if (this.growing.segment.from < before) await this.inTurn(() => this.seal());
    for (const segment of this.segments)
      if (segment.from < before) forgotten += await this.inTurn(() => this.forgetIn(segment, before));
    return forgotten;
  }

  async removeOf(projectIds: ReadonlySet<string>): Promise<void> {
    const terms = [...projectIds].map((id) => termOf('project', id));
    await this.inTurn(async () => {
      const growing = this.growing.terms();
      if (terms.some((term) => growing.has(term))) await this.seal();
    });
    for (const segment of this.segments)
      await this.inTurn(async () => {
        const table = this.segments.includes(segment) ? this.file.termsOf(segment) : undefined;
        if (!terms.some((term) => table?.has(term))) return;
        await this.rewrite(
          segment,
          batchesWith(this.batchesOf(segment), (_, { projectId }) => !projectIds.has(projectId)),
        );
      });
  }

  close(): Promise<void> {
    return this.transactions.close(() => this.turn);
  }

  private get bytes(): number {
    return this.segments.reduce((sum, { bytes }) => sum + bytes, this.growing.segment.bytes);
  }

  private takeId(): number {
    this.nextId += 1;
    return this.nextId - 1;
  }

  private readGrowing(): GrowingSegment {
    const { id, texts } = this.file.growing() ?? { id: this.takeId(), texts: [] };
    const growing = new GrowingSegment({ id, order: id });
    for (const text of texts) growing.add(batchFrom(text), text.length);
    return growing;
  }

  /** From now on nothing is added to the segment, and the next one begins. */
  private async seal(): Promise<void> {
    const { segment } = this.growing;
    if (segment.batches === 0) return;
    await this.transactions.run(() => this.file.putSegment(segment, this.growing.terms()));
    this.beginAfter(segment);
  }

  private beginAfter(segment: Segment): void {
    this.segments = [...this.segments, segment];
    const id = this.takeId();
    this.growing = new GrowingSegment({ id, order: id });
  }

  private async forgetIn(segment: Segment, before: number): Promise<number> {
    if (!this.segments.includes(segment)) return 0;
    if (segment.to < before) {
      await this.rewrite(segment, [], segment.to);
      return segment.facts;
    }
    let [forgotten, upTo] = [0, 0];
    const kept = batchesWith(this.batchesOf(segment), ({ at }) => {
      if (at >= before) return true;
      [forgotten, upTo] = [forgotten + 1, Math.max(upTo, at)];
      return false;
    });
    if (forgotten > 0) await this.rewrite(segment, kept, upTo);
    return forgotten;
  }

  private batchesOf(segment: Segment): readonly WrittenBatch[] {
    return this.file.batchesOf(segment) ?? [];
  }

  private async rewrite(
    segment: Segment,
    batches: readonly WrittenBatch[],
    forgottenUpTo?: number,
  ): Promise<void> {
    const written = new GrowingSegment({ id: this.takeId(), order: segment.order });
    const texts = batches.map((batch) => {
      const text = textOf(batch);
      written.add(batch, text.length);
      return text;
    });
    await this.transactions.run(() => {
      this.file.removeSegment(segment);
      texts.forEach((text, index) => this.file.putBatch(written.id, index, text));
      if (texts.length > 0) this.file.putSegment(written.segment, written.terms());
      if (forgottenUpTo !== undefined) this.file.forgetUpTo(forgottenUpTo);
    });
    this.segments = this.segments.flatMap((each) => {
      if (each !== segment) return [each];
      return texts.length === 0 ? [] : [written.segment];
    });
  }
}
