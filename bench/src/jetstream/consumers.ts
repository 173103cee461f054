import { Buffer } from 'node:buffer';
import { setTimeout as wait } from 'node:timers/promises';
import { DeliverPolicy } from '@nats-io/jetstream';
import { dataBytes } from '../generator/frames.js';
import type { Measurement } from '../measure/comparison.js';
import { Samples } from '../measure/samples.js';
import { type CpuUse, startCpuMeter } from '../measure/usage.js';
import type { JetStreamJob } from './jobs.js';
import { connectTo, openStream, type OpenStream, streamName } from './stream.js';

const connections = 32;
const lookEveryMs = 5;
const patienceMs = 60_000;
const data = Buffer.alloc(dataBytes, 0x2e);

type ResumeJob = JetStreamJob & { kind: 'resume' };

/** Waves of ordered consumers that begin at the same moment, each behind what was the last message of its subject. */
export const measureConsumers = async (job: ResumeJob): Promise<Measurement> => {
  const publisher = await openStream(job.port, job.subjects);
  const clients: OpenStream[] = [];
  try {
    while (clients.length < connections) clients.push(await connectTo(job.port));
    const latencies = new Samples();
    const [slowest, uses]: [number[], CpuUse[]] = [[], []];
    await wave(job, publisher, clients, () => undefined);
    const end = performance.now() + job.seconds * 1000;
    do {
      let last = 0;
      uses.push(
        await wave(job, publisher, clients, (latency) => {
          latencies.record(latency);
          last = Math.max(last, latency);
        }),
      );
      slowest.push(last);
    } while (performance.now() < end);
    const replayed = job.subscribers * job.missed * uses.length;
    const sum = (of: keyof CpuUse): number => uses.reduce((total, use) => total + use[of], 0);
    return {
      p50: latencies.percentile(50),
      p99: latencies.percentile(99),
      all: slowest.reduce((total, last) => total + last, 0) / slowest.length,
      messagesPerSecond: replayed / sum('elapsed'),
      cpuPerMessage: (sum('server') * 1e6) / replayed,
      serverCpu: (sum('server') / sum('elapsed')) * 100,
      generatorCpu: (sum('generator') / sum('elapsed')) * 100,
    };
  } finally {
    await Promise.all([publisher, ...clients].map(({ connection }) => connection.close()));
  }
};

const wave = async (
  { subjects, missed, subscribers, serverId }: ResumeJob,
  publisher: OpenStream,
  clients: readonly OpenStream[],
  onLive: (latency: number) => void,
): Promise<CpuUse> => {
  const { seq: last } = await publisher.client.publish(subjects[0] ?? '', data);
  for (let count = 0; count < missed; count += 1)
    await Promise.all(subjects.map((subject) => publisher.client.publish(subject, data)));
  let live = 0;
  const meter = startCpuMeter(serverId);
  const begin = performance.now();
  const starting = Array.from({ length: subscribers }, async (_, index) => {
    const { client } = clients[index % clients.length] as OpenStream;
    const consumer = await client.consumers.get(streamName, {
      filter_subjects: subjects[index % subjects.length] ?? '',
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: last + 1,
    });
    let left = missed;
    await consumer.consume({
      callback() {
        left -= 1;
        if (left !== 0) return;
        live += 1;
        onLive(performance.now() - begin);
      },
    });
    return consumer;
  });
  const consumers = await Promise.all(starting);
  while (live < subscribers) {
    if (performance.now() - begin > patienceMs)
      throw new Error(`${live} of ${subscribers} consumers have what they missed after a minute`);
    await wait(lookEveryMs);
  }
  const use = meter();
  // Those that are only closed count for the limits of the stream until they have been away for minutes.
  await Promise.all(consumers.map((consumer) => consumer.delete()));
  return use;
};
