/** Wakes everybody who waits. It is not kept for those who come later. */
export interface Signal {
  next(): Promise<void>;
  give(): void;
}

export const createSignal = (): Signal => {
  let waiting: (() => void)[] = [];
  return {
    next: () => new Promise((resolve) => waiting.push(resolve)),
    give: () => {
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
  };
};
