import { join } from 'node:path';
import {
  type ReencryptionReport,
  reencryptSigningKeys,
  reencryptWebhookSecrets,
} from '@roomwire/command-api/secrets/reencryptSecrets';
import { createChainedEventLog } from '@roomwire/shared/adapters/event-log/chainedEventLog';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { sealingKeyIdOf, type MasterKeys } from '@roomwire/shared/credentials/secretBox';
import type { Logger } from '@roomwire/shared/ports/logger';
import { ConfigError, type Config } from '../config/config.js';
import { secretBoxFor } from './sealingKeys.js';
import { withAdapters, type Adapters } from '../engines/adapters.js';
import {
  readJsonFile,
  secretsFileName,
  findAuditKeys,
  keptMasterKeys,
  newKey,
  withPreviousAuditKey,
  writeJsonFile,
  type SecretsFile,
} from './keptSecrets.js';

/** Of signing keys; `unopened` holds webhook secrets too. */
export interface RotationReport extends ReencryptionReport {
  readonly masterKeyId: string;
  readonly webhookSecrets: Pick<ReencryptionReport, 'reencrypted' | 'total'>;
}

/**
 * Brings every signing key and webhook secret under the configured master key, or under a new one where the data folder keeps it.
 * Rejects with `ConfigError` where there is no master key, and with `DataFolderInUse` while Roomwire runs on the folder.
 */
export const rotateKeys = (config: Config, logger: Logger): Promise<RotationReport> =>
  withAdapters(config, logger, async (adapters) => {
    const rotation = await beginRotation(config, adapters, logger);
    const { masterKeys } = rotation;
    const log = await chainedLog(config, adapters);
    const deps = { log, logger, clock: systemClock, random: systemRandom };
    const report = await reencryptSigningKeys({
      ...deps,
      secretBox: secretBoxFor(masterKeys, 'signingKeys'),
    });
    const webhookBox = secretBoxFor(masterKeys, 'webhookSecrets');
    const webhookSecrets = await reencryptWebhookSecrets({ ...deps, secretBox: webhookBox });
    const unopened = new Map([...report.unopened, ...webhookSecrets.unopened]);
    if (unopened.size === 0) await rotation.finish();
    return { ...report, webhookSecrets, unopened, masterKeyId: sealingKeyIdOf(masterKeys.current) };
  });

const chainedLog = async (config: Config, adapters: Adapters): Promise<EventLog> => {
  const keys = await findAuditKeys(config, config.dataDir);
  if (keys === undefined) throw new Error('There is no audit key beside the master key');
  return createChainedEventLog(await adapters.log(), keys);
};

const beginRotation = async (
  { masterKey, previousMasterKeys, dataDir }: Config,
  adapters: Adapters,
  logger: Logger,
): Promise<Rotation> => {
  // A configured master key has been replaced in the configuration.
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

/** From one master key to the next. */
export interface Rotation {
  readonly masterKeys: MasterKeys;
  /** Nothing is sealed under a previous key any more. */
  finish(): Promise<void>;
}

/**
 * Puts a new master key in the place of the kept one, which is kept beside it until `finish`; a rotation that was
 * interrupted goes on with the key that it has made. Whenever the process ends, the file holds every key that is needed.
 * The data folder must be owned, so that nothing is encrypted under the old key meanwhile.
 */
export const beginKeptRotation = async (
  file: string,
  others: readonly Uint8Array[],
): Promise<Rotation | undefined> => {
  const kept = await readJsonFile<SecretsFile>(file);
  if (kept === undefined) return undefined;
  const begun = isUnderWay(kept) ? kept : withNewKey(file, kept);
  // Looks at the keys before anything is written.
  const masterKeys = keptMasterKeys(file, begun, others);
  if (begun !== kept) await writeJsonFile(file, begun);
  return { masterKeys, finish: () => writeJsonFile(file, withoutPrevious(begun)) };
};

const isUnderWay = ({ previousMasterKeys = [] }: SecretsFile): boolean => previousMasterKeys.length > 0;

const withNewKey = (file: string, kept: SecretsFile): SecretsFile => ({
  ...withPreviousAuditKey(file, kept),
  masterKey: newKey(),
  previousMasterKeys: [kept.masterKey],
});

const withoutPrevious = ({ previousMasterKeys: _, ...rest }: SecretsFile): SecretsFile => rest;
