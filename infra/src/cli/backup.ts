import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { createWinstonLogger } from '@roomwire/shared/adapters/system/winstonLogger';
import { DataFolderInUse } from '@roomwire/shared/ports/errors';
import { progressBar } from './progressBar.js';
import { backUp } from '../backup/backup.js';
import type { Manifest } from '../backup/backupFiles.js';
import { restore, restoreOnlyDocuments } from '../backup/restore.js';
import { ConfigError, readConfig, type Config } from '../config/config.js';
import { withAdapters, type Adapters } from '../engines/adapters.js';
import { exitCodes, fail } from './fail.js';

export const addBackup = (program: Command): void => {
  program
    .command('backup')
    .description('back up all stored data into a new folder; Roomwire may be running')
    .argument('<folder>', 'the target, which must be empty or absent')
    .action(writeBackup);
  program
    .command('restore')
    .description('restore a backup into an empty data folder or empty engines; Roomwire must be stopped')
    .argument('<folder>', 'a folder written by `roomwire backup`')
    .option(
      '--only-documents',
      'restore only last uses, usage and sessions to MongoDB, and leave the log unchanged',
    )
    .action(restoreBackup);
};

const writeBackup = async (folder: string): Promise<void> => {
  const manifest = await withEngines('The backup', async (config, adapters) => {
    if (config.engines.eventLog.onFiles) await requireLog(config);
    const bar = progressBar('Writing', await headOf(config, adapters), process.stderr);
    try {
      return await backUp(folder, { config, adapters, onProgress: bar.show });
    } finally {
      bar.end();
    }
  });
  process.stdout.write(`Backed up ${summary(manifest)} to ${folder}\n`);
};

interface RestoreOptions {
  readonly onlyDocuments?: boolean;
}

const restoreBackup = async (folder: string, { onlyDocuments = false }: RestoreOptions): Promise<void> => {
  const manifest = await withEngines('The restore', (config, adapters) => {
    const lines = (events: number): void => {
      if (process.stderr.isTTY) process.stderr.write(`\r${events} events`);
    };
    return onlyDocuments
      ? restoreOnlyDocuments(folder, config)
      : restore(folder, { config, adapters, onProgress: lines });
  });
  process.stdout.write(`Restored ${summary(manifest)}, as of ${manifest.createdAt}\n`);
};

const summary = ({ files }: Manifest): string => {
  const megabytes = files.reduce((sum, { bytes }) => sum + bytes, 0) / 1_000_000;
  return `${files.length} files (${megabytes.toFixed(1)} MB)`;
};

const requireLog = async ({ dataDir }: Config): Promise<void> => {
  await access(join(dataDir, 'events.lmdb')).catch(() => {
    throw new ConfigError([`there is no event log in ${dataDir}: set ROOMWIRE_DATA_DIR`]);
  });
};

const headOf = async ({ engines }: Config, adapters: Adapters): Promise<string | undefined> =>
  engines.eventLog.onFiles ? undefined : (await adapters.log()).head();

const withEngines = async <T>(
  what: string,
  use: (config: Config, adapters: Adapters) => Promise<T>,
): Promise<T> => {
  try {
    const config = readConfig(process.env);
    const logger = createWinstonLogger(config.logLevel);
    return await withAdapters(config, logger, (adapters) => use(config, adapters));
  } catch (error) {
    if (error instanceof ConfigError) return fail(error.message, exitCodes.misused);
    if (error instanceof DataFolderInUse) return fail(`${error.message}: stop Roomwire for it`);
    return fail(`${what} failed: ${(error as Error).message}`);
  }
};
