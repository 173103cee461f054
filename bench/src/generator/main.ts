import { serveJobs } from '../process/worker.js';
import { measureChat } from './chat.js';
import { measureDurable } from './durable.js';
import { measureFanOut, measureFiltered } from './fanOut.js';
import { fillRooms } from './fillRooms.js';
import { fillThroughApi, measureRequests, measureRest } from './rest.js';
import { measureGatewayHop } from './gatewayHop.js';
import { measureGroups } from './groups.js';
import { measureHistoryReads } from './historyReads.js';
import { measureIdle, measureStorm } from './idle.js';
import type { GeneratorJob, ResultOf } from './jobs.js';
import { measureJoinStorm } from './joinStorm.js';
import { measurePresence } from './presence.js';
import { measurePublishing } from './publishing.js';
import { measureResume } from './resume.js';
import { measureWorkers } from './workers.js';

serveJobs<GeneratorJob, ResultOf<GeneratorJob>>(async (job) => {
  switch (job.kind) {
    case 'fanOut':
      return measureFanOut(job);
    case 'filters':
      return measureFiltered(job);
    case 'chat':
      return measureChat(job);
    case 'storm':
      return measureStorm(job);
    case 'idle':
      return measureIdle(job);
    case 'presence':
      return measurePresence(job);
    case 'joinStorm':
      return measureJoinStorm(job);
    case 'groups':
      return measureGroups(job);
    case 'publishing':
      return measurePublishing(job);
    case 'durable':
      return measureDurable(job);
    case 'fillRooms':
      return fillRooms(job);
    case 'resume':
      return measureResume(job);
    case 'workers':
      return measureWorkers(job);
    case 'historyReads':
      return measureHistoryReads(job);
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
