import { Buffer } from 'node:buffer';
import { setTimeout as wait } from 'node:timers/promises';
import { dataBytes } from '../generator/frames.js';
import { paceInTicks } from '../generator/pace.js';
import type { Measurement } from '../measure/comparison.js';
import { Samples } from '../measure/samples.js';
import { startCpuMeter } from '../measure/usage.js';
import type { JetStreamJob } from './jobs.js';
import { openStream } from './stream.js';

const data = Buffer.alloc(dataBytes, 0x2e);
const lookEveryMs = 10;
/** Where it stays behind a schedule, its latency says so. */
const timeout = 60_000;

/** One round: publishes to all subjects in turn over one connection, each acknowledged by the stream. */
export const measurePublishes = async (job: JetStreamJob & { kind: 'publish' }): Promise<Measurement> => {
  const { connection, client } = await openStream(job.port, job.subjects);
  const samples = new Samples();
  let [next, waiting, isOver] = [0, 0, false];
  let failure: Error | undefined;
  const publish = async (intended: number): Promise<void> => {
    waiting += 1;
    try {
      await client.publish(job.subjects[(next += 1) % job.subjects.length] ?? '', data, { timeout });
      samples.record(performance.now() - intended);
    } catch (error) {
      failure ??= error as Error;
    }
    waiting -= 1;
  };
  const keepPublishing = async (): Promise<void> => {
    while (!isOver && failure === undefined) await publish(performance.now());
  };
  const { messagesPerSecond, window } = job;
  if (messagesPerSecond === undefined) for (let index = 0; index < window; index += 1) void keepPublishing();
  const load = (seconds: number): Promise<void> =>
    messagesPerSecond === undefined
      ? wait(seconds * 1000)
      : paceInTicks(messagesPerSecond, seconds, (intended) => void publish(intended));
  try {
    await load(job.warmUpSeconds);
    samples.clear();
    const meter = startCpuMeter(job.serverId);
    await load(job.seconds);
    const { elapsed, server, generator } = meter();
    const figures = {
      messagesPerSecond: samples.count / elapsed,
      p50: samples.percentile(50),
      p99: samples.percentile(99),
      cpuPerMessage: (server * 1e6) / samples.count,
      serverCpu: (server / elapsed) * 100,
      generatorCpu: (generator / elapsed) * 100,
      lost: 0,
    };
    isOver = true;
    while (waiting > 0) await wait(lookEveryMs);
    if (failure) throw failure;
    return figures;
  } finally {
    isOver = true;
    await connection.close();
  }
};
