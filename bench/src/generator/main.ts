import { serveJobs } from '../process/worker.js';
import { measureFanOut, measureFiltered } from './fanOut.js';
import { measureGatewayHop } from './gatewayHop.js';
import type { GeneratorJob, ResultOf } from './jobs.js';
import { measureRest } from './rest.js';

serveJobs<GeneratorJob, ResultOf<GeneratorJob>>(async (job) => {
  switch (job.kind) {
    case 'fanOut':
      return measureFanOut(job);
    case 'filters':
      return measureFiltered(job);
    case 'rest':
      return measureRest(job);
    case 'hop':
      return measureGatewayHop(job);
  }
});
