import { performance } from 'node:perf_hooks';
import type { Clock } from '../../ports/clock.js';

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
