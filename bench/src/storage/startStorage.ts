import type { Measurement } from '../measure/comparison.js';
import type { Owner } from './history.js';
import { startWorker, type Worker } from '../process/worker.js';

type Engine = 'eventLog' | 'lmdb';

export type StorageJob =
  | { readonly kind: 'open'; readonly engine: Engine; readonly folder: string }
  | { readonly kind: 'fill'; readonly owner: Owner; readonly apps: number; readonly events: number }
  | {
      readonly kind: 'append';
      readonly writers: number;
      readonly warmUpSeconds: number;
      readonly seconds: number;
    }
  | { readonly kind: 'readAll'; readonly warmUpSeconds: number; readonly seconds: number }
  | { readonly kind: 'close' };

/** Empty where there is nothing to tell. */
export type StorageResult = Measurement;

/** A store in a process of its own, on all cores: LMDB writes and syncs beside the thread that runs JavaScript. */
export const startStorage = async (
  engine: Engine,
  folder: string,
): Promise<Worker<StorageJob, StorageResult>> => {
  const worker = startWorker<StorageJob, StorageResult>(new URL('./main.js', import.meta.url), undefined);
  await worker.run({ kind: 'open', engine, folder });
  return worker;
};
