import type { Command } from 'commander';
import { createWinstonLogger } from '@roomwire/shared/adapters/system/winstonLogger';
import { DataFolderInUse, EngineUnavailable, RevisionConflict } from '@roomwire/shared/ports/errors';
import { ConfigError, readConfig } from '../config/config.js';
import { rotateKeys, type RotationReport } from '../secrets/rotateKeys.js';
import { exitCodes, fail } from './fail.js';

export const addKeys = (program: Command): void => {
  program
    .command('keys')
    .description('manage what is encrypted under the master key')
    .command('rotate')
    .description(
      'encrypt every signing key and webhook secret under the current master key: the configured one, or else a new one',
    )
    .action(rotate);
};

const rotate = async (): Promise<void> => {
  try {
    const config = readConfig(process.env);
    const report = await rotateKeys(config, createWinstonLogger(config.logLevel));
    if (report.unopened.size > 0) fail(`${summary(report)}; ${shortfall(report)}`);
    process.stdout.write(`${summary(report)}\n`);
  } catch (error) {
    failedRotation(error);
  }
};

const summary = ({ reencrypted, total, webhookSecrets, masterKeyId }: RotationReport): string => {
  const keys = `${reencrypted} of ${total} signing keys`;
  const secrets = `${webhookSecrets.reencrypted} of ${webhookSecrets.total} webhook secrets`;
  const sealed = webhookSecrets.total > 0 ? `${keys} and ${secrets}` : keys;
  return `Re-encrypted ${sealed} under the master key ${masterKeyId}`;
};

const shortfall = ({ unopened }: RotationReport): string => {
  const reasons = new Set(Array.from(unopened.values(), ({ message }) => message));
  return `${unopened.size} could not be opened and stay as they are: ${[...reasons].join('; ')}`;
};

const failedRotation = (error: unknown): never => {
  if (error instanceof ConfigError) return fail(error.message, exitCodes.misused);
  if (error instanceof DataFolderInUse)
    return fail(`${error.message}: stop Roomwire, rotate, and start it again`);
  if (error instanceof EngineUnavailable || error instanceof RevisionConflict)
    return fail(`${error.message}; what has been re-encrypted stays so, run this again`);
  return fail(`The rotation failed: ${(error as Error).message}`);
};
