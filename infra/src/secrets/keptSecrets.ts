import { randomBytes } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Buffer } from 'node:buffer';
import { auditKeyOf, auditKeysOf, type AuditKeys } from '@roomwire/shared/credentials/auditKeys';
import type { MasterKeys } from '@roomwire/shared/credentials/secretBox';
import type { PreviousSecret } from '@roomwire/shared/credentials/sessionSecrets';
import { DamagedFile } from '@roomwire/shared/ports/errors';

export interface Secrets {
  /** They seal signing keys. */
  readonly masterKeys: MasterKeys;
  /** Signs the session tokens that Roomwire mints itself. */
  readonly sessionSecret: Uint8Array;
  /** Those that signed sessions before, and still verify them. */
  readonly previousSessionSecrets: readonly PreviousSecret[];
  /** They prove events. */
  readonly auditKeys: AuditKeys;
}

interface GivenMasterKeys {
  readonly masterKey: Uint8Array | undefined;
  readonly previousMasterKeys: readonly Uint8Array[];
}

interface GivenAuditKeys extends GivenMasterKeys {
  readonly auditKey: Uint8Array | undefined;
  readonly previousAuditKeys: readonly Uint8Array[];
}

interface GivenSecrets extends GivenAuditKeys {
  readonly sessionSecret: Uint8Array | undefined;
  readonly previousSessionSecrets: readonly Uint8Array[];
}

/** Undefined where the configuration names no master key. */
export const givenMasterKeys = ({ masterKey, previousMasterKeys }: GivenMasterKeys): MasterKeys | undefined =>
  masterKey && { current: masterKey, previous: previousMasterKeys };

/** Undefined where the configuration has neither an audit key nor a master key. */
export const givenAuditKeys = (given: GivenAuditKeys): AuditKeys | undefined => {
  const masterKeys = givenMasterKeys(given);
  if (masterKeys !== undefined) return withGivenAuditKeys(auditKeysOf(masterKeys), given);
  return given.auditKey && { current: given.auditKey, previous: given.previousAuditKeys };
};

/** A configured audit key goes before one that is derived, which then only verifies. */
const withGivenAuditKeys = (
  { current, previous }: AuditKeys,
  { auditKey, previousAuditKeys }: GivenAuditKeys,
): AuditKeys =>
  auditKey === undefined
    ? { current, previous: [...previous, ...previousAuditKeys] }
    : { current: auditKey, previous: [current, ...previous, ...previousAuditKeys] };

/** Keys in base64. */
export interface SecretsFile {
  readonly masterKey: string;
  /** While a rotation is under way: those under which something may still be sealed. */
  readonly previousMasterKeys?: readonly string[];
  /** Those of all earlier master keys: events that they prove stay in the log. */
  readonly previousAuditKeys?: readonly string[];
  readonly sessionSecret: string;
  /** Those before it, each with the time (ISO 8601) at which it ends. */
  readonly previousSessionSecrets?: readonly { readonly secret: string; readonly until: string }[];
}

export const secretsFileName = 'secrets.json';

/** The configured secrets, and for what is not configured those of a file in the data folder, which the first call makes. */
export const loadSecrets = async (
  secrets: GivenSecrets,
  pathOf: (name: string) => Promise<string>,
): Promise<Secrets> => {
  const { previousMasterKeys, sessionSecret, previousSessionSecrets } = secrets;
  const otherSessionSecrets = previousSessionSecrets.map((secret) => ({ secret }));
  const given = givenMasterKeys(secrets);
  const givenAudit = givenAuditKeys(secrets);
  if (given !== undefined && sessionSecret !== undefined && givenAudit !== undefined)
    return {
      ...{ masterKeys: given, sessionSecret, auditKeys: givenAudit },
      previousSessionSecrets: otherSessionSecrets,
    };
  const file = await pathOf(secretsFileName);
  const kept =
    (await readJsonFile<SecretsFile>(file)) ?? (await makeSecrets(file, await pathOf('credentials.json')));
  return {
    masterKeys: given ?? keptMasterKeys(file, kept, previousMasterKeys),
    sessionSecret: sessionSecret ?? keyIn(file, kept.sessionSecret),
    previousSessionSecrets: [
      ...(sessionSecret === undefined ? keptPreviousSessions(file, kept) : []),
      ...otherSessionSecrets,
    ],
    auditKeys: givenAuditKeysOr(secrets, file, kept),
  };
};

/** The master keys of the file, and others that only open. */
export const keptMasterKeys = (
  file: string,
  { masterKey, previousMasterKeys = [] }: SecretsFile,
  others: readonly Uint8Array[],
): MasterKeys => ({
  current: keyIn(file, masterKey),
  previous: [...previousMasterKeys.map((key) => keyIn(file, key)), ...others],
});

const keptPreviousSessions = (
  file: string,
  { previousSessionSecrets = [] }: SecretsFile,
): readonly PreviousSecret[] =>
  previousSessionSecrets.map(({ secret, until }) => ({
    secret: keyIn(file, secret),
    until: timeIn(file, until),
  }));

/** The audit keys of the configuration where it has a master key, otherwise those of the file. */
const givenAuditKeysOr = (given: GivenAuditKeys, file: string, kept: SecretsFile): AuditKeys =>
  given.masterKey === undefined
    ? withGivenAuditKeys(keptAuditKeys(file, kept, given.previousMasterKeys), given)
    : (givenAuditKeys(given) as AuditKeys);

/** Those of all master keys that there have been. */
const keptAuditKeys = (file: string, kept: SecretsFile, others: readonly Uint8Array[]): AuditKeys => {
  const { current, previous } = auditKeysOf(keptMasterKeys(file, kept, others));
  const earlier = (kept.previousAuditKeys ?? []).map((key) => keyIn(file, key));
  return { current, previous: [...previous, ...earlier] };
};

/** The audit keys of the configuration or of the data folder, for a command. Nothing is made where there is neither. */
export const findAuditKeys = async (
  given: GivenAuditKeys,
  dataDir: string,
): Promise<AuditKeys | undefined> => {
  const file = join(dataDir, secretsFileName);
  const kept = given.masterKey === undefined ? await readJsonFile<SecretsFile>(file) : undefined;
  return kept === undefined ? givenAuditKeys(given) : givenAuditKeysOr(given, file, kept);
};

/** Beside the previous ones of a file, whose master key is about to be replaced. */
export const withPreviousAuditKey = (file: string, kept: SecretsFile): SecretsFile => ({
  ...kept,
  previousAuditKeys: [
    ...(kept.previousAuditKeys ?? []),
    Buffer.from(auditKeyOf(keyIn(file, kept.masterKey))).toString('base64'),
  ],
});

const keyBytes = 32;

/** A new key, as the file keeps it. */
export const newKey = (): string => randomBytes(keyBytes).toString('base64');

const keyIn = (file: string, text: unknown): Uint8Array => {
  const key = Buffer.from(typeof text === 'string' ? text : '', 'base64');
  if (key.length !== keyBytes)
    throw new DamagedFile(file, `it does not hold keys of ${keyBytes} bytes in base64`);
  return key;
};

const timeIn = (file: string, text: unknown): number => {
  const time = Date.parse(String(text));
  if (Number.isNaN(time)) throw new Error(`${file} has a previous session secret without an end`);
  return time;
};

/** Only for a folder that was never used: what was encrypted with lost secrets cannot be recovered, and the operator must learn of it. */
const makeSecrets = async (file: string, credentialsFile: string): Promise<SecretsFile> => {
  if ((await readJsonFile(credentialsFile)) !== undefined)
    throw new Error(`${file} is missing in a folder that has been used: restore it from a backup`);
  const secrets = { masterKey: newKey(), sessionSecret: newKey() };
  await writeJsonFile(file, secrets);
  return secrets;
};

/** Undefined when there is no such file. */
export const readJsonFile = async <T>(file: string): Promise<T | undefined> => {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if (error instanceof SyntaxError) throw new DamagedFile(file, 'it is not valid JSON', { cause: error });
    throw error;
  }
};

/** Whole or not at all, on disk when it resolves, readable by its owner alone. */
export const writeJsonFile = async (file: string, content: unknown): Promise<void> => {
  const draft = `${file}.draft`;
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(content, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
  const folder = await open(dirname(file), 'r');
  await folder.sync().finally(() => folder.close());
};
