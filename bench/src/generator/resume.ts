import type { Buffer } from 'node:buffer';
import { setTimeout as wait } from 'node:timers/promises';
import { encode } from '@msgpack/msgpack';
import type { Measurement } from '../measure/comparison.js';
import { Samples } from '../measure/samples.js';
import { type CpuUse, startCpuMeter } from '../measure/usage.js';
import { type Connection, type Conversation, FrameReader, type Receiver } from './connection.js';
import { acknowledgedFrame, clientFrame, type FrameSink, FrameWalker } from './frames.js';
import type { ResumeJob } from './jobs.js';
import { inTurn } from './pace.js';
import { admittedToTalk } from './wires/roomwireWire.js';

const connectingAtOnce = 64;
const publishedAtOnce = 64;
const lookEveryMs = 5;
const patienceMs = 60_000;
/** `subscribed`, `replayStart` and `replayEnd` around the messages. */
const framesAround = 3;

const subscribeFrame = (topic: string, from: Readonly<Record<string, unknown>>): Buffer =>
  clientFrame(encode({ type: 'subscribe', topic, filters: [], from }));

/** Counts the frames of one replay, and is live with the last one. */
class Resuming implements Receiver, FrameSink {
  private readonly walker = new FrameWalker(this);
  private left: number;
  private readonly onLive: () => void;

  constructor(missed: number, onLive: () => void) {
    this.left = missed + framesAround;
    this.onLive = onLive;
  }

  receive(chunk: Buffer, end: number): void {
    this.walker.walk(chunk, end);
  }

  onFrame(): void {
    this.left -= 1;
    if (this.left === 0) this.onLive();
  }
}

/** Waves of clients that ask at the same moment for what they have missed, until it is over. */
export const measureResume = async (job: ResumeJob): Promise<Measurement> => {
  const latencies = new Samples();
  const [slowest, uses]: [number[], CpuUse[]] = [[], []];
  await wave(job, () => undefined);
  const end = performance.now() + job.seconds * 1000;
  do {
    let last = 0;
    uses.push(
      await wave(job, (latency) => {
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
};

/** All are admitted; from the moment at which they ask until the last one is live. */
const wave = async (job: ResumeJob, onLive: (latency: number) => void): Promise<CpuUse> => {
  const positions = await positionsOf(job);
  await publishMissed(job);
  await checkOne(job, positions);
  const connections: Connection[] = [];
  try {
    await inTurn(job.subscribers, connectingAtOnce, async (index) => {
      const { subscriberTokens: tokens } = job.login;
      connections.push((await admittedToTalk(job.port, tokens[index % tokens.length] ?? '')).connection);
    });
    let live = 0;
    const meter = startCpuMeter(job.serverId);
    const begin = performance.now();
    for (const [index, connection] of connections.entries()) {
      const topic = job.topics[index % job.topics.length] ?? '';
      connection.receiver = new Resuming(job.missed, () => {
        live += 1;
        onLive(performance.now() - begin);
      });
      connection.write(subscribeFrame(topic, { position: positions.get(topic) }));
    }
    while (live < connections.length) {
      if (performance.now() - begin > patienceMs)
        throw new Error(
          `${live} of ${connections.length} clients are live after ${patienceMs / 1000} seconds`,
        );
      await wait(lookEveryMs);
    }
    return meter();
  } finally {
    for (const connection of connections) connection.end();
  }
};

interface SubscribedFrame {
  readonly type?: unknown;
  readonly position?: string;
  readonly continuity?: unknown;
}

const positionsOf = async ({ port, login, topics }: ResumeJob): Promise<ReadonlyMap<string, string>> => {
  const positions = new Map<string, string>();
  const conversation = await admittedToTalk(port, login.subscriberTokens[0] ?? '');
  for (const topic of topics)
    await conversation.ask(subscribeFrame(topic, { last: 0 }), (frame) => {
      const { type, position = '' } = frame as SubscribedFrame;
      positions.set(topic, position);
      return type === 'subscribed';
    });
  conversation.connection.end();
  return positions;
};

const publishMissed = async ({ port, login, topics, missed }: ResumeJob): Promise<void> => {
  const publishers = await Promise.all(
    Array.from({ length: publishedAtOnce }, () => admittedToTalk(port, login.publisherToken)),
  );
  const idle = [...publishers];
  await inTurn(topics.length * missed, publishedAtOnce, async (index) => {
    const publisher = idle.pop() as Conversation;
    const frame = acknowledgedFrame(topics[index % topics.length] ?? '');
    await publisher.ask(frame, (answer) => (answer as SubscribedFrame).type === 'published');
    idle.push(publisher);
  });
  for (const { connection } of publishers) connection.end();
};

/** What the others only count: one client gets exactly what it has missed, as a continuous replay. */
const checkOne = async (job: ResumeJob, positions: ReadonlyMap<string, string>): Promise<void> => {
  const { connection } = await admittedToTalk(job.port, job.login.subscriberTokens[0] ?? '');
  const topic = job.topics[0] ?? '';
  const frames: (SubscribedFrame & { readonly isReplay?: boolean })[] = [];
  const whole = new Promise<void>((resolve) => {
    connection.receiver = new FrameReader((frame) => {
      frames.push(frame as SubscribedFrame);
      if (frames.length === job.missed + framesAround) resolve();
    });
  });
  connection.write(subscribeFrame(topic, { position: positions.get(topic) }));
  await Promise.race([whole, connection.closed, wait(patienceMs)]);
  connection.end();
  const messages = frames.filter(({ isReplay }) => isReplay).length;
  if (
    frames[0]?.continuity !== 'continuous' ||
    messages !== job.missed ||
    frames.at(-1)?.type !== 'replayEnd'
  )
    throw new Error(
      `A client that has missed ${job.missed} messages got ${frames.length} frames: ${JSON.stringify(frames.slice(0, 2))}`,
    );
};
