import type { MessageCount } from '../../ports/viewStore.js';

/** A writer's count on disk. */
export type UsageKey = readonly [month: string, projectId: string, writer: string];

/** Accepted publishes in memory, by month, project and writer; `record` hears of each count that rises. */
export class UsageCounts {
  readonly #counts = new Map<string, Map<string, number>>();
  readonly #record: (key: UsageKey, messages: number) => void;

  constructor(record: (key: UsageKey, messages: number) => void) {
    this.#record = record;
  }

  load([month, projectId, writer]: UsageKey, messages: number): void {
    this.#writers(projectId, month).set(writer, messages);
  }

  note(writer: string, counts: readonly MessageCount[]): void {
    for (const { projectId, month, messages } of counts) {
      const writers = this.#writers(projectId, month);
      if ((writers.get(writer) ?? 0) >= messages) continue;
      writers.set(writer, messages);
      this.#record([month, projectId, writer], messages);
    }
  }

  of(projectIds: readonly string[], month: string): ReadonlyMap<string, number> {
    const found = new Map<string, number>();
    for (const projectId of projectIds) {
      const writers = this.#counts.get(`${month} ${projectId}`);
      if (writers) found.set(projectId, sum(writers.values()));
    }
    return found;
  }

  #writers(projectId: string, month: string): Map<string, number> {
    const key = `${month} ${projectId}`;
    const writers = this.#counts.get(key) ?? new Map<string, number>();
    this.#counts.set(key, writers);
    return writers;
  }
}

const sum = (numbers: Iterable<number>): number => {
  let total = 0;
  for (const each of numbers) total += each;
  return total;
};
