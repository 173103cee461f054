import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

const cacheRoot = (): string =>
  process.env['ROOMWIRE_ENGINES_CACHE'] || join(homedir(), '.cache', 'roomwire', 'engines');

/** By name, in this process. */
const folders = new Map<string, Promise<string>>();

/**
 * A folder that is filled once for all runs on this machine. It appears complete or not at all: it is filled under
 * another name, and of two processes that fill it at the same time one discards its work.
 */
export const cachedFolder = async (
  name: string,
  fill: (folder: string) => Promise<void>,
): Promise<string> => {
  const known = folders.get(name);
  if (known) return known;
  const filled = filledFolder(join(cacheRoot(), name), fill);
  folders.set(name, filled);
  filled.catch(() => folders.delete(name));
  return filled;
};

const filledFolder = async (folder: string, fill: (folder: string) => Promise<void>): Promise<string> => {
  if (await exists(folder)) return folder;
  await mkdir(dirname(folder), { recursive: true });
  const unfinished = await mkdtemp(`${folder}.`);
  try {
    await fill(unfinished);
    await rename(unfinished, folder);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (!(await exists(folder))) throw error;
  }
  return folder;
};
