import { Rejection } from '../handling/rejections.js';

/** Runs a read when its turn comes. Rejects where too many of the owner's wait. */
export type InTurn = <T>(owner: string, read: () => Promise<T>) => Promise<T>;

export interface ReadTurnsOptions {
  readonly atOnce: number;
  /** Of one owner, with the one that runs. */
  readonly mostOfOwner: number;
}

interface Owned {
  reads: number;
  last: Promise<void> | undefined;
}

/**
 * Lets so many reads run at a time, and one of each owner: whoever asks for many waits for its own, and what the reads hold in
 * memory has a bound, as have those that wait, also for clients that are gone.
 */
export const createReadTurns = ({ atOnce, mostOfOwner }: ReadTurnsOptions): InTurn => {
  const owners = new Map<string, Owned>();
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
    const owned = owners.get(owner) ?? { reads: 0, last: undefined };
    if (owned.reads >= mostOfOwner) throw new Rejection('too_many_past_reads', {});
    owners.set(owner, owned);
    owned.reads += 1;
    const before = owned.last;
    let end = (): void => undefined;
    owned.last = new Promise<void>((resolve) => (end = resolve));
    await before;
    await enter();
    try {
      return await read();
    } finally {
      leave();
      owned.reads -= 1;
      if (owned.reads === 0) owners.delete(owner);
      end();
    }
  };
};
