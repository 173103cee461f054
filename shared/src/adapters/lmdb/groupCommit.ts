/** Appends in one transaction: enough to share a sync well, few enough to keep the event loop responsive. */
const groupLimit = 1000;
/** The limit in bytes, where items report their size. */
const groupBytes = 8 * 1024 * 1024;

export interface GroupCommitDeps<Item, Outcome> {
  /** Resolves when the changes of the work are on disk; rejects when they may not be. */
  transact<T>(work: () => T): Promise<T>;
  /** An outcome for each item, in order. */
  write(items: readonly Item[]): readonly Outcome[];
  /** A group is on disk; its items are settled next. */
  committed(): void;
  /** Where items may be large. */
  bytesOf?(item: Item): number;
}

export interface GroupCommit<Item, Outcome> {
  /** Resolves when the outcome is on disk; rejects with the error of the transaction. */
  submit(item: Item): Promise<Outcome>;
  /** Resolves when everything submitted has been settled. */
  idle(): Promise<void>;
}

interface Waiting<Item, Outcome> {
  readonly item: Item;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** Items that come in while a transaction is being synced share the next one, so that many writers share few syncs. */
export const createGroupCommit = <Item, Outcome>(
  deps: GroupCommitDeps<Item, Outcome>,
): GroupCommit<Item, Outcome> => {
  const queue: Waiting<Item, Outcome>[] = [];
  let running: Promise<void> | undefined;

  const groupLength = (waiting: readonly Waiting<Item, Outcome>[]): number => {
    if (deps.bytesOf === undefined) return groupLimit;
    let bytes = 0;
    const full = waiting.findIndex(({ item }) => (bytes += deps.bytesOf?.(item) ?? 0) > groupBytes);
    return full < 0 ? groupLimit : Math.min(Math.max(full, 1), groupLimit);
  };

  const commitGroup = async (): Promise<void> => {
    let group: Waiting<Item, Outcome>[] = [];
    try {
      // Dequeued when the transaction begins, not when it is requested, so that more items share it.
      const outcomes = await deps.transact(() => {
        group = queue.splice(0, groupLength(queue));
        return deps.write(group.map(({ item }) => item));
      });
      deps.committed();
      outcomes.forEach((outcome, index) => group[index]?.resolve(outcome));
    } catch (error) {
      if (group.length === 0) group = queue.splice(0); // The transaction could not even begin.
      for (const waiting of group) waiting.reject(error);
    }
  };

  const commitAll = async (): Promise<void> => {
    while (queue.length > 0) await commitGroup();
    running = undefined;
  };

  return {
    submit: (item) =>
      new Promise((resolve, reject) => {
        queue.push({ item, resolve, reject });
        running ??= commitAll();
      }),
    idle: () => running ?? Promise.resolve(),
  };
};
