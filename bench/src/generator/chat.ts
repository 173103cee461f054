import type { Buffer } from 'node:buffer';
import { setTimeout as wait } from 'node:timers/promises';
import type { Measurement } from '../measure/comparison.js';
import { startCpuMeter } from '../measure/usage.js';
import type { Connection } from './connection.js';
import { inTurn, pace } from './pace.js';
import { type ChatJob, workFigures } from './jobs.js';
import { Subscriber, Tally } from './subscriber.js';
import type { Wire } from './wires/wire.js';
import { wireOf } from './wires/wireOf.js';

const joinsAtOnce = 50;
const lookEveryMs = 10;
const patienceMs = 3_000;

interface Chatter {
  readonly connection: Connection;
  readonly frame: Buffer;
  readonly ear: Subscriber;
}

/** Clients in pairs: each says something in turn, the other one hears it. What somebody hears of themselves is not counted. */
export const measureChat = async (job: ChatJob): Promise<Measurement> => {
  const wire = wireOf(job.login);
  const tally = new Tally();
  const chatters: Chatter[] = [];
  try {
    await inTurn(job.topics.length * job.clientsPerRoom, joinsAtOnce, async (index) => {
      chatters.push(await seat(job, wire, tally, index));
    });
    return await measureTalk(job, wire, tally, chatters);
  } finally {
    for (const { connection } of chatters) connection.end();
  }
};

const seat = async (job: ChatJob, wire: Wire, tally: Tally, index: number): Promise<Chatter> => {
  const topic = job.topics[index % job.topics.length] ?? '';
  const connection = await wire.subscriber({ port: job.port, index, topic });
  const ear = new Subscriber(tally, wire.layout);
  ear.sample(true);
  connection.receiver = ear;
  return { connection, frame: wire.publishFrame(topic), ear };
};

const measureTalk = async (
  job: ChatJob,
  wire: Wire,
  tally: Tally,
  chatters: readonly Chatter[],
): Promise<Measurement> => {
  let said = 0;
  const say = (intended: number): void => {
    const { connection, frame } = chatters[said % chatters.length] as Chatter;
    said += 1;
    connection.write(wire.stamped(frame, intended));
  };
  await pace(job.messagesPerSecond, job.warmUpSeconds, say);
  tally.latencies.clear();
  tally.sampleFrom = performance.now();
  const meter = startCpuMeter(job.serverId);
  const before = tally.delivered;
  await pace(job.messagesPerSecond, job.seconds, say);
  const others = job.clientsPerRoom - 1;
  const told = wire.echoes ? job.clientsPerRoom : others;
  const figures = workFigures(((tally.delivered - before) * others) / told, meter());
  const lost = await settle(tally, () => said * told);
  const { latencies } = tally;
  return { p50: latencies.percentile(50), p99: latencies.percentile(99), ...figures, lost };
};

/** Waits for what is on its way. Resolves with what does not come. */
const settle = async (tally: Tally, expected: () => number): Promise<number> => {
  const deadline = performance.now() + patienceMs;
  while (tally.delivered < expected() && performance.now() < deadline) await wait(lookEveryMs);
  if (tally.unexpected > 0) throw new Error(`Clients got ${tally.unexpected} frames besides messages`);
  return expected() - tally.delivered;
};
