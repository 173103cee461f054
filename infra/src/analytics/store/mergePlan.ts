import type { CountedFile } from './coverage.js';

/** So many neighbours of about one size become one file, eight times as large. */
const fanIn = 8;
/** A file of more places stays as it is. */
const largest = 1_000_000;

const sizeOf = ({ first, last }: CountedFile): number => last - first + 1;
const tierOf = (file: CountedFile): number => Math.floor(Math.log(sizeOf(file)) / Math.log(fanIn));
const largestTier = Math.floor(Math.log(largest) / Math.log(fanIn));

/**
 * The files of a partition that are to become one, or none: eight of a tier, and what smaller ones stand between them. So each
 * fact is written anew about once for each tier, and a partition has few files of each, besides the large ones.
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
