/** Where a message of a replay is. */
export interface Mark {
  /** Which of several runs of messages it belongs to. */
  readonly run: number;
  readonly offset: number;
  readonly recordedAt: number;
  readonly id: string;
}

export const newestOf = (marks: readonly Mark[], limit: number): readonly Mark[] =>
  limit > 0 ? marks.slice(-limit) : [];

/** All runs as one in the order of time; within a run the order stays as it is. */
export const merged = (runs: readonly (readonly Mark[])[]): readonly Mark[] => {
  const filled = runs.filter(({ length }) => length > 0);
  if (filled.length < 2) return filled[0] ?? [];
  const next = filled.map(() => 0);
  const all: Mark[] = [];
  const total = filled.reduce((sum, { length }) => sum + length, 0);
  while (all.length < total) {
    const run = earliest(filled, next);
    all.push(filled[run]?.[next[run] as number] as Mark);
    next[run] = (next[run] as number) + 1;
  }
  return all;
};

const earliest = (runs: readonly (readonly Mark[])[], next: readonly number[]): number => {
  let found = -1;
  for (const [run, marks] of runs.entries()) {
    const mark = marks[next[run] as number];
    const best = runs[found]?.[next[found] as number];
    if (mark !== undefined && (best === undefined || isEarlier(mark, best))) found = run;
  }
  return found;
};

/** Ids of one gateway sort in the order in which they were made. */
const isEarlier = (one: Mark, other: Mark): boolean =>
  one.recordedAt === other.recordedAt ? one.id < other.id : one.recordedAt < other.recordedAt;
