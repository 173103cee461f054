import type { RecordedFact, TimelineQuery } from '../../../ports/connectionRecord.js';
import { placeOfConnection, type FoldedConnection } from '../connectionFold.js';
import type { ConnectionList, ListedConnection } from '../findConnections.js';
import { isListed, recordedFact, type ConnectionEntry, type WrittenEntry } from './entries.js';
import type { OpenConnection } from './openConnections.js';
import type { RecordFile } from './recordFile.js';
import type { Segment } from './segment.js';
import { termOf, termOfList, type Term, type TermTable } from './terms.js';

/** What there is at a moment. */
export interface RecordView {
  /** The oldest first. */
  readonly segments: readonly Segment[];
  /** What is in none of them yet. */
  readonly recent: ReadonlyMap<string, WrittenEntry>;
}

/** A segment is there no more: the look-up begins again with what there is now. */
export class Outdated extends Error {
  override readonly name = 'Outdated';
}

/** Look-ups in what there was when they began. */
export class LookUps {
  private readonly file: Pick<RecordFile, 'termsOf' | 'block'>;
  private readonly view: RecordView;
  private readonly pause: () => Promise<void>;

  /** `pause` is called again and again, and lets others have their turns. */
  constructor(file: Pick<RecordFile, 'termsOf' | 'block'>, view: RecordView, pause: () => Promise<void>) {
    this.file = file;
    this.view = view;
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
    const add = (entries: Iterable<WrittenEntry | ConnectionEntry>): void => {
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
    const isOver = (last: string): boolean =>
      listed.length === limit && (listed.at(-1) as ListedConnection).place > last;
    add(this.view.recent.values());
    for (const segment of this.view.segments.filter((each) => firstOf(each) < before).toSorted(byLast)) {
      if (isOver(lastOf(segment))) break;
      for (const index of (await this.termsOf(segment)).blocksOf(term).toReversed()) {
        const [first, last] = segment.blocks[index] ?? ['', ''];
        if (first < before && !isOver(last)) add(await this.block(segment, index));
      }
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
      const connection = this.view.recent.get(id)?.connection ?? known(id);
      if (connection === undefined) missing.set(id, termOf('connection', id));
      else found.push(connection);
    }
    for (const segment of this.view.segments.toReversed()) {
      if (missing.size === 0) break;
      const terms = await this.termsOf(segment);
      const blocks = new Set([...missing.values()].flatMap((term) => terms.blocksOf(term)));
      for (const index of blocks)
        for (const { connection } of await this.block(segment, index))
          if (missing.delete(connection.connectionId)) found.push(connection);
    }
    return found;
  }

  /** Those of them that were subscribed in a room, as far as that is on record. */
  async inRoom(connectionIds: readonly string[], room: string): Promise<readonly string[]> {
    const [asked, found] = [new Set(connectionIds), new Set<string>()];
    const add = ({ connection, rooms }: WrittenEntry | ConnectionEntry): void => {
      if (asked.has(connection.connectionId) && [...rooms].includes(room)) found.add(connection.connectionId);
    };
    for (const id of asked) {
      const recent = this.view.recent.get(id);
      if (recent !== undefined) add(recent);
    }
    const ids = connectionIds.map((id) => termOf('connection', id));
    for (const segment of this.view.segments) {
      const terms = await this.termsOf(segment);
      const ofRoom = new Set(terms.blocksOf(termOf('room', room)));
      if (ofRoom.size === 0) continue;
      for (const index of new Set(ids.flatMap((term) => terms.blocksOf(term))))
        if (ofRoom.has(index)) (await this.block(segment, index)).forEach(add);
    }
    return [...found];
  }

  async timeline({ connectionId, limit, after = '' }: TimelineQuery): Promise<readonly RecordedFact[]> {
    const found: RecordedFact[] = [];
    const term = termOf('connection', connectionId);
    const add = (facts: readonly RecordedFact[]): void => {
      for (const fact of facts) if (fact.place > after && found.length < limit) found.push(fact);
    };
    for (const segment of this.view.segments) {
      if (found.length === limit) return found;
      if (segment.lastPlace <= after) continue;
      for (const index of (await this.termsOf(segment)).blocksOf(term))
        for (const { connection, facts } of await this.block(segment, index))
          if (connection.connectionId === connectionId) add(facts);
    }
    add((this.view.recent.get(connectionId)?.facts ?? []).map(recordedFact));
    return found;
  }

  /** The oldest first. */
  async handOuts(projectId: string, messageId: string, most: number): Promise<readonly RecordedFact[]> {
    const found: RecordedFact[] = [];
    for (const { connection, facts } of this.view.recent.values())
      if (connection.projectId === projectId)
        found.push(...facts.filter((fact) => fact.messageId === messageId).map(recordedFact));
    for await (const { connection, facts } of this.entriesOf(termOf('job', messageId)))
      if (connection.projectId === projectId)
        found.push(...facts.filter(({ fact }) => fact.kind === 'handedOut' && fact.messageId === messageId));
    return found.toSorted((one, other) => one.fact.at - other.fact.at).slice(0, most);
  }

  /** The connections of a gateway that have not closed, with the time of their last fact. */
  async openOf(gateway: string): Promise<readonly OpenConnection[]> {
    const latest = new Map<string, OpenConnection>();
    const add = (connection: FoldedConnection, at: number): void => {
      if (connection.gateway === gateway) latest.set(connection.connectionId, { connection, at });
    };
    for await (const { connection, facts } of this.entriesOf(termOf('gateway', gateway)))
      add(connection, facts.at(-1)?.fact.at ?? 0);
    for (const { connection, facts } of this.view.recent.values()) add(connection, facts.at(-1)?.at ?? 0);
    return [...latest.values()].filter(({ connection }) => connection.closed === null);
  }

  /** Those in blocks that have a term, the newest last. */
  private async *entriesOf(term: Term): AsyncGenerator<ConnectionEntry> {
    for (const segment of this.view.segments)
      for (const index of (await this.termsOf(segment)).blocksOf(term))
        yield* await this.block(segment, index);
  }

  private async termsOf(segment: Segment): Promise<TermTable> {
    await this.pause();
    const terms = this.file.termsOf(segment);
    if (terms === undefined) throw new Outdated();
    return terms;
  }

  private async block(segment: Segment, index: number): Promise<readonly ConnectionEntry[]> {
    await this.pause();
    const entries = this.file.block(segment, index);
    if (entries === undefined) throw new Outdated();
    return entries;
  }
}

const firstOf = ({ blocks }: Segment): string => blocks[0]?.[0] ?? '';
const lastOf = ({ blocks }: Segment): string => blocks.at(-1)?.[1] ?? '';
const byLast = (one: Segment, other: Segment): number => (lastOf(one) < lastOf(other) ? 1 : -1);
