import type { Measurement } from '../measure/comparison.js';
import { startCpuMeter, type CpuUse } from '../measure/cpu.js';
import { atRest } from './atRest.js';
import { Crowd } from './crowd.js';
import type { StormJob } from './jobs.js';
import { heldMemory } from './serverMemory.js';

const uncountedWaves = 1;

/** Waves of clients that connect, authenticate, subscribe and are gone. The first one warms the server up. */
export const measureStorm = async (job: StormJob): Promise<Measurement> => {
  for (let count = 0; count < uncountedWaves; count += 1) await wave(job);
  const before = await heldMemory(job.serverId);
  const waves: CpuUse[] = [];
  for (let count = 0; count < job.waves; count += 1) waves.push(await wave(job));
  const keptMegabytes = ((await heldMemory(job.serverId)) - before) / 1024;
  return { ...rates(job, waves), keptMegabytes };
};

/** Until the server is done with those who have gone; what that takes is not counted. */
const wave = async (job: StormJob): Promise<CpuUse> => {
  const meter = startCpuMeter(job.serverId);
  const crowd = await Crowd.gather(job);
  const use = meter();
  await crowd.scatter();
  await atRest(job.serverId);
  return use;
};

const rates = ({ clients }: StormJob, waves: readonly CpuUse[]): Measurement => {
  const sum = (of: keyof CpuUse): number => waves.reduce((total, use) => total + use[of], 0);
  const all = clients * waves.length;
  return {
    clientsPerSecond: all / sum('elapsed'),
    cpuPerClient: (sum('server') * 1e6) / all,
    serverCpu: (sum('server') / sum('elapsed')) * 100,
    generatorCpu: (sum('generator') / sum('elapsed')) * 100,
  };
};
