import { randomBytes } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { Buffer } from 'node:buffer';

export interface Secrets {
  /** Encrypts signing keys at rest. */
  readonly masterKey: Uint8Array;
  /** Signs the session tokens that Roomwire mints itself. */
  readonly sessionSecret: Uint8Array;
}

interface GivenSecrets {
  readonly masterKey: Uint8Array | undefined;
  readonly sessionSecret: Uint8Array | undefined;
}

interface SecretsFile {
  readonly masterKey: string;
  readonly sessionSecret: string;
}

/** The configured secrets, and for what is not configured those of the file, which the first call makes. */
export const loadSecrets = async (file: string, given: GivenSecrets): Promise<Secrets> => {
  const { masterKey, sessionSecret } = given;
  if (masterKey !== undefined && sessionSecret !== undefined) return { masterKey, sessionSecret };
  const kept = (await readJsonFile<SecretsFile>(file)) ?? (await makeSecrets(file));
  return {
    masterKey: masterKey ?? Buffer.from(kept.masterKey, 'base64'),
    sessionSecret: sessionSecret ?? Buffer.from(kept.sessionSecret, 'base64'),
  };
};

const makeSecrets = async (file: string): Promise<SecretsFile> => {
  const secrets = {
    masterKey: randomBytes(32).toString('base64'),
    sessionSecret: randomBytes(32).toString('base64'),
  };
  await writeJsonFile(file, secrets);
  return secrets;
};

/** Undefined when there is no such file. */
export const readJsonFile = async <T>(file: string): Promise<T | undefined> => {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
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
};
