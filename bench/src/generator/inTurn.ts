/** Does it for 0 to `count` - 1, never more than `atOnce` at a time. Rejects with the first failure. */
export const inTurn = async (
  count: number,
  atOnce: number,
  act: (index: number) => Promise<void>,
): Promise<void> => {
  let next = 0;
  const keepActing = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await act(next - 1);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, keepActing));
};
