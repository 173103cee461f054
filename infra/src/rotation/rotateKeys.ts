import { join } from 'node:path';
import {
  type ReencryptionReport,
  reencryptSigningKeys,
  reencryptWebhookSecrets,
} from '@roomwire/command-api/secrets/reencryptSecrets';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { createSecretBox } from '@roomwire/shared/credentials/secretBox';
import type { Logger } from '@roomwire/shared/ports/logger';
import { ConfigError, type Config } from '../config/config.js';
import { createAdapters, type Adapters } from '../engines/adapters.js';
import { createClosingStack } from '@roomwire/shared/runtime/closingStack';
import { readJsonFile, secretsFileName } from '../process/keptSecrets.js';
import { beginKeptRotation, type Rotation } from './keptRotation.js';

/** Of signing keys; `unopened` holds webhook secrets too. */
export interface RotationReport extends ReencryptionReport {
  readonly masterKeyId: string;
  readonly webhookSecrets: Pick<ReencryptionReport, 'reencrypted' | 'total'>;
}

/**
 * Brings every signing key and webhook secret under the configured master key, or under a new one where the data folder keeps it.
 * Rejects with `ConfigError` where there is no master key, and with `DataFolderInUse` while Roomwire runs on the folder.
 */
export const rotateKeys = async (config: Config, logger: Logger): Promise<RotationReport> => {
  const closing = createClosingStack();
  const { signal } = new AbortController();
  const adapters = createAdapters({ config, logger, closing, signal });
  try {
    const rotation = await beginRotation(config, adapters, logger);
    const secretBox = createSecretBox(rotation.masterKeys);
    const log = await adapters.log();
    const deps = { log, secretBox, logger, clock: systemClock, random: systemRandom };
    const report = await reencryptSigningKeys(deps);
    const webhookSecrets = await reencryptWebhookSecrets(deps);
    const unopened = new Map([...report.unopened, ...webhookSecrets.unopened]);
    if (unopened.size === 0) await rotation.finish();
    return { ...report, webhookSecrets, unopened, masterKeyId: secretBox.currentKeyId };
  } finally {
    await closing.closeAll();
  }
};

const beginRotation = async (
  { masterKey, previousMasterKeys, dataDir }: Config,
  adapters: Adapters,
  logger: Logger,
): Promise<Rotation> => {
  // Whoever configures the master key has put a new one in its place.
  if (masterKey !== undefined)
    return {
      masterKeys: { current: masterKey, previous: previousMasterKeys },
      finish: async () => undefined,
    };
  // Before the folder is made where it is missing.
  const isKept = (await readJsonFile(join(dataDir, secretsFileName))) !== undefined;
  const file = isKept ? (await adapters.folder()).file(secretsFileName) : '';
  const rotation = isKept ? await beginKeptRotation(file, previousMasterKeys) : undefined;
  if (rotation === undefined)
    throw new ConfigError([
      `there is no master key: set ROOMWIRE_MASTER_KEY, or start Roomwire once on ${dataDir}`,
    ]);
  logger.debug('The new master key is kept', { file });
  return rotation;
};
