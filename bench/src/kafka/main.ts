import type { HopResult } from '../hop/jobs.js';
import { measureHop } from '../hop/measureHop.js';
import { serveJobs } from '../process/worker.js';
import type { PlainKafkaJob } from './jobs.js';
import { PlainLine } from './plainLine.js';

serveJobs<PlainKafkaJob, HopResult>(async (job) => {
  const line = await PlainLine.open(job.brokers);
  try {
    return await measureHop(line, job);
  } finally {
    await line.close();
  }
});
