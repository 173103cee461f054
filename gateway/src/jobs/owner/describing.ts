import type { JobGroupRecord } from '@roomwire/shared/ports/jobStore';

/** A group of which something else is to be said. */
export interface DescribedGroup {
  readonly record: JobGroupRecord;
}

export interface DescribingDeps {
  /** Tries on while the store is out of reach. */
  readonly write: (record: JobGroupRecord) => Promise<void>;
  readonly failed: (error: unknown) => void;
}

/** Writes what is said of the groups of a shard: what changes at once is written once. */
export class Describing {
  private readonly deps: DescribingDeps;
  private readonly changed = new Set<DescribedGroup>();
  private running: Promise<void> | undefined;

  constructor(deps: DescribingDeps) {
    this.deps = deps;
  }

  describe(group: DescribedGroup): void {
    this.changed.add(group);
    this.running ??= this.run();
  }

  /** It is in the store no more. */
  forget(group: DescribedGroup): void {
    this.changed.delete(group);
  }

  /** Nothing more is written. */
  abandon(): void {
    this.changed.clear();
  }

  /** Resolves when everything that is to be said is written, or could not be. */
  async done(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    await new Promise(setImmediate);
    try {
      for (const group of this.changed) {
        this.changed.delete(group);
        await this.deps.write(group.record);
      }
    } catch (error) {
      this.deps.failed(error);
    }
    this.running = undefined;
  }
}
