import { EngineUnavailable } from '../../../ports/errors.js';
import type { Logger } from '../../../ports/logger.js';
import { portError } from './engineErrors.js';

/** Puts what the driver throws in the port's words, and says once that the server is away and once that it is back. */
export class EngineCalls {
  readonly #logger: Logger | undefined;
  #isAway = false;

  constructor(logger: Logger | undefined) {
    this.#logger = logger;
  }

  async run<T>(action: () => Promise<T>): Promise<T> {
    try {
      const result = await action();
      this.#found(false);
      return result;
    } catch (error) {
      const reported = portError(error);
      if (reported instanceof EngineUnavailable) this.#found(true, error);
      throw reported;
    }
  }

  #found(isAway: boolean, error?: unknown): void {
    if (isAway === this.#isAway) return;
    this.#isAway = isAway;
    if (isAway) this.#logger?.warn('The read models cannot be reached', { error });
    else this.#logger?.info('The read models can be reached again');
  }
}
