/** Work of a slice: short beside what a message takes through several turns of the event loop, long beside the cost of a turn. */
const sliceMs = 2;

/** Long work of the whole process, first come, first served. */
const waiting: (() => void)[] = [];

const resumeNext = (): void => {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resumeNext);
};

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(resumeNext);
  });

/**
 * Paces work that may be long, such as a read of a hundred thousand records: `if (slices.isOver()) await slices.next();`
 * between its steps. In each turn of the event loop one slice is resumed, however much work waits, so that sockets and timers
 * are never held up for longer than a slice and its last step.
 */
export interface WorkSlices {
  /** Whether the slice has lasted long enough. */
  isOver(): boolean;
  /** Resolves in a turn that the event loop has for this work. */
  next(): Promise<void>;
}

export const workSlices = (): WorkSlices => {
  let ends = performance.now() + sliceMs;
  return {
    isOver: () => performance.now() >= ends,
    async next() {
      await nextTurn();
      ends = performance.now() + sliceMs;
    },
  };
};

/** What `map` makes of each of the items, in slices; what follows long work has a turn of its own. */
export const mappedInSlices = async <T, R>(items: Iterable<T>, map: (item: T) => R): Promise<R[]> => {
  const mapped: R[] = [];
  const slices = workSlices();
  await forEachInSlices(items, slices, (item) => void mapped.push(map(item)));
  if (slices.isOver()) await slices.next();
  return mapped;
};

/** Calls `step` for each of the items, in slices. */
export const forEachInSlices = async <T>(
  items: Iterable<T>,
  slices: WorkSlices,
  step: (item: T) => void,
): Promise<void> => {
  for (const item of items) {
    if (slices.isOver()) await slices.next();
    step(item);
  }
};
