import { inLaterTurn } from '@roomwire/shared/runtime/workSlices';

/** Runs a read when its turn comes; rejects with what it rejects with. */
export type InTurn = <T>(projectId: string, read: () => Promise<T>) => Promise<T>;

/**
 * Lets so many reads of the record run at once. Those that wait take turns by project, so that one with a thousand clients delays nobody
 * else's. Reads of files wait for nothing: a place is free again in a later turn of the event loop, so that live messages go between them.
 */
export class HistoryTurns {
  private readonly atOnce: number;
  /** In the order of their next turns. */
  private readonly waiting = new Map<string, (() => void)[]>();
  private running = 0;
  private count = 0;

  constructor(atOnce: number) {
    this.atOnce = atOnce;
  }

  get waits(): number {
    return this.count;
  }

  readonly take: InTurn = async (projectId, read) => {
    if (this.running < this.atOnce) this.running += 1;
    else await new Promise<void>((begin) => this.wait(projectId, begin));
    try {
      return await read();
    } finally {
      inLaterTurn(() => this.next());
    }
  };

  private wait(projectId: string, begin: () => void): void {
    this.count += 1;
    const line = this.waiting.get(projectId);
    if (line === undefined) this.waiting.set(projectId, [begin]);
    else line.push(begin);
  }

  /** Who begins takes the place over. */
  private next(): void {
    for (const [projectId, line] of this.waiting) {
      const begin = line.shift();
      this.waiting.delete(projectId);
      if (line.length > 0) this.waiting.set(projectId, line);
      if (begin === undefined) continue;
      this.count -= 1;
      return begin();
    }
    this.running -= 1;
  }
}
