import { open, type RootDatabase } from 'lmdb';
import { isDamaged, requireAccess } from './environmentFile.js';

/** An LMDB file in which what has been committed is on disk. */
export interface DurableEnvironment {
  readonly root: RootDatabase;
  /**
   * Runs the work in one write transaction and resolves when it is on disk. Work that throws leaves nothing behind.
   * Rejects with what the work threw, or with the reason why the commit failed.
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
