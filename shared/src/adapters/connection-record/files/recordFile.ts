import type { Buffer } from 'node:buffer';
import type { Database } from 'lmdb';
import type { ConnectionFact } from '../../../wire/bus/connectionFacts.js';
import { openDurableEnvironment, type DurableEnvironment } from '../../lmdb/durableEnvironment.js';
import { FollowProgress } from '../../lmdb/followProgress.js';
import type { FoldedConnection } from '../connectionFold.js';
import type { EndingGateway } from './endings.js';
import { entriesFrom, type ConnectionEntry } from './entries.js';
import type { Segment, WrittenSegment } from './segment.js';
import { TermTable } from './terms.js';

/** What was written and is in no segment yet. */
export interface JournalRecord {
  readonly gateway: string;
  /** The connections of these facts that had begun, as they were before. */
  readonly known: readonly FoldedConnection[];
  readonly facts: readonly (readonly [place: string, fact: ConnectionFact])[];
}

/** The record of connections in an LMDB file. Everything that writes must run within a transaction of the environment. */
export class RecordFile {
  readonly environment: DurableEnvironment;
  readonly progress: FollowProgress;
  private readonly segments: Database<Segment, number>;
  private readonly blocks: Database<string, [segment: number, block: number]>;
  private readonly terms: Database<Buffer, number>;
  private readonly journal: Database<string, number>;
  private readonly gateways: Database<EndingGateway, string>;
  private readonly counts: Database<number, 'forgotten' | 'next'>;

  constructor(path: string) {
    this.environment = openDurableEnvironment(path);
    const { root } = this.environment;
    this.segments = root.openDB('segments', { encoding: 'json' });
    this.blocks = root.openDB('blocks', { encoding: 'string' });
    this.terms = root.openDB('terms', { encoding: 'binary' });
    this.journal = root.openDB('journal', { encoding: 'string' });
    this.gateways = root.openDB('gateways', { encoding: 'json' });
    this.counts = root.openDB('counts', { encoding: 'ordered-binary' });
    this.progress = new FollowProgress(root.openDB('state', { encoding: 'string' }));
  }

  allSegments(): readonly Segment[] {
    return [...this.segments.getRange()].map(({ value }) => value).toSorted((a, b) => a.order - b.order);
  }

  putSegment({ segment, blocks, terms }: WrittenSegment): void {
    const { id } = segment;
    this.segments.putSync(id, segment);
    this.terms.putSync(id, terms);
    blocks.forEach((block, index) => this.blocks.putSync([id, index], block));
  }

  removeSegment({ id, blocks }: Segment): void {
    this.segments.removeSync(id);
    this.terms.removeSync(id);
    blocks.forEach((_, index) => this.blocks.removeSync([id, index]));
  }

  /** Undefined for a segment that is there no more, or has been written anew. */
  termsOf({ id }: Segment): TermTable | undefined {
    const bytes = this.terms.get(id);
    return bytes && new TermTable(bytes);
  }

  block({ id }: Segment, index: number): readonly ConnectionEntry[] | undefined {
    const text = this.blocks.get([id, index]);
    return text === undefined ? undefined : entriesFrom(text);
  }

  allJournal(): readonly { readonly key: number; readonly value: JournalRecord }[] {
    return [...this.journal.getRange()].map(({ key, value }) => ({
      key,
      value: JSON.parse(value) as JournalRecord,
    }));
  }

  putJournal(key: number, text: string): void {
    this.journal.putSync(key, text);
  }

  clearJournal(): void {
    for (const key of [...this.journal.getKeys()]) this.journal.removeSync(key);
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
