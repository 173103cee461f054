import { serveJobs } from '../process/worker.js';
import { measureAppends, measureReads } from './measures.js';
import { openEventLogStore, openLmdbStore, type Store } from './stores.js';
import { roomHistory } from './history.js';
import type { StorageJob, StorageResult } from './startStorage.js';

let opened: Store | undefined;

const store = (): Store => {
  if (opened === undefined) throw new Error('No store is open');
  return opened;
};

serveJobs<StorageJob, StorageResult>(async (job) => {
  switch (job.kind) {
    case 'open':
      opened = job.engine === 'lmdb' ? await openLmdbStore(job.folder) : await openEventLogStore(job.folder);
      return {};
    case 'fill':
      await store().fill(roomHistory(job.owner, job.apps, job.events));
      return {};
    case 'append':
      return measureAppends(store(), job);
    case 'readAll':
      return measureReads(store(), job);
    case 'close':
      await store().close();
      return {};
  }
});
