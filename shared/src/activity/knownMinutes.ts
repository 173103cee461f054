import {
  activityFields,
  type ActivityCounts,
  type ActivityFound,
  type ActivityRange,
  type ActivityWriter,
} from '../ports/activityStore.js';

/** A writer that has told nothing for longer, and not that it ends, was killed: it has counted nothing since. */
const doubtMinutes = 2;

/**
 * The counts of each minute of a range, null where not all of them are known: nobody counted, or somebody who did has not told, and
 * may never.
 */
export const knownMinutes = (
  { from, to }: Pick<ActivityRange, 'from' | 'to'>,
  { writers, accounts }: ActivityFound,
): readonly (ActivityCounts | null)[] => {
  const sums = Array.from({ length: to - from }, () => activityFields.map(() => 0));
  for (const { minute, counts } of accounts)
    sums[minute - from]?.forEach((sum, at, all) => (all[at] = sum + (counts[at] ?? 0)));
  return sums.map((counts, at) => (isKnown(from + at, writers) ? counts : null));
};

const isKnown = (minute: number, writers: readonly ActivityWriter[]): boolean =>
  writers.some((writer) => hasTold(writer, minute)) && !writers.some((writer) => owes(writer, minute));

const hasTold = ({ from, upTo, missing }: ActivityWriter, minute: number): boolean =>
  from <= minute && minute <= upTo && !missing.includes(minute);

const owes = ({ from, upTo, missing, hasEnded }: ActivityWriter, minute: number): boolean =>
  minute <= upTo ? from <= minute && missing.includes(minute) : !hasEnded && minute <= upTo + doubtMinutes;
