import type { MasterKeys } from '@roomwire/shared/credentials/secretBox';
import {
  keptMasterKeys,
  newKey,
  readJsonFile,
  writeJsonFile,
  type SecretsFile,
} from '../process/keptSecrets.js';

/** From one master key to the next. */
export interface Rotation {
  readonly masterKeys: MasterKeys;
  /** Nothing is sealed under a previous key any more. */
  finish(): Promise<void>;
}

/**
 * Puts a new master key in the place of the kept one, which is kept beside it until `finish`; a rotation that was
 * interrupted goes on with the key that it has made. Whenever the process ends, the file holds every key that is needed.
 * The data folder must be owned, so that nobody seals under the old key meanwhile.
 */
export const beginKeptRotation = async (
  file: string,
  others: readonly Uint8Array[],
): Promise<Rotation | undefined> => {
  const kept = await readJsonFile<SecretsFile>(file);
  if (kept === undefined) return undefined;
  const begun = isUnderWay(kept) ? kept : withNewKey(kept);
  // Looks at the keys before anything is written.
  const masterKeys = keptMasterKeys(file, begun, others);
  if (begun !== kept) await writeJsonFile(file, begun);
  return { masterKeys, finish: () => writeJsonFile(file, withoutPrevious(begun)) };
};

const isUnderWay = ({ previousMasterKeys = [] }: SecretsFile): boolean => previousMasterKeys.length > 0;

const withNewKey = (kept: SecretsFile): SecretsFile => ({
  ...kept,
  masterKey: newKey(),
  previousMasterKeys: [kept.masterKey],
});

const withoutPrevious = ({ previousMasterKeys: _, ...rest }: SecretsFile): SecretsFile => rest;
