import { serveJobs } from '../process/worker.js';
import { measureFanOut } from './fanOut.js';
import type { GeneratorJob, ResultOf } from './jobs.js';
import { measureRest } from './rest.js';

serveJobs<GeneratorJob, ResultOf<GeneratorJob>>((job) =>
  job.kind === 'fanOut' ? measureFanOut(job) : measureRest(job),
);
