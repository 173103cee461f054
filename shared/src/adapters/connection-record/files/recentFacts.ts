import type { RecordedFact } from '../../../ports/connectionRecord.js';
import { foldFact, roomsOf, type FoldedConnection } from '../connectionFold.js';
import { recordedFact, textOfFacts, writtenFact, type WrittenEntry, type WrittenFact } from './entries.js';

/** What an entry takes beside its facts, about. */
const entryCharacters = 400;

interface RecentEntry extends WrittenEntry {
  connection: FoldedConnection;
  rooms: Set<string> | readonly string[];
  readonly facts: WrittenFact[];
}

/** Facts in the journal that are in no segment yet, by connection. */
export class RecentFacts {
  private entries: ReadonlyMap<string, RecentEntry> = new Map();
  private characters = 0;

  /** In which each fact is once. */
  get all(): ReadonlyMap<string, WrittenEntry> {
    return this.entries;
  }

  get bytes(): number {
    return this.characters;
  }

  /** The connections of facts that are to be added and that were not among these. */
  unknownOf(facts: readonly RecordedFact[]): readonly string[] {
    const ids = new Set<string>();
    for (const { fact } of facts) if (!this.entries.has(fact.connection)) ids.add(fact.connection);
    return [...ids];
  }

  /**
   * Adds facts that are in the journal, and returns the connections as they are after them. Facts of connections that are not known are passed
   * over. `known`: those of before.
   */
  add(
    gateway: string,
    facts: readonly { readonly recorded: RecordedFact; readonly written: WrittenFact }[],
    known: ReadonlyMap<string, FoldedConnection>,
  ): ReadonlyMap<string, FoldedConnection> {
    const entries = this.entries as Map<string, RecentEntry>;
    const changed = new Map<string, FoldedConnection>();
    for (const { recorded, written } of facts) {
      const { connection: id } = recorded.fact;
      const entry = entries.get(id);
      const former = entry?.connection ?? known.get(id);
      const isFolded = former !== undefined && former.last >= recorded.place;
      const connection = isFolded ? former : foldFact(former, recorded, gateway);
      if (connection === undefined || (entry?.facts.at(-1)?.place ?? '') >= recorded.place) continue;
      changed.set(id, connection);
      const grown = entry ?? { connection, rooms: [], facts: [] };
      grown.connection = connection;
      grown.facts.push(written);
      const rooms = roomsOf(recorded);
      if (rooms.length > 0) grown.rooms = new Set([...grown.rooms, ...rooms]);
      if (entry === undefined) entries.set(id, grown);
      this.characters += written.text.length + (entry === undefined ? entryCharacters : 0);
    }
    return changed;
  }

  /** Leaves what is kept of each. */
  replace(entries: readonly WrittenEntry[]): void {
    this.entries = new Map(
      entries.map(({ connection, rooms, facts }) => [
        connection.connectionId,
        { connection, rooms: new Set(rooms), facts: [...facts] },
      ]),
    );
    this.characters = entries.reduce(
      (sum, { facts }) => facts.reduce((all, { text }) => all + text.length, sum + entryCharacters),
      0,
    );
  }
}

/** A record of the journal. */
export const journalText = (
  gateway: string,
  known: readonly FoldedConnection[],
  facts: readonly WrittenFact[],
): string =>
  `{"gateway":${JSON.stringify(gateway)},"known":${JSON.stringify(known)},"facts":${textOfFacts(facts)}}`;

/** Those of entries, a record for each gateway. */
export const journalTextsOf = (entries: readonly WrittenEntry[]): readonly string[] => {
  const gateways = new Set(entries.map(({ connection }) => connection.gateway));
  return [...gateways].map((gateway) => {
    const ofGateway = entries.filter(({ connection }) => connection.gateway === gateway);
    return journalText(
      gateway,
      ofGateway.map(({ connection }) => connection),
      ofGateway.flatMap(({ facts }) => facts),
    );
  });
};

export const bothForms = (recorded: RecordedFact) => ({ recorded, written: writtenFact(recorded) });

/** An entry with the facts that are kept of it; undefined where none is. */
export const entryWith = (
  entry: WrittenEntry,
  isKept: (fact: WrittenFact) => boolean,
): WrittenEntry | undefined => {
  const facts = entry.facts.filter(isKept);
  if (facts.length === 0) return undefined;
  if (facts.length === entry.facts.length) return entry;
  const rooms = new Set(facts.flatMap((fact) => roomsOf(recordedFact(fact))));
  return { connection: entry.connection, rooms, facts };
};
