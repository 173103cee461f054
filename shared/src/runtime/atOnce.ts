/** Waits for all of them and then rejects with the first failure, so that nothing is still running afterwards. */
export const allOf = async (writes: readonly Promise<void>[]): Promise<void> => {
  await Promise.allSettled(writes);
  await Promise.all(writes);
};

/** Runs at most `limit` at a time. After a failure no other one is started. */
export const atOnce = async <T>(
  limit: number,
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> => {
  const left = items[Symbol.iterator]();
  let hasFailed = false;
  const lane = async (): Promise<void> => {
    for (let next; !hasFailed && (next = left.next()).done !== true;)
      await work(next.value).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
  };
  await allOf(Array.from({ length: limit }, lane));
};
