import { serveJobs } from '../process/worker.js';
import { fillLog, roomHistory, someOwner } from '../storage/history.js';
import { measureRebuild, openProfile, type RebuildJob, type RebuildResult } from './rebuild.js';

serveJobs<RebuildJob, RebuildResult>(async (job) => {
  const ports = await openProfile(job.profile);
  try {
    if (job.kind === 'rebuild') return await measureRebuild(ports, job.events);
    await fillLog(ports.log, roomHistory(someOwner(), job.apps, job.events));
    return {};
  } finally {
    await ports.close();
  }
});
