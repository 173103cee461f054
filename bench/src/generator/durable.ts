import { setTimeout as wait } from 'node:timers/promises';
import type { Measurement } from '../measure/comparison.js';
import { Samples } from '../measure/samples.js';
import { startCpuMeter } from '../measure/usage.js';
import type { Connection } from './connection.js';
import { DurablePublisher } from './durablePublisher.js';
import type { DurableJob } from './jobs.js';
import { paceInTicks } from './pace.js';
import { Subscriber, Tally } from './subscriber.js';
import { admitted } from './wires/roomwireWire.js';
import { wireOf } from './wires/wireOf.js';

const lookEveryMs = 10;
const patienceMs = 10_000;

/** One round: publishes on all connections, and what has come out at the subscribers. */
export const measureDurable = async (job: DurableJob): Promise<Measurement> => {
  const connections: Connection[] = [];
  const keep = (connection: Connection): Connection => {
    connections.push(connection);
    return connection;
  };
  try {
    const [tally, latencies, wire] = [new Tally(), new Samples(), wireOf(job.login)];
    const publishers: DurablePublisher[] = [];
    for (const [index, topic] of job.isHeard ? job.topics.entries() : [])
      keep(await wire.subscriber({ port: job.port, index, topic })).receiver = new Subscriber(
        tally,
        wire.layout,
      );
    for (let index = 0; index < job.connections; index += 1) {
      const connection = keep(await admitted(job.port, job.login.publisherToken));
      const topics = job.topics.filter((_, topic) => topic % job.connections === index);
      publishers.push(new DurablePublisher(connection, topics, latencies));
    }
    return await measure(job, publishers, latencies, tally);
  } finally {
    for (const connection of connections) connection.end();
  }
};

const measure = async (
  job: DurableJob,
  publishers: readonly DurablePublisher[],
  latencies: Samples,
  tally: Tally,
): Promise<Measurement> => {
  const sum = (of: 'answered' | 'waiting' | 'unexpected'): number =>
    publishers.reduce((total, publisher) => total + publisher[of], 0);
  const load = loadOf(job, publishers);
  await load.run(job.warmUpSeconds);
  latencies.clear();
  const before = sum('answered');
  const meter = startCpuMeter(job.serverId);
  await load.run(job.seconds);
  const messages = sum('answered') - before;
  const { elapsed, server, generator } = meter();
  const figures = {
    messagesPerSecond: messages / elapsed,
    p50: latencies.percentile(50),
    p99: latencies.percentile(99),
    cpuPerMessage: (server * 1e6) / messages,
    serverCpu: (server / elapsed) * 100,
    generatorCpu: (generator / elapsed) * 100,
  };
  load.stop();
  const deadline = performance.now() + patienceMs;
  const missing = (): number =>
    job.isHeard ? sum('waiting') + sum('answered') - tally.delivered : sum('waiting');
  while (missing() !== 0 && performance.now() < deadline) await wait(lookEveryMs);
  const unexpected = sum('unexpected') + tally.unexpected;
  if (unexpected > 0) throw new Error(`${unexpected} frames were neither answers nor messages`);
  return { ...figures, messages: sum('answered'), lost: missing() };
};

interface Load {
  run(seconds: number): Promise<void>;
  stop(): void;
}

const loadOf = ({ messagesPerSecond, window }: DurableJob, publishers: readonly DurablePublisher[]): Load => {
  if (messagesPerSecond !== undefined) {
    let next = 0;
    const publish = (intended: number): void =>
      publishers[(next += 1) % publishers.length]?.publish(intended);
    return {
      run: (seconds) => paceInTicks(messagesPerSecond, seconds, publish),
      stop: () => undefined,
    };
  }
  const share = Math.ceil(window / publishers.length);
  for (const publisher of publishers) {
    const publish = (count: number): void => {
      for (let times = 0; times < count; times += 1) publisher.publish(performance.now());
    };
    publisher.onAnswers = publish;
    publish(share);
  }
  return {
    run: (seconds) => wait(seconds * 1_000),
    stop() {
      for (const publisher of publishers) publisher.onAnswers = undefined;
    },
  };
};
