import type { HopResult } from '../hop/jobs.js';
import { measureHop } from '../hop/measureHop.js';
import { GatewayLine } from './gatewayLine.js';
import type { HopJob } from './jobs.js';

/** One round: connects to both gateways, then loads the way between them. */
export const measureGatewayHop = async (job: HopJob): Promise<HopResult> => {
  const line = await GatewayLine.open(job);
  try {
    return await measureHop(line, job);
  } finally {
    line.close();
  }
};
