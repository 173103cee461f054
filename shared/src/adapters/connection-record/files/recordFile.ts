import type { Buffer } from 'node:buffer';
import type { Database } from 'lmdb';
import { openDurableEnvironment, type DurableEnvironment } from '../../lmdb/durableEnvironment.js';
import { FollowProgress } from '../../lmdb/followProgress.js';
import type { EndingGateway } from './endings.js';
import type { Segment } from './segment.js';
import { TermTable } from './terms.js';
import { batchFrom, type WrittenBatch } from './writtenBatch.js';

/** The record of connections in an LMDB file. Everything that writes must run within a transaction of the environment. */
export class RecordFile {
  readonly environment: DurableEnvironment;
  readonly progress: FollowProgress;
  private readonly segments: Database<Segment, number>;
  private readonly batches: Database<string, [segment: number, index: number]>;
  private readonly terms: Database<Buffer, number>;
  private readonly gateways: Database<EndingGateway, string>;
  private readonly counts: Database<number, 'forgotten' | 'next' | 'growing'>;

  constructor(path: string) {
    this.environment = openDurableEnvironment(path);
    const { root } = this.environment;
    this.segments = root.openDB('segments', { encoding: 'json' });
    this.batches = root.openDB('batches', { encoding: 'string' });
    this.terms = root.openDB('terms', { encoding: 'binary' });
    this.gateways = root.openDB('gateways', { encoding: 'json' });
    this.counts = root.openDB('counts', { encoding: 'ordered-binary' });
    this.progress = new FollowProgress(root.openDB('state', { encoding: 'string' }));
  }

  allSegments(): readonly Segment[] {
    return [...this.segments.getRange()].map(({ value }) => value).toSorted((a, b) => a.order - b.order);
  }

  putSegment(segment: Segment, terms: TermTable): void {
    this.segments.putSync(segment.id, segment);
    this.terms.putSync(segment.id, terms.bytes);
  }

  removeSegment({ id, batches }: Segment): void {
    this.segments.removeSync(id);
    this.terms.removeSync(id);
    for (let index = 0; index < batches; index += 1) this.batches.removeSync([id, index]);
  }

  /** Undefined for a segment that is there no more, or has been written anew. */
  termsOf({ id }: Pick<Segment, 'id'>): TermTable | undefined {
    const bytes = this.terms.get(id);
    return bytes && TermTable.from(bytes);
  }

  putBatch(segmentId: number, index: number, text: string): void {
    this.batches.putSync([segmentId, index], text);
  }

  /** Undefined for a segment that is there no more, or has been written anew. */
  batchesOf({ id, batches }: Pick<Segment, 'id' | 'batches'>): readonly WrittenBatch[] | undefined {
    const read: WrittenBatch[] = [];
    for (let index = 0; index < batches; index += 1) {
      const text = this.batches.get([id, index]);
      if (text === undefined) return undefined;
      read.push(batchFrom(text));
    }
    return read;
  }

  /** The texts of the segment to which batches were being added. */
  growing(): { readonly id: number; readonly texts: readonly string[] } | undefined {
    const id = this.counts.get('growing');
    if (id === undefined || this.segments.get(id) !== undefined) return undefined;
    const range = this.batches.getRange({ start: [id, 0], end: [id + 1, 0] });
    return { id, texts: [...range].map(({ value }) => value) };
  }

  growIn(segmentId: number): void {
    this.counts.putSync('growing', segmentId);
  }

  allGateways(): readonly EndingGateway[] {
    return [...this.gateways.getRange()].map(({ value }) => value);
  }

  putGateway(gateway: EndingGateway): void {
    this.gateways.putSync(gateway.gateway, gateway);
  }

  removeGateway(gateway: string): void {
    this.gateways.removeSync(gateway);
  }

  /** The time of the latest fact that was removed for its age; undefined while there is none. */
  get forgottenUpTo(): number | undefined {
    return this.counts.get('forgotten');
  }

  forgetUpTo(at: number): void {
    this.counts.putSync('forgotten', Math.max(at, this.forgottenUpTo ?? 0));
  }

  get nextOffset(): number | undefined {
    return this.counts.get('next');
  }

  set nextOffset(next: number | undefined) {
    if (next !== undefined) this.counts.putSync('next', next);
  }
}
