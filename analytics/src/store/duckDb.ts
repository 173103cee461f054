import { randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type * as duckDbLibrary from '@duckdb/node-api';

type Library = typeof duckDbLibrary;

/** The library has no build for this platform, or was left out of the installation. */
class DuckDbUnavailable extends Error {
  override readonly name = 'DuckDbUnavailable';

  constructor(cause: unknown) {
    super(
      'DuckDB cannot be loaded here: it is an optional package, with builds for Linux, macOS and Windows',
      {
        cause,
      },
    );
  }
}

/** A database in memory: what is kept stands in files. */
export interface DuckDb {
  readonly library: Library;
  readonly connection: duckDbLibrary.DuckDBConnection;
  /** All rows of an answer, by the names of the columns; whole numbers beyond 32 bits are `bigint`. */
  rows(sql: string): Promise<readonly Row[]>;
  close(): void;
}

export type Row = Readonly<Record<string, unknown>>;

const settings = {
  threads: '2',
  // Nothing is fetched from anywhere: what is needed is built in.
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
};

export interface DuckDbOptions {
  readonly memoryMb: number;
  /** Takes what does not fit into the memory, of each database in a folder of its own: they would write over one another. */
  readonly spillFolder: string;
}

/** No question takes that long. */
const abandonedAfterMs = 86_400_000;

/** What databases have left that ended before they could remove it. */
const removeAbandoned = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder).catch(() => [])) {
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > abandonedAfterMs)
      await rm(join(folder, name), { recursive: true, force: true });
  }
};

/** Loaded only by those who ask for it: it is as large as all the rest. */
export const openDuckDb = async ({ memoryMb, spillFolder }: DuckDbOptions): Promise<DuckDb> => {
  const library = await import('@duckdb/node-api').catch((cause: unknown) => {
    throw new DuckDbUnavailable(cause);
  });
  await removeAbandoned(spillFolder);
  const instance = await library.DuckDBInstance.create(':memory:', {
    ...settings,
    memory_limit: `${memoryMb}MB`,
    temp_directory: join(spillFolder, randomUUID()),
  });
  const connection = await instance.connect();
  return {
    library,
    connection,
    rows: async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJS(),
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
};
