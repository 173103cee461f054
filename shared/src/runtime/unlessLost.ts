import { EngineUnavailable } from '../ports/errors.js';
import type { ViewReader } from '../ports/viewStore.js';

/** Undefined only for what was deleted. Rejects with `EngineUnavailable` where the read models have lost what they had. */
export const unlessLost = async <T>(
  views: Pick<ViewReader, 'admitsReaders'>,
  found: T | undefined,
): Promise<T | undefined> => {
  if (found === undefined && !(await views.admitsReaders())) throw new EngineUnavailable('read models');
  return found;
};
