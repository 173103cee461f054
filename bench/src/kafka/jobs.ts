import type { HopLoad } from '../hop/jobs.js';

export interface PlainKafkaJob extends HopLoad {
  readonly brokers: string;
}
