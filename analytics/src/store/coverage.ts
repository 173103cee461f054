/** A file of facts, described by its name: the offsets that it covers, some of which may have no fact. */
export interface FactFile {
  readonly partition: number;
  /** Both inclusive. */
  readonly first: number;
  readonly last: number;
  /** How often it was rewritten because some of its facts had become too old. */
  readonly revision: number;
}

const digits = 16;
const pattern = new RegExp(`^(\\d{5,})-(\\d{${digits}})-(\\d{${digits}})(?:\\.(\\d{1,9}))?\\.parquet$`);

const padded = (value: number, length: number): string => String(value).padStart(length, '0');

/** Names sort like the offsets. */
export const nameOf = ({ partition, first, last, revision }: FactFile): string => {
  const places = `${padded(partition, 5)}-${padded(first, digits)}-${padded(last, digits)}`;
  return revision === 0 ? `${places}.parquet` : `${places}.${revision}.parquet`;
};

/** Undefined for anything else that lies in the folder. */
export const factFileOf = (name: string): FactFile | undefined => {
  const [, partition, first, last, revision = '0'] = pattern.exec(name) ?? [];
  if (partition === undefined) return undefined;
  const file = {
    ...{ partition: Number(partition), first: Number(first), last: Number(last), revision: Number(revision) },
  };
  return file.first <= file.last && nameOf(file) === name ? file : undefined;
};

/** A file whose facts count from an offset on; earlier ones are in another file. */
export interface CountedFile extends FactFile {
  readonly from: number;
}

/** What the files of one partition say together. */
export interface Coverage {
  /** In the order of their offsets; each offset counts in one of them. */
  readonly counted: readonly CountedFile[];
  /** Files that hold nothing but what others hold, and the last of these. */
  readonly redundant: readonly { readonly file: FactFile; readonly coveredBy: FactFile }[];
  /** Offsets between the first and the last one that no file covers: records that were deleted before they were read. */
  readonly missing: number;
  /** The offset to read next; undefined without a file. */
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

/** So many neighbours of about one size become one file, eight times as large. */
const fanIn = 8;
/** A file of more offsets is not merged. */
const largest = 1_000_000;

const sizeOf = ({ first, last }: CountedFile): number => last - first + 1;
const tierOf = (file: CountedFile): number => Math.floor(Math.log(sizeOf(file)) / Math.log(fanIn));
const largestTier = Math.floor(Math.log(largest) / Math.log(fanIn));

/**
 * The files of a partition that are to become one, or none: eight of a tier, and what smaller ones stand between them. So each
 * fact is rewritten about once for each tier, and a partition has few files of each, besides the large ones.
 */
export const nextMerge = (files: readonly CountedFile[]): readonly CountedFile[] => {
  for (let tier = 0; tier <= largestTier; tier += 1)
    for (const run of runsOf(files, tier)) {
      const ofTier = run.filter((file) => tierOf(file) === tier);
      if (ofTier.length >= fanIn) return between(run, ofTier[0], ofTier.at(-1));
    }
  return [];
};

const between = (
  run: readonly CountedFile[],
  first: CountedFile | undefined,
  last: CountedFile | undefined,
): readonly CountedFile[] =>
  run.slice(
    run.findIndex((file) => file === first),
    run.findIndex((file) => file === last) + 1,
  );

/** Neighbours without a gap or an overlap between them, none of a higher tier. */
const runsOf = (files: readonly CountedFile[], tier: number): readonly (readonly CountedFile[])[] => {
  const runs: CountedFile[][] = [[]];
  for (const file of files) {
    const run = runs.at(-1) ?? [];
    const fits = sizeOf(file) < largest && tierOf(file) <= tier && file.from === file.first;
    const isNeighbour = run.length === 0 || run.at(-1)?.last === file.first - 1;
    if (fits && isNeighbour) run.push(file);
    else runs.push(fits ? [file] : []);
  }
  return runs;
};
