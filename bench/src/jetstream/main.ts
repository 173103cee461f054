import type { Measurement } from '../measure/comparison.js';
import { serveJobs } from '../process/worker.js';
import type { JetStreamJob } from './jobs.js';
import { measurePublishes } from './publishes.js';
import { measureConsumers } from './consumers.js';
import { measureWork } from './work.js';

serveJobs<JetStreamJob, Measurement>((job) => {
  if (job.kind === 'publish') return measurePublishes(job);
  return job.kind === 'work' ? measureWork(job) : measureConsumers(job);
});
