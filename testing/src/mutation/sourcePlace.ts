import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, join } from 'node:path';

/** Lines and columns are counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Where a place of a built file comes from. Reads the map beside the file; throws where there is none. */
export const sourcePlace = (builtFile: string, { line, column }: Place): { file: string; line: number } => {
  const map = new SourceMap(JSON.parse(readFileSync(`${builtFile}.map`, 'utf8')) as SourceMapPayload);
  const entry = map.findEntry(line - 1, column - 1);
  if (!('originalLine' in entry)) throw new RangeError(`${builtFile}:${line} comes from nowhere`);
  return { file: join(dirname(builtFile), entry.originalSource), line: entry.originalLine + 1 };
};
