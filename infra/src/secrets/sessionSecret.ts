import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import type { Config } from '../config/config.js';
import { readJsonFile, secretsFileName, type SecretsFile } from './keptSecrets.js';

/** What a command signs sessions with, beside a running service; undefined where there is no secret yet. */
export const readSessionSecret = async ({
  sessionSecret,
  dataDir,
}: Config): Promise<Uint8Array | undefined> => {
  if (sessionSecret !== undefined) return sessionSecret;
  const kept = await readJsonFile<SecretsFile>(join(dataDir, secretsFileName));
  return kept && Buffer.from(kept.sessionSecret, 'base64');
};
