/** Work of a slice: short beside what a message takes through several turns of the event loop, long beside the cost of a turn. */
const sliceMs = 1;

/**
 * Turns of the event loop from one slice to the next. What a message takes through several turns, such as its publish, its record and
 * its delivery, then meets one slice, not one in each turn. Turns in which nothing else happens take microseconds.
 */
const turnsPerSlice = 8;

/** Long work of the whole process, first come, first served: that of its sockets, and that of requests, of which there may be many. */
const ofSockets: (() => void)[] = [];
const ofRequests: (() => void)[] = [];
let wereSocketsLast = false;

/** While both kinds wait, each has every other slice. */
const nextWork = (): (() => void) | undefined => {
  const isOfSockets = ofSockets.length > 0 && (ofRequests.length === 0 || !wereSocketsLast);
  wereSocketsLast = isOfSockets;
  return (isOfSockets ? ofSockets : ofRequests).shift();
};

/** 0 while nothing waits. */
let turnsLeft = 0;

const endTurn = (): void => {
  turnsLeft -= 1;
  if (turnsLeft > 0) return void setImmediate(endTurn);
  const next = nextWork();
  if (ofSockets.length + ofRequests.length > 0) awaitTurn();
  next?.();
};

const awaitTurn = (): void => {
  if (turnsLeft > 0) return;
  turnsLeft = turnsPerSlice;
  setImmediate(endTurn);
};

/**
 * Calls a function that works on what sockets send or get, for a slice, in a later turn of the event loop. Of all that waits so in the
 * process one is called at a time, so that others wait for no more than a slice, however many kinds of long work there are.
 */
export const inLaterTurn = (work: () => void): void => {
  ofSockets.push(work);
  awaitTurn();
};

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    ofRequests.push(resolve);
    awaitTurn();
  });

/**
 * Paces work that may be long, such as a read of a hundred thousand records: `if (slices.isOver()) await slices.next();`
 * between its steps. One slice is resumed at a time, however much work waits, and others have several turns of the event loop
 * until the next: sockets and timers are never held up for longer than a slice and its last step.
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
