import { setTimeout as pause } from 'node:timers/promises';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { Logger } from '@roomwire/shared/ports/logger';

const firstWaitMs = 250;
const longestWaitMs = 5_000;

/** Opens an engine as soon as it is there: services and engines may start in any order. Other errors end the start. */
export const openWhenReachable = async <T>(
  name: string,
  open: () => Promise<T>,
  { logger, signal }: { readonly logger: Logger; readonly signal: AbortSignal },
): Promise<T> => {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(longestWaitMs, waitMs * 2)) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error;
      logger.warn(`Waiting for the ${name}`, { error, waitMs });
      await pause(waitMs, undefined, { signal });
    }
  }
};
