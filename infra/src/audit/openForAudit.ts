import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, type Config } from '../config/config.js';
import { variablesFor } from '../engines/engines.js';
import type { Logger } from '@roomwire/shared/ports/logger';
import { createAdapters, type Adapters } from '../engines/adapters.js';
import { createClosingStack } from '@roomwire/shared/runtime/closingStack';

/**
 * The engines of the configuration, for as long as `use` needs them. Rejects with `ConfigError` where there is no log, and
 * with `DataFolderInUse` while Roomwire runs on the folder.
 */
export const openForAudit = async <T>(
  config: Config,
  logger: Logger,
  use: (adapters: Adapters) => Promise<T>,
): Promise<T> => {
  if (config.engines.eventLog.onFiles) await requireLog(config.dataDir);
  const closing = createClosingStack();
  const { signal } = new AbortController();
  try {
    return await use(createAdapters({ config, logger, closing, signal }));
  } finally {
    await closing.closeAll();
  }
};

/** Opening would make an empty one. */
const requireLog = async (dataDir: string): Promise<void> => {
  await access(join(dataDir, 'events.lmdb')).catch(() => {
    throw new ConfigError([
      `there is no event log in ${dataDir}: set ROOMWIRE_DATA_DIR, or ${variablesFor('eventLog')}`,
    ]);
  });
};
