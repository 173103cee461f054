import type { RecordedFact } from '../../../ports/connectionRecord.js';
import type { ConnectionFact } from '../../../wire/bus/connectionFacts.js';
import type { FoldedConnection } from '../connectionFold.js';
import type { ConnectionList } from '../findConnections.js';

/** What a part of the record has of one connection. */
export interface ConnectionEntry {
  /** As it was after these facts. */
  readonly connection: FoldedConnection;
  /** In which it is subscribed by these facts. */
  readonly rooms: readonly string[];
  readonly facts: readonly RecordedFact[];
}

/** A fact as it is written: text that is made once, wherever it is moved. */
export interface WrittenFact {
  readonly place: string;
  readonly at: number;
  /** Of a job that was handed out. */
  readonly messageId: string | undefined;
  readonly text: string;
}

export interface WrittenEntry {
  readonly connection: FoldedConnection;
  readonly rooms: Iterable<string>;
  readonly facts: readonly WrittenFact[];
}

export const writtenFact = ({ place, fact }: RecordedFact): WrittenFact => ({
  ...{ place, at: fact.at, text: JSON.stringify(fact) },
  messageId: fact.kind === 'handedOut' ? fact.messageId : undefined,
});

export const recordedFact = ({ place, text }: WrittenFact): RecordedFact => ({
  place,
  fact: JSON.parse(text) as ConnectionFact,
});

export const writtenEntry = ({ connection, rooms, facts }: ConnectionEntry): WrittenEntry => ({
  ...{ connection, rooms },
  facts: facts.map(writtenFact),
});

type EntryText = [FoldedConnection, readonly string[], readonly (readonly [string, ConnectionFact])[]];

export const textOfFacts = (facts: readonly WrittenFact[]): string =>
  `[${facts.map(({ place, text }) => `["${place}",${text}]`).join(',')}]`;

export const factsFrom = (
  facts: readonly (readonly [place: string, fact: ConnectionFact])[],
): readonly RecordedFact[] => facts.map(([place, fact]) => ({ place, fact }));

export const textOfEntry = ({ connection, rooms, facts }: WrittenEntry): string =>
  `[${JSON.stringify(connection)},${JSON.stringify([...rooms])},${textOfFacts(facts)}]`;

export const entriesFrom = (block: string): readonly ConnectionEntry[] =>
  (JSON.parse(block) as readonly EntryText[]).map(([connection, rooms, facts]) => ({
    ...{ connection, rooms },
    facts: factsFrom(facts),
  }));

/** By which a list of connections is found. */
export const isListed = (
  { connection, rooms }: Pick<ConnectionEntry, 'connection'> & { readonly rooms: Iterable<string> },
  organizationId: string,
  list: ConnectionList,
): boolean => {
  if (connection.organizationId !== organizationId) return false;
  switch (list.of) {
    case 'room':
      return [...rooms].includes(list.room);
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
