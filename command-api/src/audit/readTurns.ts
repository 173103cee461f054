/** Runs a read when its turn comes. */
export type InTurn = <T>(owner: string, read: () => Promise<T>) => Promise<T>;

/**
 * Lets so many reads run at a time, and one of each owner: whoever asks for many waits for its own, and what the reads hold in
 * memory has a bound.
 */
export const createReadTurns = (atOnce: number): InTurn => {
  const lastOf = new Map<string, Promise<void>>();
  const waiting: (() => void)[] = [];
  let running = 0;

  const enter = async (): Promise<void> => {
    if (running < atOnce) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  /** Whoever waits takes the place over. */
  const leave = (): void => {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  };

  return async (owner, read) => {
    const before = lastOf.get(owner);
    let end = (): void => undefined;
    const own = new Promise<void>((resolve) => (end = resolve));
    lastOf.set(owner, own);
    await before;
    await enter();
    try {
      return await read();
    } finally {
      leave();
      if (lastOf.get(owner) === own) lastOf.delete(owner);
      end();
    }
  };
};
