import { startWorker, type Worker } from '../process/worker.js';
import type { Engine, StorageJob, StorageResult } from './jobs.js';

/** A store in a process of its own, on all cores: LMDB writes and syncs beside the thread that runs JavaScript. */
export const startStorage = async (
  engine: Engine,
  folder: string,
): Promise<Worker<StorageJob, StorageResult>> => {
  const worker = startWorker<StorageJob, StorageResult>(new URL('./main.js', import.meta.url), undefined);
  await worker.run({ kind: 'open', engine, folder });
  return worker;
};
