/** Everything that runs: its owner starts it once and closes it, in the reverse order of starting. */
export interface Service {
  start(): Promise<void>;
  /** Stops intake, drains, lets go. May be called more than once. */
  close(): Promise<void>;
}

/** Runs `action` at the first call; every call gets the one promise. */
export const once = (action: () => Promise<void>): (() => Promise<void>) => {
  let result: Promise<void> | undefined;
  return () => (result ??= action());
};
