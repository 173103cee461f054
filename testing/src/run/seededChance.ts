export interface SeededChance {
  /** 0 to 1, the first included. */
  next(): number;
  /** A whole number from 0 up to a limit, which is not included. */
  below(limit: number): number;
  /** Of a list that is not empty. */
  oneOf<T>(list: readonly T[]): T;
  uuid(): string;
}

/** The same seed, the same chance (mulberry32). */
export const seededChance = (seed: number): SeededChance => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => below(16).toString(16)).join('');
  return {
    next,
    below,
    oneOf: <T>(list: readonly T[]): T => list[below(list.length)] as T,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
  };
};
