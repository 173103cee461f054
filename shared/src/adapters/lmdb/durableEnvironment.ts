import { accessSync, closeSync, constants, existsSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { chmod } from 'node:fs/promises';

// Where LMDB cannot open a file, because it belongs to another user or is damaged, lmdb-js 3.5.6 ends the process with a
// segmentation fault. So both are checked before.

/** Throws the operating system's error where an environment could not be made or written. */
export const requireAccess = (path: string): void => {
  accessSync(dirname(path), constants.W_OK | constants.X_OK);
  for (const file of [path, `${path}-lock`]) {
    if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK);
  }
};

/** Whether the file has content without the header of an LMDB file. */
export const isDamaged = (path: string): boolean => {
  if (!existsSync(path)) return false;
  const start = firstBytes(path);
  return start.length > 0 && !start.includes(magicNumber);
};

/** 0xBEEFC0DE in the header of the first page. */
const magicNumber = Buffer.from([0xde, 0xc0, 0xef, 0xbe]);

const firstBytes = (path: string): Buffer => {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(64);
    return bytes.subarray(0, readSync(file, bytes));
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
  close(): Promise<void>;
}

export const openDurableEnvironment = (path: string): DurableEnvironment => {
  requireAccess(path);
  if (isDamaged(path)) throw new Error(`The file ${path} is damaged, or was not written by LMDB`);
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
