import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { chmod } from 'node:fs/promises';
import { requireWhole } from './lmdbFile.js';

/**
 * Throws the operating system's error where an environment could not be made or written: lmdb-js 3.5.6 would end the process with
 * a segmentation fault.
 */
export const requireAccess = (path: string): void => {
  accessSync(dirname(path), constants.W_OK | constants.X_OK);
  for (const file of [path, `${path}-lock`]) {
    if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK);
  }
};

/** An empty environment. The file gets its name when it is complete: one that is empty was cut off, and did not just begin. */
const makeEnvironment = (path: string): void => {
  const draft = `${path}.draft`;
  for (const file of [draft, `${draft}-lock`]) rmSync(file, { force: true });
  // Nothing was written to it, so that it is closed before this returns.
  const options = { path: draft, permissionsMode: 0o600, overlappingSync: false };
  void open(options).close();
  sync(draft);
  renameSync(draft, path);
  sync(dirname(path));
  rmSync(`${draft}-lock`, { force: true });
};

/** Brings the content of a file to the disk, or the names in a folder. */
export const sync = (path: string): void => {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
};

/** An LMDB file whose commits are durable. */
export interface DurableEnvironment {
  readonly root: RootDatabase;
  /**
   * Runs the work in one write transaction and resolves when it is on disk. Work that throws leaves nothing behind.
   * Rejects with the error of the work, or with the reason why the commit failed.
   */
  transact<T>(work: () => T): Promise<T>;
  /**
   * Puts and removes what the work says, all of it or nothing, and resolves when it is on disk. The work runs at once, cannot read
   * what it writes, and must not throw. What comes while the disk is busy shares the next commit.
   */
  write(work: () => void): Promise<void>;
  close(): Promise<void>;
}

export const openDurableEnvironment = (path: string): DurableEnvironment => {
  requireAccess(path);
  if (existsSync(path)) requireWhole(path);
  else makeEnvironment(path);
  const options = {
    path,
    permissionsMode: 0o600,
    // LMDB's own order: pages, sync, then the meta page through a synchronous descriptor. A commit that has resolved
    // is on disk, and no reader can see one that is not.
    overlappingSync: false,
    // With it lmdb-js makes a second promise for each commit, whose rejection cannot be handled: a full disk ends the process.
    eventTurnBatching: false,
  };
  const root = open(options);
  return {
    root,
    // A child transaction, because lmdb-js commits a plain one even when the work has thrown halfway.
    transact: (work) => root.childTransaction(work).catch(rethrowReason),
    // LMDB's thread makes these changes without coming back, so that a commit waits for one turn of the event loop instead of several.
    async write(work) {
      await root.batch(work).catch(rethrowReason);
    },
    close: () => root.close(),
  };
};

/** lmdb-js rejects with 'Commit failed' and keeps the reason in a second promise, which must not stay unhandled. */
const rethrowReason = async (failure: Error & { readonly commitError?: Promise<never> }): Promise<never> => {
  await failure.commitError;
  throw failure;
};

/**
 * Copies a consistent snapshot of an LMDB file, even while another process on this machine (and in this
 * container) writes it. The target must not exist; it is readable by its owner alone.
 */
export const copyEnvironment = async (path: string, target: string): Promise<void> => {
  requireAccess(path);
  requireWhole(path);
  const options = { path, readOnly: true, overlappingSync: false };
  const environment = open(options);
  try {
    await environment.backup(target, false);
  } finally {
    await environment.close();
  }
  await chmod(target, 0o600);
};
