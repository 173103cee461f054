import { chmod } from 'node:fs/promises';
import { open } from 'lmdb';
import { isDamaged, requireAccess } from './environmentFile.js';

/**
 * Copies an LMDB file as it is at one moment, between two transactions, while any process of this machine (and of this
 * container) may write it. The target must not exist; it is readable by its owner alone.
 */
export const copyEnvironment = async (path: string, target: string): Promise<void> => {
  requireAccess(path);
  if (isDamaged(path)) throw new Error(`The file ${path} is damaged, or was not written by LMDB`);
  const options = { path, readOnly: true, overlappingSync: false };
  const environment = open(options);
  try {
    await environment.backup(target, false);
  } finally {
    await environment.close();
  }
  await chmod(target, 0o600);
};
