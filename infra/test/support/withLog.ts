import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { Config } from '../../src/config/config.js';
import { createAdapters } from '../../src/engines/adapters.js';
import { createClosingStack } from '@roomwire/shared/runtime/closingStack';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';

/** The event log of a configuration, for as long as `use` needs it. On files, while nothing else runs on the folder. */
export const withLog = async <T>(config: Config, use: (log: EventLog) => Promise<T>): Promise<T> => {
  const closing = createClosingStack();
  const { signal } = new AbortController();
  const { logger } = createRecordingLogger();
  try {
    return await use(await createAdapters({ config, logger, closing, signal }).log());
  } finally {
    await closing.closeAll();
  }
};
