import { EngineUnavailable } from '../../../ports/errors.js';
import { withTimeout } from '../../../runtime/waiting.js';

/** Rejects with `EngineUnavailable` when it takes longer; what is waited for goes on all the same. */
export const within = <T>(milliseconds: number, action: Promise<T>): Promise<T> =>
  withTimeout(milliseconds, action, () => {
    throw new EngineUnavailable('message bus');
  });
