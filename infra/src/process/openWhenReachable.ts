import { setTimeout as pause } from 'node:timers/promises';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { Logger } from '@roomwire/shared/ports/logger';
import { backOffMs } from '@roomwire/shared/runtime/waiting';

const betweenTries = { firstMs: 250, longestMs: 5_000 };

/** Opens an engine as soon as it is there: services and engines may start in any order. Other errors end the start. */
export const openWhenReachable = async <T>(
  name: string,
  open: () => Promise<T>,
  { logger, signal }: { readonly logger: Logger; readonly signal: AbortSignal },
): Promise<T> => {
  for (let failures = 1; ; failures += 1) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error;
      const waitMs = backOffMs(betweenTries, failures);
      logger.warn(`Waiting for the ${name}`, { error, waitMs });
      await pause(waitMs, undefined, { signal });
    }
  }
};
