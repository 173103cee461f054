import { JobRequeued } from '../../ports/errors.js';
import type { Logger } from '../../ports/logger.js';

/** Tells the log of a job whose handler has rejected, unless it was given back. */
export const tellOfFailedJob = (logger: Logger | undefined, queue: string, error: unknown): void => {
  if (!(error instanceof JobRequeued)) logger?.warn('A job failed and is done again', { queue, error });
};
