import { existsSync } from 'node:fs';
import { decode } from '@msgpack/msgpack';
import { open, type RootDatabase } from 'lmdb';
import { factTableOptions, requireFormat, type FactTable, type JournalEntry } from './journalTables.js';

export interface JournalFact {
  readonly place: number;
  readonly fact: readonly unknown[];
}

/** Reads a journal of facts beside the process that writes it. */
export interface FactJournalReader {
  /** In order, from a place on: those that are there and have not expired, at most `limit`. */
  read(stream: string, from: number, limit: number): readonly JournalFact[];
  close(): Promise<void>;
}

/** Undefined where there is none. */
export const openFactJournalReader = (path: string): FactJournalReader | undefined => {
  if (!existsSync(path)) return undefined;
  const root: RootDatabase = open({ path, readOnly: true });
  const meta = root.openDB<number, string>('meta', { encoding: 'ordered-binary' });
  requireFormat(path, meta.get('dataFormat'));
  const tables = new Map<string, FactTable>();
  const tableOf = (stream: string): FactTable => {
    const table = tables.get(stream) ?? root.openDB<JournalEntry, number>(factTableOptions(stream));
    tables.set(stream, table);
    return table;
  };
  return {
    read: (stream, from, limit) => [
      ...tableOf(stream)
        .getRange({ start: from, limit })
        .map(({ key, value: [, fact] }) => ({ place: key, fact: decode(fact) as readonly unknown[] })),
    ],
    close: () => root.close(),
  };
};
