import type { CountedFile } from './coverage.js';
import type { FactFile } from './factFile.js';

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
