import { closes, type CloseSpec } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { Random } from '@roomwire/shared/ports/random';
import { withTimeout } from '@roomwire/shared/runtime/waiting';

/** The open connections of this gateway. */
export class OpenConnections<Each> {
  private readonly open = new Set<Each>();
  private onEmpty: (() => void)[] = [];

  get all(): ReadonlySet<Each> {
    return this.open;
  }

  get size(): number {
    return this.open.size;
  }

  add(connection: Each): void {
    this.open.add(connection);
  }

  remove(connection: Each): void {
    this.open.delete(connection);
    if (this.open.size === 0) for (const resolve of this.onEmpty.splice(0)) resolve();
  }

  /** Resolves when there is none. */
  emptied(): Promise<void> {
    return new Promise((resolve) => (this.open.size === 0 ? resolve() : this.onEmpty.push(resolve)));
  }
}

interface Closeable {
  close(why: CloseSpec): void;
}

export interface DrainDeps<Each extends Closeable> {
  readonly connections: ReadonlySet<Each>;
  /** Resolves when there is no connection. */
  readonly emptied: Promise<void>;
  readonly random: Random;
  /** Between the first close and the last. */
  readonly overMs: number;
}

/** Closes due within this many milliseconds happen together, because timers are no finer and connections may be many. */
const atOnceMs = 5;

/**
 * Closes every connection, in random order and evenly over a time, so that clients that reconnect reach the other gateways
 * one by one. Resolves when all are closed.
 */
export const drain = async <Each extends Closeable>(deps: DrainDeps<Each>): Promise<void> => {
  const { connections, emptied, random, overMs } = deps;
  const leaving = shuffled([...connections], random);
  const from = performance.now();
  let isEmpty = false;
  const empty = emptied.then(() => void (isEmpty = true));
  for (const [n, connection] of leaving.entries()) {
    const waitMs = dueAt(n, leaving.length, overMs, random) - (performance.now() - from);
    if (waitMs > atOnceMs) await withTimeout(waitMs, empty, () => undefined);
    if (isEmpty) return;
    connection.close(closes.serviceRestart);
  }
};

/** A random point within its time slot, so that several draining gateways do not synchronize. */
const dueAt = (n: number, count: number, overMs: number, random: Random): number =>
  ((n + fraction(random)) / count) * overMs;

/** At least 0 and less than 1. */
const fraction = (random: Random): number =>
  new DataView(random.bytes(4).slice().buffer).getUint32(0) / 2 ** 32;

const shuffled = <T>(list: T[], random: Random): T[] => {
  for (let last = list.length - 1; last > 0; last -= 1) {
    const other = Math.floor(fraction(random) * (last + 1));
    [list[last], list[other]] = [list[other] as T, list[last] as T];
  }
  return list;
};
