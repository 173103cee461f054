import { setTimeout as wait } from 'node:timers/promises';
import type { Measurement } from '../measure/comparison.js';
import type { Line } from './line.js';
import { pace, paceInTicks } from '../generator/pace.js';
import { type CpuSeconds, startCpuMeters } from '../measure/usage.js';

/** Messages a second of the phases whose latency is measured. */
export const hopRates = { fast: 5_000, moderate: 200 } as const;

export interface HopLoad {
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** Saturated: this many messages between their sending and their arrival. */
  readonly window: number;
  /** Whose CPU time is counted, by the name of the figure. */
  readonly processes: Readonly<Record<string, number>>;
}

export type HopPhase = 'saturated' | keyof typeof hopRates;

export type HopResult = Readonly<Record<HopPhase, Measurement>>;

/** Small sends keep a lane from starving the others, and few of them from costing more than what they measure. */
const sendsAWindow = 8;

/**
 * Replaces each message that was both acknowledged and received by a new one. Messages are numbered so that those of
 * a lane have the same remainder. Returns what ends it.
 */
export const keepInFlight = (line: Line, window: number): (() => void) => {
  const { lanes, arrivals } = line;
  const share = Math.ceil(window / lanes.length);
  const next = lanes.map((_, index) => index);
  const begun = lanes.map((lane, index) => ({ sent: lane.sent, received: arrivals.receivedOf(index) }));

  const refill = (isFirst: boolean): void => {
    for (const [index, lane] of lanes.entries()) {
      const { sent = 0, received = 0 } = begun[index] ?? {};
      const done = Math.min(lane.acknowledged - sent, arrivals.receivedOf(index) - received);
      const free = share - (lane.sent - sent - done);
      if (free < (isFirst ? 1 : share / sendsAWindow)) continue;
      const first = next[index] ?? 0;
      next[index] = first + free * lanes.length;
      lane.send(Array.from({ length: free }, (_, n) => first + n * lanes.length));
    }
  };
  line.onProgress = () => refill(false);
  refill(true);
  return () => (line.onProgress = undefined);
};

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
