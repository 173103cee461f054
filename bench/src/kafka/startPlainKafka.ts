import type { HopLoad, HopResult } from '../hop/measureHop.js';
import { startWorker, type Worker } from '../process/worker.js';

export interface PlainKafkaJob extends HopLoad {
  readonly brokers: string;
}

export const startPlainKafka = (): Worker<PlainKafkaJob, HopResult> =>
  startWorker<PlainKafkaJob, HopResult>(new URL('./main.js', import.meta.url), undefined);
