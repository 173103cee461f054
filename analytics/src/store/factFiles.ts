import type { DuckDBType, DuckDBValue } from '@duckdb/node-api';
import type { CountedFile, FactFile } from './coverage.js';
import type { FactFolder } from './factFolder.js';
import {
  placeColumns,
  type Column,
  type ColumnType,
  type Fact,
  type FactStream,
} from '../facts/factStream.js';
import type { DuckDb } from './duckDb.js';

/** A name, or with `'` a text, in SQL. */
export const quoted = (text: string, mark: '"' | "'" = '"'): string =>
  `${mark}${text.replaceAll(mark, mark + mark)}${mark}`;

interface Paths {
  pathOf(file: FactFile): string;
}

const readParquet = (folder: Paths, files: readonly FactFile[]): string =>
  `read_parquet([${files.map((file) => quoted(folder.pathOf(file), "'")).join(', ')}], union_by_name = true)`;

/** All facts of some files that count, in the order of the files. */
export const selectOf = (folder: Paths, files: readonly CountedFile[]): string => {
  const parts: string[] = [];
  const whole = files.filter(({ first, from }) => first === from);
  if (whole.length > 0) parts.push(`SELECT * FROM ${readParquet(folder, whole)}`);
  for (const file of files)
    if (file.from > file.first)
      parts.push(`SELECT * FROM ${readParquet(folder, [file])} WHERE "offset" >= ${file.from}`);
  return parts.join(' UNION ALL BY NAME ');
};

/** Facts of consecutive offsets of one partition, in order. */
export interface Segment extends FactFile {
  /** The offset of each fact. */
  readonly offsets: readonly number[];
  readonly facts: readonly Fact[];
}

const chunkRows = 2_048;

/** Writes and rewrites the Parquet files of a stream. One call at a time. */
export class FactFiles {
  private readonly duckDb: DuckDb;
  private readonly folder: FactFolder;
  private readonly stream: FactStream;
  private readonly columns: readonly Column[];

  constructor(duckDb: DuckDb, folder: FactFolder, stream: FactStream) {
    this.duckDb = duckDb;
    this.folder = folder;
    this.stream = stream;
    this.columns = [...placeColumns, ...stream.columns];
  }

  /** Resolves when the file is on disk. */
  async write(segment: Segment): Promise<void> {
    const { connection } = this.duckDb;
    const columns = this.columns.map(({ name, type }) => `${quoted(name)} ${type}`);
    await connection.run(`CREATE OR REPLACE TEMP TABLE segment (${columns.join(', ')})`);
    try {
      await this.append(segment);
      await this.store('SELECT * FROM segment', segment);
    } finally {
      await connection.run('DROP TABLE segment');
    }
  }

  /** Makes neighbours one file. */
  async merge(files: readonly CountedFile[]): Promise<void> {
    const [first, last] = [files[0], files.at(-1)];
    if (first === undefined || last === undefined) return;
    await this.store(selectOf(this.folder, files), { ...first, last: last.last, revision: 0 });
  }

  /** Writes a file for the same offsets without facts older than a time (milliseconds since 1970). */
  async dropBefore(file: CountedFile, time: number): Promise<void> {
    const select = `SELECT * FROM (${selectOf(this.folder, [file])}) WHERE time >= epoch_ms(${time})`;
    await this.store(select, { ...file, revision: file.revision + 1 });
  }

  private async append({ partition, offsets, facts }: Segment): Promise<void> {
    const { library, connection } = this.duckDb;
    const types = this.columns.map(({ type }) => typeOf(library, type));
    const appender = await connection.createAppender('segment');
    for (let start = 0; start < facts.length; start += chunkRows) {
      const end = Math.min(start + chunkRows, facts.length);
      const chunk = library.DuckDBDataChunk.create(types, end - start);
      chunk.setColumnValues(0, new Array<number>(end - start).fill(partition));
      chunk.setColumnValues(1, offsets.slice(start, end).map(BigInt));
      const rows = facts.slice(start, end);
      for (const [n, { type }] of this.stream.columns.entries())
        chunk.setColumnValues(
          placeColumns.length + n,
          rows.map((fact) => asValue(library, type, fact[n] ?? null)),
        );
      appender.appendDataChunk(chunk);
    }
    appender.closeSync();
  }

  private async store(select: string, { partition, first, last, revision }: FactFile): Promise<void> {
    const temporary = this.folder.temporaryPath();
    const { name, version } = this.stream;
    const options = [
      'FORMAT parquet',
      'COMPRESSION zstd',
      `KV_METADATA {roomwire_stream: '${name}', roomwire_version: '${version}'}`,
    ];
    try {
      await this.duckDb.connection.run(
        `COPY (${select}) TO ${quoted(temporary, "'")} (${options.join(', ')})`,
      );
      await this.folder.publish(temporary, { partition, first, last, revision });
    } finally {
      await this.folder.discard(temporary);
    }
  }
}

const typeOf = (library: DuckDb['library'], type: ColumnType): DuckDBType => library[type];

const asValue = (library: DuckDb['library'], type: ColumnType, value: Fact[number]): DuckDBValue => {
  if (value === null) return null;
  if (type === 'TIMESTAMP') return new library.DuckDBTimestampValue(BigInt(value) * 1_000n);
  return type === 'BIGINT' ? BigInt(value) : value;
};
