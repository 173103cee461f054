/**
 * Runs an action for a key, one at a time. Calls during a run cause one more run, so that the last run
 * begins after the last call. A failed run is repeated after a pause.
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
