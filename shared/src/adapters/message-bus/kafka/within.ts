import { setTimeout as pause } from 'node:timers/promises';
import { EngineUnavailable } from '../../../ports/errors.js';

/** Rejects with `EngineUnavailable` when it takes longer; what is waited for goes on all the same. */
export const within = async <T>(milliseconds: number, action: Promise<T>): Promise<T> => {
  const waiting = new AbortController();
  const tooLate = pause(milliseconds, undefined, { signal: waiting.signal }).then(() => {
    throw new EngineUnavailable('message bus');
  });
  try {
    return await Promise.race([action, tooLate]);
  } finally {
    waiting.abort();
    tooLate.catch(() => undefined);
  }
};
