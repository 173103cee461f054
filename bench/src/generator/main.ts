import { serveJobs } from '../process/worker.js';
import { measureFanOut, measureFiltered } from './fanOut.js';
import { fillThroughApi } from './fill.js';
import { measureGatewayHop } from './gatewayHop.js';
import type { GeneratorJob, ResultOf } from './jobs.js';
import { measureRequests } from './requests.js';
import { measureRest } from './rest.js';

serveJobs<GeneratorJob, ResultOf<GeneratorJob>>(async (job) => {
  switch (job.kind) {
    case 'fanOut':
      return measureFanOut(job);
    case 'filters':
      return measureFiltered(job);
    case 'rest':
      return measureRest(job);
    case 'requests':
      return measureRequests(job);
    case 'fill':
      await fillThroughApi(job);
      return {};
    case 'hop':
      return measureGatewayHop(job);
  }
});
