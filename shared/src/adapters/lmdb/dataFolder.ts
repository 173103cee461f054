import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { open } from 'lmdb';
import { DataFolderInUse } from '../../ports/errors.js';
import { once } from '../../runtime/service.js';

/** A folder of engine files that belongs to this process alone. */
export interface DataFolder {
  readonly path: string;
  /** Path of an engine's file. */
  file(name: string): string;
  /** Gives the folder up, after everything in it has been closed. */
  close(): Promise<void>;
}

/** What this process owns: the operating system's locks tell processes apart, not openings within one. */
const ownedHere = new Set<string>();

/**
 * Makes the folder where it is missing, readable by its owner alone, and takes it. Rejects with `DataFolderInUse` when
 * another opening has it. Ownership ends with the process, however it ends.
 */
export const openDataFolder = async (folder: string): Promise<DataFolder> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = await realpath(folder);
  if (ownedHere.has(path)) throw new DataFolderInUse(folder, process.pid);
  ownedHere.add(path);
  const claim = claimOf(path);
  const rival = claim.rival();
  if (rival !== undefined) {
    ownedHere.delete(path);
    await claim.release();
    throw new DataFolderInUse(folder, rival);
  }
  return {
    path,
    file: (name) => join(path, name),
    close: once(async () => {
      await claim.release();
      ownedHere.delete(path);
    }),
  };
};

/**
 * A slot in the table of readers that LMDB keeps for an environment. The table is in shared memory and LMDB knows by a
 * lock of the operating system which of its processes live, so nothing is left behind by one that was killed.
 */
const claimOf = (path: string) => {
  const owner = open({ path: join(path, 'owner.lmdb'), noSubdir: true });
  owner.get('slot');
  return {
    rival(): number | undefined {
      owner.readerCheck();
      return processesIn(owner.readerList()).find((processId) => processId !== process.pid);
    },
    release: () => owner.close(),
  };
};

/** A heading, then a line for each slot: process, thread, transaction. */
const processesIn = (readerList: string): number[] =>
  readerList
    .split('\n')
    .map((line) => Number.parseInt(line, 10))
    .filter((processId) => !Number.isNaN(processId));
