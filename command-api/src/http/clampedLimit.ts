/** As many as a query asks for, from 1 to `most`. */
export const clampedLimit = (asked: number, most: number): number =>
  Math.min(most, Math.max(1, Math.trunc(asked)));
