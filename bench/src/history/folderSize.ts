import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes on disk of the files in a folder, and in those inside, whose names begin so. */
export const folderSize = async (folder: string, prefix = ''): Promise<number> => {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = files
    .filter((file) => file.isFile() && file.name.startsWith(prefix))
    .map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).blocks * 512);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
};
