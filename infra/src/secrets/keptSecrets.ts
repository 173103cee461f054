import { randomBytes } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Buffer } from 'node:buffer';
import type { MasterKeys } from '@roomwire/shared/credentials/secretBox';

export interface Secrets {
  /** They seal signing keys. */
  readonly masterKeys: MasterKeys;
  /** Signs the session tokens that Roomwire mints itself. */
  readonly sessionSecret: Uint8Array;
}

interface GivenMasterKeys {
  readonly masterKey: Uint8Array | undefined;
  readonly previousMasterKeys: readonly Uint8Array[];
}

interface GivenSecrets extends GivenMasterKeys {
  readonly sessionSecret: Uint8Array | undefined;
}

/** Undefined where the configuration names no master key. */
export const givenMasterKeys = ({ masterKey, previousMasterKeys }: GivenMasterKeys): MasterKeys | undefined =>
  masterKey && { current: masterKey, previous: previousMasterKeys };

/** Keys in base64. */
export interface SecretsFile {
  readonly masterKey: string;
  /** While a rotation is under way: those under which something may still be sealed. */
  readonly previousMasterKeys?: readonly string[];
  readonly sessionSecret: string;
}

export const secretsFileName = 'secrets.json';

/** The configured secrets, and for what is not configured those of a file in the data folder, which the first call makes. */
export const loadSecrets = async (
  secrets: GivenSecrets,
  pathOf: (name: string) => Promise<string>,
): Promise<Secrets> => {
  const { previousMasterKeys, sessionSecret } = secrets;
  const given = givenMasterKeys(secrets);
  if (given !== undefined && sessionSecret !== undefined) return { masterKeys: given, sessionSecret };
  const file = await pathOf(secretsFileName);
  const kept =
    (await readJsonFile<SecretsFile>(file)) ?? (await makeSecrets(file, await pathOf('credentials.json')));
  return {
    masterKeys: given ?? keptMasterKeys(file, kept, previousMasterKeys),
    sessionSecret: sessionSecret ?? keyIn(file, kept.sessionSecret),
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

const keyBytes = 32;

/** A new key, as the file keeps it. */
export const newKey = (): string => randomBytes(keyBytes).toString('base64');

const keyIn = (file: string, text: unknown): Uint8Array => {
  const key = Buffer.from(typeof text === 'string' ? text : '', 'base64');
  if (key.length !== keyBytes) throw new Error(`${file} does not hold keys of ${keyBytes} bytes in base64`);
  return key;
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
    if (error instanceof SyntaxError) throw new Error(`${file} is not valid JSON`, { cause: error });
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
