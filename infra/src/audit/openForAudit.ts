import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, type Config } from '../config/config.js';
import { variablesFor } from '../engines/engines.js';
import type { Logger } from '@roomwire/shared/ports/logger';
import { withAdapters, type Adapters } from '../engines/adapters.js';

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
  return withAdapters(config, logger, use);
};

/** Opening would make an empty one. */
const requireLog = async (dataDir: string): Promise<void> => {
  await access(join(dataDir, 'events.lmdb')).catch(() => {
    throw new ConfigError([
      `there is no event log in ${dataDir}: set ROOMWIRE_DATA_DIR, or ${variablesFor('eventLog')}`,
    ]);
  });
};
