import type { LastUse } from '../../ports/viewStore.js';

/** The last uses in memory; `record` hears of each that changes. */
export class UseTimes {
  readonly #times = new Map<string, string>();
  readonly #record: (id: string, at: string | undefined) => void;

  constructor(record: (id: string, at: string | undefined) => void) {
    this.#record = record;
  }

  load({ id, at }: LastUse): void {
    this.#times.set(id, at);
  }

  note(uses: readonly LastUse[]): void {
    for (const { id, at } of uses) {
      const known = this.#times.get(id);
      if (known !== undefined && known >= at) continue;
      this.#times.set(id, at);
      this.#record(id, at);
    }
  }

  forget(id: string): void {
    if (this.#times.delete(id)) this.#record(id, undefined);
  }

  of(ids: readonly string[]): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const id of ids) {
      const at = this.#times.get(id);
      if (at !== undefined) found.set(id, at);
    }
    return found;
  }
}
