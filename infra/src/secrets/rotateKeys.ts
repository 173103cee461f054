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
import { usesDataFolder } from '../engines/engines.js';
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
  readonly earlierSessionsUntil: EndOfSessions;
}

/** ISO 8601, of those that earlier secrets have signed; null where they have ended, undefined where no session secret is kept. */
type EndOfSessions = string | null | undefined;

/**
 * Brings every signing key and webhook secret under the configured master key, or under a new one where the data folder keeps it.
 * A session secret that the data folder keeps is replaced too; sessions of the old one go on for `sessionOverlapMs`.
 * Rejects with `ConfigError` where there is no master key, and with `DataFolderInUse` while Roomwire runs on the folder.
 */
export const rotateKeys = (
  config: Config,
  logger: Logger,
  sessionOverlapMs: number,
): Promise<RotationReport> =>
  withAdapters(config, logger, async (adapters) => {
    const nextSessions = nextSessionSecret(config, systemClock.now(), sessionOverlapMs);
    const rotation = await beginRotation(config, adapters, logger, nextSessions);
    const { masterKeys, earlierSessionsUntil } = rotation;
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
    const masterKeyId = sealingKeyIdOf(masterKeys.current);
    return { ...report, webhookSecrets, unopened, masterKeyId, earlierSessionsUntil };
  });

const chainedLog = async (config: Config, adapters: Adapters): Promise<EventLog> => {
  const keys = await findAuditKeys(config, config.dataDir);
  if (keys === undefined) throw new Error('There is no audit key beside the master key');
  return createChainedEventLog(await adapters.log(), keys);
};

const beginRotation = async (
  config: Config,
  adapters: Adapters,
  logger: Logger,
  nextSessions: Replace,
): Promise<Rotation> => {
  const { masterKey, previousMasterKeys, dataDir } = config;
  // A configured master key has been replaced in the configuration.
  if (masterKey !== undefined)
    return {
      masterKeys: { current: masterKey, previous: previousMasterKeys },
      earlierSessionsUntil: await rotateKeptSessions(config, adapters, nextSessions),
      finish: async () => undefined,
    };
  const file = await keptFile(dataDir, adapters);
  const rotation = file && (await beginKeptRotation(file, previousMasterKeys, nextSessions));
  if (!rotation)
    throw new ConfigError([
      `there is no master key: set ROOMWIRE_MASTER_KEY, or start Roomwire once on ${dataDir}`,
    ]);
  logger.debug('The new master key is kept', { file });
  return rotation;
};

/** Undefined where there is none; the folder is not made then. */
const keptFile = async (dataDir: string, adapters: Adapters): Promise<string | undefined> => {
  const isKept = (await readJsonFile(join(dataDir, secretsFileName))) !== undefined;
  return isKept ? (await adapters.folder()).file(secretsFileName) : undefined;
};

/** From one master key to the next. */
export interface Rotation {
  readonly masterKeys: MasterKeys;
  readonly earlierSessionsUntil: EndOfSessions;
  /** Nothing is sealed under a previous key any more. */
  finish(): Promise<void>;
}

/** Makes what a file of secrets is to become. */
type Replace = (kept: SecretsFile) => SecretsFile;

/** A configured session secret is replaced in the configuration. Secrets that have ended are dropped. */
const nextSessionSecret =
  ({ sessionSecret }: Config, now: number, overlapMs: number): Replace =>
  (kept) =>
    sessionSecret !== undefined
      ? kept
      : {
          ...kept,
          sessionSecret: newKey(),
          previousSessionSecrets: [
            ...(kept.previousSessionSecrets ?? []),
            { secret: kept.sessionSecret, until: new Date(now + overlapMs).toISOString() },
          ].filter(({ until }) => Date.parse(until) > now),
        };

const rotateKeptSessions = async (
  { sessionSecret, engines, dataDir }: Config,
  adapters: Adapters,
  nextSessions: Replace,
): Promise<EndOfSessions> => {
  // A folder that happens to be there belongs to another service.
  if (sessionSecret !== undefined || !usesDataFolder(engines)) return undefined;
  const file = await keptFile(dataDir, adapters);
  const kept = file && (await readJsonFile<SecretsFile>(file));
  if (!kept) return undefined;
  const next = nextSessions(kept);
  await writeJsonFile(file, next);
  return endOfEarlierSessions(next);
};

const endOfEarlierSessions = ({ previousSessionSecrets = [] }: SecretsFile): string | null =>
  previousSessionSecrets
    .map(({ until }) => until)
    .toSorted()
    .at(-1) ?? null;

/**
 * Puts a new master key in the place of the kept one, which is kept beside it until `finish`; a rotation that was
 * interrupted goes on with the key that it has made. Whenever the process ends, the file holds every key that is needed.
 * The data folder must be owned, so that nothing is encrypted under the old key meanwhile.
 */
const beginKeptRotation = async (
  file: string,
  others: readonly Uint8Array[],
  nextSessions: Replace,
): Promise<Rotation | undefined> => {
  const kept = await readJsonFile<SecretsFile>(file);
  if (kept === undefined) return undefined;
  const begun = isUnderWay(kept) ? kept : nextSessions(withNewKey(file, kept));
  // Looks at the keys before anything is written.
  const masterKeys = keptMasterKeys(file, begun, others);
  if (begun !== kept) await writeJsonFile(file, begun);
  return {
    masterKeys,
    earlierSessionsUntil: endOfEarlierSessions(begun),
    finish: () => writeJsonFile(file, withoutPrevious(begun)),
  };
};

const isUnderWay = ({ previousMasterKeys = [] }: SecretsFile): boolean => previousMasterKeys.length > 0;

const withNewKey = (file: string, kept: SecretsFile): SecretsFile => ({
  ...withPreviousAuditKey(file, kept),
  masterKey: newKey(),
  previousMasterKeys: [kept.masterKey],
});

const withoutPrevious = ({ previousMasterKeys: _, ...rest }: SecretsFile): SecretsFile => rest;
