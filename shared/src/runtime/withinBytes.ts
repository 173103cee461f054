/** The first of the items that have no more than so many bytes together; at least one of them. */
export const withinBytes = <T>(
  items: readonly T[],
  most: number,
  sizeOf: (item: T) => number,
): readonly T[] => {
  let bytes = 0;
  const beyond = items.findIndex((item, at) => (bytes += sizeOf(item)) > most && at > 0);
  return beyond === -1 ? items : items.slice(0, beyond);
};
