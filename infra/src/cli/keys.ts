import { Buffer } from 'node:buffer';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { auditKeyOf } from '@roomwire/shared/credentials/auditKeys';
import { deriveKey } from '@roomwire/shared/credentials/secretBox';
import { createWinstonLogger } from '@roomwire/shared/adapters/system/winstonLogger';
import { DataFolderInUse, EngineUnavailable, RevisionConflict } from '@roomwire/shared/ports/errors';
import { ConfigError, readConfig, type Config } from '../config/config.js';
import { rotateKeys, type RotationReport } from '../secrets/rotateKeys.js';
import { configOrFail } from './configOrFail.js';
import { exitCodes, fail } from './fail.js';
import { putSecret, requireSecretOutput, withSecretOutput, type SecretOutput } from './secretOutput.js';

export const addKeys = (program: Command): void => {
  const keys = program.command('keys').description('manage the master key and what it encrypts');
  keys
    .command('rotate')
    .description(
      're-encrypt every signing key and webhook secret under the configured master key, or a new one; and create a new session secret unless one is configured',
    )
    .addOption(
      new Option('--session-overlap <hours>', 'how long sessions of the old session secret stay valid')
        .argParser(hours)
        .default(24),
    )
    .action(rotate);
  withSecretOutput(keys.command('derive'))
    .description(
      'print the keys derived from the master key, for services in separate processes: each decrypts only what its service needs',
    )
    .action(derive);
};

const derive = async (output: SecretOutput): Promise<void> => {
  const { masterKey, previousMasterKeys } = configOrFail();
  if (masterKey === undefined) return fail('Set ROOMWIRE_MASTER_KEY', exitCodes.misused);
  requireSecretOutput(output, 'keys');
  const lines = derivedKeys.flatMap(([variable, derived]) => {
    const previous = previousMasterKeys.map((key) => inBase64(derived(key))).join(',');
    const line = `${variable}=${inBase64(derived(masterKey))}`;
    return previous === '' ? [line] : [line, `${variable}_PREVIOUS=${previous}`];
  });
  await putSecret(output, 'keys', lines.join('\n'));
};

const derivedKeys: readonly (readonly [variable: string, derived: (masterKey: Uint8Array) => Uint8Array])[] =
  [
    ['ROOMWIRE_GATEWAY_KEY', (masterKey) => deriveKey(masterKey, 'signingKeys')],
    ['ROOMWIRE_WEBHOOK_KEY', (masterKey) => deriveKey(masterKey, 'webhookSecrets')],
    ['ROOMWIRE_AUDIT_KEY', auditKeyOf],
  ];

const inBase64 = (key: Uint8Array): string => Buffer.from(key).toString('base64');

const hours = (text: string): number => {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!(value >= 0 && value <= mostHours))
    throw new InvalidArgumentError(
      'A number of hours from 0, which ends them at once, to ten years is expected.',
    );
  return value;
};

const mostHours = 10 * 365 * 24;
const hourMs = 3_600_000;

const rotate = async ({ sessionOverlap }: { readonly sessionOverlap: number }): Promise<void> => {
  try {
    const config = readConfig(process.env);
    const report = await rotateKeys(
      config,
      createWinstonLogger(config.logLevel),
      Math.round(sessionOverlap * hourMs),
    );
    if (report.unopened.size > 0) fail(`${summary(report)}; ${shortfall(report)}`);
    process.stdout.write(`${summary(report)}\n${ofSessions(config, report)}`);
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

const ofSessions = ({ sessionSecret }: Config, { earlierSessionsUntil }: RotationReport): string => {
  if (sessionSecret !== undefined)
    return 'ROOMWIRE_SESSION_SECRET is configured, and stays until it is replaced there\n';
  if (earlierSessionsUntil === undefined) return '';
  const ended = earlierSessionsUntil === null ? 'have ended' : `end by ${earlierSessionsUntil}`;
  return `The session secret is new; earlier sessions ${ended}\n`;
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
