/**
 * Runs an action for a key, one at a time: calls that come while it runs make it run once more, so that the last run
 * began after the last call. A run that fails is tried again after a pause.
 */
export const coalesced = (
  action: (key: string) => Promise<void>,
  retryAfterMs: number,
): ((key: string) => void) => {
  const again = new Map<string, boolean>();

  const run = (key: string): void => {
    again.set(key, false);
    action(key).then(
      () => (again.get(key) ? run(key) : void again.delete(key)),
      () => void setTimeout(() => run(key), retryAfterMs).unref(),
    );
  };

  return (key) => (again.has(key) ? void again.set(key, true) : run(key));
};
