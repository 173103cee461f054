import type { RecordedFact, TimelineQuery } from '../../../ports/connectionRecord.js';
import { placeAt, placeBehind, placeOfConnection } from '../../../wire/connectionPlaces.js';
import type { FoldedConnection } from '../connectionFold.js';
import type { ConnectionList, ListedConnection } from '../findConnections.js';
import type { OpenConnection } from './openConnections.js';
import type { RecordFile } from './recordFile.js';
import type { GrowingSegment, Segment } from './segment.js';
import { termOf, termOfList, type Term, type TermTable } from './terms.js';
import { entriesOf, isListed, type ConnectionEntry } from './writtenBatch.js';

/** What there is at a moment. */
export interface RecordView {
  /** The oldest first. */
  readonly segments: readonly Segment[];
  /** The last one, to which batches are still added. */
  readonly growing: GrowingSegment;
}

/** Segments that a look-up keeps in mind, each of some hundred connections. */
const mostKept = 8;

/** A segment is there no more: the look-up begins again with what there is now. */
export class Outdated extends Error {
  override readonly name = 'Outdated';
}

/** Look-ups in what there was when they began. */
export class LookUps {
  private readonly file: Pick<RecordFile, 'termsOf' | 'batchesOf'>;
  /** The oldest first. */
  private readonly segments: readonly Segment[];
  private readonly growing: { readonly id: number; readonly terms: TermTable };
  private readonly pause: () => Promise<void>;
  private readonly read = new Map<number, readonly ConnectionEntry[]>();

  /** `pause` is called again and again, and lets others have their turns. */
  constructor(
    file: Pick<RecordFile, 'termsOf' | 'batchesOf'>,
    { segments, growing }: RecordView,
    pause: () => Promise<void>,
  ) {
    this.file = file;
    this.segments = [...segments, growing.segment];
    this.growing = { id: growing.id, terms: growing.terms() };
    this.pause = pause;
  }

  /** The newest first. */
  async listed(
    organizationId: string,
    list: ConnectionList,
    { before, limit }: { readonly before: string; readonly limit: number },
  ): Promise<readonly ListedConnection[]> {
    const term = termOfList(organizationId, list);
    let listed: readonly ListedConnection[] = [];
    const add = (entries: Iterable<ConnectionEntry>): void => {
      const byId = new Map(listed.map((each) => [each.connectionId, each]));
      for (const entry of entries) {
        const { connectionId } = entry.connection;
        const place = placeOfConnection(entry.connection);
        if (place < before && isListed(entry, organizationId, list))
          byId.set(connectionId, { place, connectionId });
      }
      listed = [...byId.values()]
        .toSorted((one, other) => (one.place < other.place ? 1 : -1))
        .slice(0, limit);
    };
    const isOver = ({ lastConnected }: Segment): boolean =>
      listed.length === limit && (listed.at(-1) as ListedConnection).place > placeBehind(lastConnected);
    const asked = this.segments.filter(({ firstConnected }) => placeAt(firstConnected) < before);
    for (const segment of asked.toSorted((one, other) => other.lastConnected - one.lastConnected)) {
      if (isOver(segment)) break;
      if (await this.hasAny(segment, [term])) add(await this.entriesIn(segment));
    }
    return listed;
  }

  /** As they were by their last facts. Those that are `known` to somebody else are not looked up. */
  async load(
    connectionIds: readonly string[],
    known: (connectionId: string) => FoldedConnection | undefined,
  ): Promise<readonly FoldedConnection[]> {
    const found: FoldedConnection[] = [];
    const missing = new Map<string, Term>();
    for (const id of new Set(connectionIds)) {
      const connection = known(id);
      if (connection === undefined) missing.set(id, termOf('connection', id));
      else found.push(connection);
    }
    for (const segment of this.segments.toReversed()) {
      if (missing.size === 0) break;
      if (await this.hasAny(segment, missing.values()))
        for (const { connection } of await this.entriesIn(segment))
          if (missing.delete(connection.connectionId)) found.push(connection);
    }
    return found;
  }

  /** Those of them that were subscribed in a room, as far as that is on record. */
  async inRoom(connectionIds: readonly string[], room: string): Promise<readonly string[]> {
    const [asked, found] = [new Set(connectionIds), new Set<string>()];
    const ids = connectionIds.map((id) => termOf('connection', id));
    for (const segment of this.segments) {
      if (!(await this.hasAny(segment, [termOf('room', room)]))) continue;
      if (!(await this.hasAny(segment, ids))) continue;
      for (const { connection, rooms } of await this.entriesIn(segment))
        if (asked.has(connection.connectionId) && rooms.has(room)) found.add(connection.connectionId);
    }
    return [...found];
  }

  async timeline({ connectionId, limit, after = '' }: TimelineQuery): Promise<readonly RecordedFact[]> {
    const found: RecordedFact[] = [];
    for await (const { connection, facts } of this.entriesWith(termOf('connection', connectionId))) {
      if (connection.connectionId !== connectionId) continue;
      for (const fact of facts) if (fact.place > after && found.length < limit) found.push(fact);
      if (found.length === limit) break;
    }
    return found;
  }

  /** The oldest first. */
  async handOuts(projectId: string, messageId: string, most: number): Promise<readonly RecordedFact[]> {
    const found: RecordedFact[] = [];
    for await (const { connection, facts } of this.entriesWith(termOf('job', messageId)))
      if (connection.projectId === projectId)
        found.push(...facts.filter(({ fact }) => fact.kind === 'handedOut' && fact.messageId === messageId));
    return found.toSorted((one, other) => one.fact.at - other.fact.at).slice(0, most);
  }

  /** The connections of a gateway that have not closed, with the time of their last fact. */
  async openOf(gateway: string): Promise<readonly OpenConnection[]> {
    const latest = new Map<string, OpenConnection>();
    for await (const { connection, facts } of this.entriesWith(termOf('gateway', gateway)))
      if (connection.gateway === gateway)
        latest.set(connection.connectionId, { connection, at: facts.at(-1)?.fact.at ?? 0 });
    return [...latest.values()].filter(({ connection }) => connection.closed === null);
  }

  /** Those in segments that have a term, the newest last. */
  private async *entriesWith(term: Term): AsyncGenerator<ConnectionEntry> {
    for (const segment of this.segments)
      if (await this.hasAny(segment, [term])) yield* await this.entriesIn(segment);
  }

  private async hasAny(segment: Segment, terms: Iterable<Term>): Promise<boolean> {
    await this.pause();
    const table = segment.id === this.growing.id ? this.growing.terms : this.file.termsOf(segment);
    if (table === undefined) throw new Outdated();
    for (const term of terms) if (table.has(term)) return true;
    return false;
  }

  private async entriesIn(segment: Segment): Promise<readonly ConnectionEntry[]> {
    const kept = this.read.get(segment.id);
    if (kept !== undefined) return kept;
    await this.pause();
    const batches = this.file.batchesOf(segment);
    if (batches === undefined) throw new Outdated();
    const entries = entriesOf(batches);
    this.read.set(segment.id, entries);
    const [oldest] = this.read.keys();
    if (this.read.size > mostKept && oldest !== undefined) this.read.delete(oldest);
    return entries;
  }
}
