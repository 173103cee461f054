/**
 * The longest turn of the event loop while something runs, in milliseconds of processor time, so that a busy machine does not
 * count. Includes what other threads of the process do meanwhile, such as collecting garbage.
 */
export const longestTurn = async <T>(run: () => Promise<T>): Promise<{ result: T; longestMs: number }> => {
  let longest = 0;
  let isOver = false;
  let before = process.cpuUsage();
  const measure = (): void => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    longest = Math.max(longest, user + system);
  };
  const everyTurn = (): void => {
    measure();
    if (!isOver) setImmediate(everyTurn);
  };
  setImmediate(everyTurn);
  try {
    const result = await run();
    measure();
    return { result, longestMs: longest / 1_000 };
  } finally {
    isOver = true;
  }
};
