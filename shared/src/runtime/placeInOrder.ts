/** How many items of a sorted list are lower than the given one: where it is, or would be. */
export const placeInOrder = <T extends number | string>(sorted: readonly T[], item: T): number => {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] as T) < item) from = middle + 1;
    else to = middle;
  }
  return from;
};
