import { serveJobs } from '../process/worker.js';
import { fillLog } from '../storage/fillLog.js';
import { roomHistory, someOwner } from '../storage/history.js';
import type { RebuildJob, RebuildResult } from './jobs.js';
import { openProfile } from './openProfile.js';
import { measureRebuild } from './rebuild.js';

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
