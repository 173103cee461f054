import { mkdir, realpath, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { DataFolderInUse } from '../../ports/errors.js';
import { once } from '../../runtime/service.js';
import { requireAccess, sync } from './durableEnvironment.js';
import { isDamaged } from './lmdbFile.js';

/** The folder of the embedded engines, owned by this process until it closes it or ends. */
export interface DataFolder {
  readonly path: string;
  /** Path of an engine's file inside. */
  file(name: string): string;
  /** Gives up ownership; the engines in the folder must have been closed before. */
  close(): Promise<void>;
}

/** Folders that this process owns, since the operating system's locks do not distinguish two owners in one process. */
const owned = new Set<string>();

/** Makes the folder where it is missing and takes ownership; rejects with `DataFolderInUse` when another has it. */
export const openDataFolder = async (path: string): Promise<DataFolder> => {
  await makeFolder(resolve(path));
  const folder = await realpath(path);
  if (owned.has(folder)) throw new DataFolderInUse(folder, process.pid);
  owned.add(folder);
  try {
    const claim = await claimFolder(folder);
    const release = () => claim.close().finally(() => owned.delete(folder));
    return { path: folder, file: (name) => join(folder, name), close: once(release) };
  } catch (error) {
    owned.delete(folder);
    throw error;
  }
};

/** Node's own recursive mode never ends where a parent refuses new folders, such as `/proc`. */
const makeFolder = async (path: string): Promise<void> => {
  const make = async () => {
    await mkdir(path, { mode: 0o700 });
    sync(dirname(path));
  };
  try {
    await make();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await make().catch(unlessThere);
  }
};

/** Another process may create it at the same time. */
const unlessThere = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EEXIST') throw error;
};

type OwnerFile = RootDatabase<number, string>;

/**
 * The claim is a slot in the reader table of an LMDB environment. Each process in the table holds a file lock, which
 * the operating system releases when the process ends for any reason, so that no stale claim remains.
 */
const claimFolder = async (folder: string): Promise<OwnerFile> => {
  const path = join(folder, 'owner.lmdb');
  requireAccess(path);
  // Left by a power failure, or cut off: it holds nothing that must be kept, and the file of a running owner is complete.
  if (isDamaged(path)) await rm(path);
  const options = { path, permissionsMode: 0o600, overlappingSync: false };
  const file: OwnerFile = open(options);
  try {
    takeSlot(file, folder);
    const owner = file.transactionSync(() => recordOwner(file));
    if (owner !== process.pid) throw new DataFolderInUse(folder, owner);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
};

/** A first read takes the slot, which is kept until the file is closed. */
const takeSlot = (file: OwnerFile, folder: string): void => {
  try {
    file.get('owner');
  } catch {
    // Another process has this process id: a container with the same volume, where it is 1 too.
    throw new DataFolderInUse(folder, process.pid);
  }
};

/** Must run in a write transaction, which orders processes that start at the same time. */
const recordOwner = (file: OwnerFile): number => {
  const owner = file.get('owner');
  if (owner !== undefined && isAlive(file, owner)) return owner;
  file.putSync('owner', process.pid);
  return process.pid;
};

const isAlive = (file: OwnerFile, processId: number): boolean => {
  file.readerCheck(); // Removes the slots of processes that have ended.
  return processesIn(file.readerList()).includes(processId);
};

/** From a line for each slot: process, thread, transaction. */
const processesIn = (readerList: string): number[] =>
  Array.from(readerList.matchAll(/^ *(\d+) /gm), ([, processId]) => Number(processId));
