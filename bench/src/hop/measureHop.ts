import { setTimeout as wait } from 'node:timers/promises';
import { pace, paceInTicks } from '../generator/pace.js';
import type { Measurement } from '../measure/comparison.js';
import { startCpuMeters, type CpuSeconds } from '../measure/cpu.js';
import { hopRates, type HopLoad, type HopResult } from './jobs.js';
import { keepInFlight } from './keepInFlight.js';
import type { Line } from './line.js';

const lookEveryMs = 10;
const patienceMs = 5_000;
/** Above, looking at the clock between messages would take a core from the servers. */
const mostPrecise = 1_000;

/** One round of one peer: as much as goes through, then two rates at which latency counts. */
export const measureHop = async (line: Line, load: HopLoad): Promise<HopResult> => {
  const saturated = await measureSaturated(line, load);
  const fast = await measureAtRate(line, load, hopRates.fast);
  const moderate = await measureAtRate(line, load, hopRates.moderate);
  return { saturated, fast, moderate };
};

const measureSaturated = async (line: Line, load: HopLoad): Promise<Measurement> => {
  line.arrivals.expect('numbers');
  const stop = keepInFlight(line, load.window);
  await wait(load.warmUpSeconds * 1000);
  const count = counting(line, load);
  await wait(load.seconds * 1000);
  const figures = count();
  stop();
  return { ...figures, ...(await settle(line)) };
};

const measureAtRate = async (line: Line, load: HopLoad, perSecond: number): Promise<Measurement> => {
  const { arrivals } = line;
  const keepPace = perSecond > mostPrecise ? paceInTicks : pace;
  const send = (intended: number): void => line.lanes[0]?.send([intended]);
  arrivals.expect('moments');
  await keepPace(perSecond, load.warmUpSeconds, send);
  arrivals.sampleFrom(performance.now());
  const count = counting(line, load);
  await keepPace(perSecond, load.seconds, send);
  const figures = count();
  const missing = await settle(line);
  const { latencies } = arrivals;
  return { p50: latencies.percentile(50), p99: latencies.percentile(99), ...figures, ...missing };
};

/** Begins to count; the result tells what has arrived meanwhile, and the work it was. */
const counting = ({ arrivals }: Line, { processes }: HopLoad): (() => Measurement) => {
  const meter = startCpuMeters(processes);
  const before = arrivals.received;
  return () => {
    const { elapsed, cpu } = meter();
    const messages = arrivals.received - before;
    return { messagesPerSecond: messages / elapsed, ...perMessage(cpu, messages) };
  };
};

const perMessage = (cpu: CpuSeconds, messages: number): Measurement =>
  Object.fromEntries(Object.entries(cpu).map(([name, seconds]) => [name, (seconds * 1e6) / messages]));

/** Waits until everything has arrived, or nothing more does; no message may come twice or before an earlier one. */
const settle = async (line: Line): Promise<Measurement> => {
  const { arrivals, lanes } = line;
  const sent = lanes.reduce((sum, lane) => sum + lane.sent, 0);
  let seen = -1;
  for (let quietMs = 0; arrivals.received < sent && quietMs < patienceMs;) {
    quietMs = arrivals.received === seen ? quietMs + lookEveryMs : 0;
    seen = arrivals.received;
    await wait(lookEveryMs);
  }
  line.check();
  if (arrivals.outOfOrder > 0) throw new Error(`${arrivals.outOfOrder} messages came twice or out of order`);
  return { lost: sent - arrivals.received };
};
