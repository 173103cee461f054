import type { HopResult } from '../hop/jobs.js';
import { startWorker, type Worker } from '../process/worker.js';
import type { PlainKafkaJob } from './jobs.js';

export const startPlainKafka = (): Worker<PlainKafkaJob, HopResult> =>
  startWorker<PlainKafkaJob, HopResult>(new URL('./main.js', import.meta.url), undefined);
