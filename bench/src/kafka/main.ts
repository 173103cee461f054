import { type HopResult, measureHop } from '../hop/measureHop.js';
import { serveJobs } from '../process/worker.js';
import type { PlainKafkaJob } from './startPlainKafka.js';
import { PlainLine } from './plainLine.js';

serveJobs<PlainKafkaJob, HopResult>(async (job) => {
  const line = await PlainLine.open(job.brokers);
  try {
    return await measureHop(line, job);
  } finally {
    await line.close();
  }
});
