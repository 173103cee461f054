import type { Database } from 'lmdb';
import { openDurableEnvironment, type DurableEnvironment } from '../lmdb/durableEnvironment.js';

/** A key's number, then the place of an entry that has it. */
export type IndexKey = [key: number, time: number, position: string];

/** The tables of the index, all in one LMDB file. */
export interface AuditTables {
  readonly environment: DurableEnvironment;
  /** Position to the entry, as JSON. */
  readonly entries: Database<string, string>;
  readonly index: Database<boolean, IndexKey>;
  /** Keys of organizations to the numbers that stand for them: most of them would fill the file many times over. */
  readonly numbers: Database<number, string>;
  readonly state: Database<string | number, string>;
}

export const openAuditTables = (file: string): AuditTables => {
  const environment = openDurableEnvironment(file);
  const { root } = environment;
  return {
    environment,
    entries: root.openDB('entries', { encoding: 'string' }),
    index: root.openDB('index', { encoding: 'ordered-binary' }),
    numbers: root.openDB('numbers', { encoding: 'ordered-binary' }),
    state: root.openDB('state', { encoding: 'ordered-binary' }),
  };
};

export const clearTables = ({ entries, index, numbers, state }: AuditTables): void => {
  for (const table of [entries, index, numbers, state]) table.clearSync();
};
