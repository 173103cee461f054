import { Buffer } from 'node:buffer';
import { setTimeout as wait } from 'node:timers/promises';
import { startCpuMeter } from '../measure/cpu.js';
import type { Measurement } from '../measure/comparison.js';
import type { FanOutJob, FanOutResult, FilterJob, StageJob } from './jobs.js';
import { pace } from './pace.js';
import { Stage } from './stage.js';
import { workFigures } from './workFigures.js';

/** One round of one peer: connects everybody, saturates the server, then loads it moderately. */
export const measureFanOut = async (job: FanOutJob): Promise<FanOutResult> => {
  const stage = await Stage.assemble(job);
  try {
    await probe(stage);
    const saturated = await measureSaturated(stage, job);
    const moderate = await measureModerate(stage, job);
    return { saturated, moderate };
  } finally {
    stage.close();
  }
};

/** One round with filters: as many publishes as the server takes, each to those that its value matches. */
export const measureFiltered = async (job: FilterJob): Promise<Measurement> => {
  const stage = await Stage.assemble(job);
  try {
    await probe(stage);
    const measured = await measureSaturated(stage, job);
    const publishesPerSecond = (measured['deliveriesPerSecond'] ?? Number.NaN) / stage.audience;
    return { ...measured, publishesPerSecond };
  } finally {
    stage.close();
  }
};

/** The first message shows that everybody is subscribed, and how long a delivery is. */
const probe = async (stage: Stage): Promise<void> => {
  stage.publish(stage.frame, 1);
  const missing = await stage.settle();
  if (missing > 0) throw new Error(`${missing} of ${stage.audience} subscribers get nothing`);
};

const measureSaturated = async (stage: Stage, job: StageJob): Promise<Measurement> => {
  const stop = keepInFlight(stage, job.window);
  await wait(job.warmUpSeconds * 1000);
  const meter = startCpuMeter(job.serverId);
  const before = stage.tally.delivered;
  await wait(job.seconds * 1000);
  const deliveries = stage.tally.delivered - before;
  const use = meter();
  stop();
  const lost = await stage.settle();
  return { ...workFigures(deliveries, use), lost };
};

/** Each message that arrives at the pacemaker is replaced by a new one. */
const keepInFlight = (stage: Stage, window: number): (() => void) => {
  const batch = Buffer.concat(Array.from({ length: window }, () => stage.frame));
  const { pacemaker } = stage;
  const refill = (): void => {
    const free = window - (stage.published - pacemaker.received);
    if (free > 0) stage.publish(batch.subarray(0, free * stage.frame.length), free);
  };
  pacemaker.afterChunk = refill;
  refill();
  return () => (pacemaker.afterChunk = undefined);
};

const measureModerate = async (stage: Stage, job: FanOutJob): Promise<Measurement> => {
  const { latencies } = stage.tally;
  const publish = (intended: number): void => stage.publish(stage.wire.stamped(stage.frame, intended), 1);
  stage.sample(true);
  await pace(job.publishesPerSecond, job.warmUpSeconds, publish);
  latencies.clear();
  stage.tally.sampleFrom = performance.now();
  const meter = startCpuMeter(job.serverId);
  const before = stage.tally.delivered;
  await pace(job.publishesPerSecond, job.seconds, publish);
  const deliveries = stage.tally.delivered - before;
  const use = meter();
  const lost = await stage.settle();
  stage.sample(false);
  const latency = { p50: latencies.percentile(50), p99: latencies.percentile(99) };
  return { ...latency, ...workFigures(deliveries, use), lost };
};
