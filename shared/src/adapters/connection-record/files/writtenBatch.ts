import type { RecordedFact } from '../../../ports/connectionRecord.js';
import type { ConnectionFact, FactBatch } from '../../../wire/bus/connectionFacts.js';
import { foldFact, isBeginning, placedFacts, roomsOf, type FoldedConnection } from '../connectionFold.js';
import type { ConnectionList } from '../findConnections.js';
import { factsOf, rowsOf, type FactRows } from './factRows.js';

/** What a gateway wrote at once, as it lies in a segment. */
export interface WrittenBatch {
  readonly gateway: string;
  readonly number: number;
  /** The connections of these facts that had begun and are in no batch of the segment before, as they were. */
  readonly known: readonly FoldedConnection[];
  /** Null for those of connections of which nothing is known, and for what is forgotten: the place of a fact is that in the list. */
  readonly facts: readonly (ConnectionFact | null)[];
}

type BatchText = Omit<WrittenBatch, 'facts'> & { readonly facts: FactRows };

export const textOf = ({ gateway, number, known, facts }: WrittenBatch): string => {
  const text: BatchText = { gateway, number, known, facts: rowsOf(facts) };
  return JSON.stringify(text);
};

export const batchFrom = (text: string): WrittenBatch => {
  const { facts, ...batch } = JSON.parse(text) as BatchText;
  return { ...batch, facts: factsOf(facts) };
};

/** The facts of a batch, null for those of connections that are neither known nor begin in it. */
export const tellableFacts = (
  { facts }: Pick<FactBatch, 'facts'>,
  isKnown: (connectionId: string) => boolean,
): WrittenBatch['facts'] => {
  const begun = new Set<string>();
  return facts.map((fact) => {
    if (isBeginning(fact)) begun.add(fact.connection);
    else if (!begun.has(fact.connection) && !isKnown(fact.connection)) return null;
    return fact;
  });
};

/** What a segment has of one connection. */
export interface ConnectionEntry {
  /** As it was after these facts. */
  readonly connection: FoldedConnection;
  /** In which it is subscribed by these facts. */
  readonly rooms: ReadonlySet<string>;
  readonly facts: readonly RecordedFact[];
}

interface GrowingEntry extends ConnectionEntry {
  connection: FoldedConnection;
  readonly rooms: Set<string>;
  readonly facts: RecordedFact[];
}

/** What a batch has, with the connection as it was before each fact. */
interface FoldedFact {
  readonly recorded: RecordedFact;
  readonly before: FoldedConnection | undefined;
  readonly after: FoldedConnection;
}

/** The facts of a segment in their order. `states` are those of the batches before, and go on with this one. */
function* foldedFacts(
  { gateway, number, known, facts }: WrittenBatch,
  states: Map<string, FoldedConnection>,
): Generator<FoldedFact> {
  for (const connection of known) states.set(connection.connectionId, connection);
  for (const recorded of placedFacts({ number, facts })) {
    const before = states.get(recorded.fact.connection);
    const after = foldFact(before, recorded, gateway);
    if (after === undefined) continue;
    states.set(recorded.fact.connection, after);
    yield { recorded, before, after };
  }
}

/** Facts of a segment by connection, in the order of their first ones. */
export const entriesOf = (batches: readonly WrittenBatch[]): readonly ConnectionEntry[] => {
  const states = new Map<string, FoldedConnection>();
  const entries = new Map<string, GrowingEntry>();
  for (const batch of batches)
    for (const { recorded, after } of foldedFacts(batch, states)) {
      const entry = entries.get(after.connectionId) ?? { connection: after, rooms: new Set(), facts: [] };
      entry.connection = after;
      entry.facts.push(recorded);
      for (const room of roomsOf(recorded)) entry.rooms.add(room);
      entries.set(after.connectionId, entry);
    }
  return [...entries.values()];
};

/** What is left of the batches of a segment. A connection whose beginning goes is known as it was before the first fact that stays. */
export const batchesWith = (
  batches: readonly WrittenBatch[],
  isKept: (fact: ConnectionFact, connection: FoldedConnection) => boolean,
): readonly WrittenBatch[] => {
  const states = new Map<string, FoldedConnection>();
  const told = new Set<string>();
  return batches.flatMap((batch) => {
    const known: FoldedConnection[] = [];
    const kept = new Set<ConnectionFact>();
    for (const { recorded, before, after } of foldedFacts(batch, states)) {
      if (!isKept(recorded.fact, after)) continue;
      if (before !== undefined && !told.has(after.connectionId)) known.push(before);
      told.add(after.connectionId);
      kept.add(recorded.fact);
    }
    const facts = batch.facts.map((fact) => (fact !== null && kept.has(fact) ? fact : null));
    return kept.size === 0 ? [] : [{ ...batch, known, facts }];
  });
};

/** By which a list of connections is found. */
export const isListed = (
  { connection, rooms }: ConnectionEntry,
  organizationId: string,
  list: ConnectionList,
): boolean => {
  if (connection.organizationId !== organizationId) return false;
  switch (list.of) {
    case 'room':
      return rooms.has(list.room);
    case 'actor':
      return connection.actorTokenId === list.actorTokenId;
    case 'project':
      return connection.projectId === list.projectId;
    case 'open':
      return connection.closed === null;
    case 'all':
      return true;
  }
};
