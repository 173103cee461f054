import type { Measurement } from '../measure/comparison.js';
import { serveJobs } from '../process/worker.js';
import type { JetStreamJob } from './jobs.js';
import { measurePublishes } from './publishes.js';
import { measureConsumers } from './consumers.js';

serveJobs<JetStreamJob, Measurement>((job) =>
  job.kind === 'publish' ? measurePublishes(job) : measureConsumers(job),
);
