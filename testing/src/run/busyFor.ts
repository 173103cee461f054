/** Holds the event loop, as work on something large does. */
export const busyFor = (ms: number): void => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

/** A value that takes so long to read or write out. */
export const slowValue = (ms: number): object => ({
  get slow() {
    busyFor(ms);
    return 1;
  },
});
