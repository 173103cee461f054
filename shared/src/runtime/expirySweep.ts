import type { Logger } from '../ports/logger.js';

export interface ExpirySweepDeps {
  /** What expires, at the beginning of a sentence and in the plural. */
  readonly what: string;
  readonly everyMs: number;
  /** Removes some of what has expired; resolves with whether there may be more. */
  readonly removeSome: () => Promise<boolean>;
  readonly logger: Logger | undefined;
}

export interface ExpirySweep {
  /** Nothing is removed any more; resolves when what is under way has ended. */
  stop(): Promise<void>;
}

/** Removes what has expired, at intervals and in steps. */
export const startExpirySweep = ({ what, everyMs, removeSome, logger }: ExpirySweepDeps): ExpirySweep => {
  let isStopped = false;
  let running: Promise<void> | undefined;

  const removeAll = async (): Promise<void> => {
    try {
      while (!isStopped && (await removeSome()));
    } catch (error) {
      if (!isStopped) logger?.error(`${what} that have expired cannot be removed`, { error });
    } finally {
      running = undefined;
    }
  };
  const timer = setInterval(() => void (running ??= removeAll()), everyMs).unref();

  return {
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      await running;
    },
  };
};
