import { byPartition, coverageOf, type CountedFile, nameOf } from './coverage.js';
import type { DuckDb } from './duckDb.js';
import { type FactFiles, quoted } from './factFiles.js';
import type { FactFolder } from './factFolder.js';

const dayMs = 86_400_000;

/** The times of a file's facts, milliseconds since 1970. */
export interface TimeSpan {
  readonly oldest: number;
  readonly newest: number;
}

export type Fate = 'keep' | 'rewrite' | 'remove';

/**
 * A file goes when all of it is older than the cutoff and it is not the last of its partition, which tells where reading goes on.
 * A file with facts that are a day older is rewritten without them: once a day, not for every minute that passes.
 */
export const fateOf = (
  span: TimeSpan | undefined,
  cutoff: number,
  isFirst: boolean,
  isLast: boolean,
): Fate => {
  if (span === undefined) return isFirst && !isLast ? 'remove' : 'keep';
  if (span.newest < cutoff && isFirst && !isLast) return 'remove';
  return span.oldest < cutoff - dayMs ? 'rewrite' : 'keep';
};

interface Stores {
  readonly duckDb: DuckDb;
  readonly folder: FactFolder;
  readonly files: FactFiles;
}

/** Takes out what is older than a time. Files are removed from the beginning of a partition on, so that no gap arises. */
export const dropOldFacts = async ({ duckDb, folder, files }: Stores, cutoff: number): Promise<void> => {
  for (const ofPartition of byPartition(await folder.files()).values()) {
    const { counted } = coverageOf(ofPartition);
    const spans = await timeSpans(duckDb, folder, counted);
    let isFirst = true;
    for (const [n, file] of counted.entries()) {
      const fate = fateOf(spans.get(nameOf(file)), cutoff, isFirst, n === counted.length - 1);
      if (fate === 'remove') await folder.remove(file);
      else isFirst = false;
      if (fate === 'rewrite') await files.dropBefore(file, cutoff);
    }
  }
};

/** By name, of files with facts; from what the files say of themselves, without reading them. */
const timeSpans = async (
  duckDb: DuckDb,
  folder: FactFolder,
  files: readonly CountedFile[],
): Promise<ReadonlyMap<string, TimeSpan>> => {
  const paths = files.map((file) => quoted(folder.pathOf(file), "'"));
  const rows = await duckDb.rows(
    `SELECT file_name, epoch_ms(min(stats_min_value::TIMESTAMP))::DOUBLE oldest, epoch_ms(max(stats_max_value::TIMESTAMP))::DOUBLE newest
     FROM parquet_metadata([${paths.join(', ')}]) WHERE path_in_schema = 'time' AND stats_min_value IS NOT NULL GROUP BY file_name`,
  );
  return new Map(
    rows.map(({ file_name, oldest, newest }) => [
      String(file_name).slice(folder.path.length + 1),
      { oldest: Number(oldest), newest: Number(newest) },
    ]),
  );
};
