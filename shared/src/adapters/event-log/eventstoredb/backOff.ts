export interface BackOff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Twice as long after each failure, up to a bound, and somewhere in its upper half: many must not come back at once. */
export const waitMs = ({ firstMs, longestMs }: BackOff, failures: number, chance: number): number =>
  Math.min(longestMs, firstMs * 2 ** (failures - 1)) * (0.5 + chance / 2);
