import type { Measurement } from '../measure/comparison.js';
import { atRest } from './atRest.js';
import { Crowd } from './crowd.js';
import type { IdleJob } from './jobs.js';
import { heldMemory, settledMemory } from './serverMemory.js';

const warmUpClients = 100;

/** What a server needs for clients that are there and say nothing, by the growth of its anonymous memory. */
export const measureIdle = async (job: IdleJob): Promise<Measurement> => {
  await (await Crowd.gather(job, warmUpClients)).scatter();
  await atRest(job.serverId);
  const before = await heldMemory(job.serverId);
  const crowd = await Crowd.gather(job);
  const asItIs = await settledMemory(job.serverId);
  const held = await heldMemory(job.serverId);
  await crowd.scatter();
  return {
    heldKilobytes: (held - before) / job.clients,
    residentKilobytes: (asItIs - before) / job.clients,
    emptyMegabytes: before / 1024,
  };
};
