import type { FactFile } from './factFile.js';

/** A file whose facts count from a place on: what is before it stands in another one. */
export interface CountedFile extends FactFile {
  readonly from: number;
}

/** What the files of one partition say together. */
export interface Coverage {
  /** In the order of their places; each place counts in one of them. */
  readonly counted: readonly CountedFile[];
  /** Files that hold nothing but what others hold, and the last of these. */
  readonly redundant: readonly { readonly file: FactFile; readonly coveredBy: FactFile }[];
  /** Places between the first and the last one that no file has: records that were gone before they were read. */
  readonly missing: number;
  /** Where reading goes on; undefined without a file. */
  readonly next: number | undefined;
}

/**
 * Which part of which file counts. Whatever wrote them, and however often it was killed, replaced or run beside another one:
 * the facts of a place are the same in every file that covers it, so that each place is to be counted in one file alone.
 */
export const coverageOf = (files: readonly FactFile[]): Coverage => {
  const counted: CountedFile[] = [];
  const redundant: { file: FactFile; coveredBy: FactFile }[] = [];
  let missing = 0;
  let next: number | undefined;
  for (const file of [...files].sort(byPlace)) {
    const coveredBy = counted.at(-1);
    if (coveredBy && next !== undefined && file.last < next) {
      redundant.push({ file, coveredBy });
      continue;
    }
    const from = Math.max(file.first, next ?? file.first);
    if (next !== undefined) missing += from - next;
    counted.push({ ...file, from });
    next = file.last + 1;
  }
  return { counted, redundant, missing, next };
};

/** Of those that begin together the longest first, and of those the newest, which makes the others redundant. */
const byPlace = (a: FactFile, b: FactFile): number =>
  a.first - b.first || b.last - a.last || b.revision - a.revision;

export const byPartition = (files: readonly FactFile[]): ReadonlyMap<number, readonly FactFile[]> => {
  const partitions = new Map<number, FactFile[]>();
  for (const file of files) {
    const known = partitions.get(file.partition);
    if (known) known.push(file);
    else partitions.set(file.partition, [file]);
  }
  return partitions;
};
