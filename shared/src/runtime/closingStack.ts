/** Opened resources, to be closed in reverse order. */
export interface ClosingStack {
  push(close: () => Promise<void>): void;
  /** Closes everything, also when one of them fails; rejects with the first failure. */
  closeAll(): Promise<void>;
}

export const createClosingStack = (): ClosingStack => {
  const stack: (() => Promise<void>)[] = [];
  return {
    push: (close) => void stack.push(close),
    async closeAll() {
      const failures: unknown[] = [];
      for (let close = stack.pop(); close; close = stack.pop()) {
        await close().catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
};
