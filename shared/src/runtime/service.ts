/** A component with a life cycle: its owner starts it once, and closes components in the reverse order of starting. */
export interface Service {
  start(): Promise<void>;
  /** Stops intake, drains and releases resources. May be called more than once. */
  close(): Promise<void>;
}

/** Runs `action` on the first call; every call returns the same promise. */
export const once = (action: () => Promise<void>): (() => Promise<void>) => {
  let result: Promise<void> | undefined;
  return () => (result ??= action());
};
