import { access } from 'node:fs/promises';
import type { DataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';

/** In a data folder that a restore has not filled yet: a start on it would take it for a new one, or for an older one. */
export const unfinishedMark = 'restore.unfinished';

export const requireWhole = async (folder: DataFolder): Promise<void> => {
  const isUnfinished = await access(folder.file(unfinishedMark)).then(
    () => true,
    () => false,
  );
  if (isUnfinished)
    throw new Error(`A restore into ${folder.path} was interrupted: run it again, with the same backup`);
};
