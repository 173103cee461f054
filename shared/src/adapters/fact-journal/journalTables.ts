import type { Database } from 'lmdb';
import { openDurableEnvironment, type DurableEnvironment } from '../lmdb/durableEnvironment.js';

/** How the tables are laid out; goes up with every change that an older program would misread. */
const dataFormat = 1;
const formatKey = 'dataFormat';

/** When it was appended, milliseconds since 1970, and the fact as MessagePack. */
export type JournalEntry = [at: number, fact: Uint8Array];

export type FactTable = Database<JournalEntry, number>;

export interface JournalTables {
  readonly environment: DurableEnvironment;
  /** By stream, and by place in it. */
  readonly facts: ReadonlyMap<string, FactTable>;
  /** Of each stream the last place that was given to a fact. */
  readonly meta: Database<number, string>;
}

export const factTableOptions = (stream: string) => ({
  name: `facts:${stream}`,
  encoding: 'msgpack' as const,
});

export const openJournalTables = (path: string, streams: readonly string[]): JournalTables => {
  const environment = openDurableEnvironment(path);
  const { root } = environment;
  const meta = root.openDB<number, string>('meta', { encoding: 'ordered-binary' });
  const found = meta.get(formatKey);
  if (found === undefined) meta.putSync(formatKey, dataFormat);
  else requireFormat(path, found);
  const facts = streams.map(
    (stream) => [stream, root.openDB<JournalEntry, number>(factTableOptions(stream))] as const,
  );
  return { environment, facts: new Map(facts), meta };
};

export const requireFormat = (path: string, found: number | undefined): void => {
  if (found !== dataFormat)
    throw new Error(`The journal ${path} has data format ${found}; this program knows format ${dataFormat}`);
};
