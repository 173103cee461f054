import { join } from 'node:path';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import type { TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { backUp } from '../../src/backup/backup.js';
import { restore } from '../../src/backup/restore.js';
import { readConfig, type Config } from '../../src/config/config.js';
import { withAdapters, type Adapters } from '../../src/engines/adapters.js';

/** Of a service on files, in a folder of that name within the other. */
export const configIn = (folder: TemporaryFolder, name: string, settings = {}): Config =>
  readConfig({ ROOMWIRE_DATA_DIR: join(folder.path, name), ...settings });

export const opened = <T>(config: Config, use: (adapters: Adapters) => Promise<T>): Promise<T> =>
  withAdapters(config, createRecordingLogger().logger, use);

/** What the service has is backed up, and restored as another one. */
export const restoredFrom = async (folder: TemporaryFolder, used: Config): Promise<Config> => {
  const [backup, restored] = [join(folder.path, 'backup'), configIn(folder, 'restored')];
  const onProgress = (): void => undefined;
  await opened(used, (adapters) => backUp(backup, { config: used, adapters, onProgress }));
  await opened(restored, (adapters) => restore(backup, { config: restored, adapters, onProgress }));
  return restored;
};
