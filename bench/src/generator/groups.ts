import { Buffer } from 'node:buffer';
import { setTimeout as wait } from 'node:timers/promises';
import { acknowledgementOf } from './acknowledgement.js';
import type { FrameSink } from './frames.js';
import { type Connection, FrameReader, type Receiver } from './connection.js';
import type { Layout } from './wires/wire.js';
import type { Measurement } from '../measure/comparison.js';
import { startCpuMeter } from '../measure/usage.js';
import { inTurn } from './pace.js';
import { type GroupsJob, workFigures } from './jobs.js';
import { wireOf } from './wires/wireOf.js';

/** One of those that share the messages of a topic. */
interface Worker extends Receiver {
  readonly received: number;
}

/** Counts what it gets, and says nothing. */
class CountingWorker implements Worker, FrameSink {
  received = 0;
  private readonly walk: (chunk: Buffer, end: number) => void;
  private readonly afterChunk: () => void;

  constructor(layout: Layout, afterChunk: () => void) {
    const walker = layout.walker(this);
    this.walk = (chunk, end) => walker.walk(chunk, end);
    this.afterChunk = afterChunk;
  }

  receive(chunk: Buffer, end: number): void {
    this.walk(chunk, end);
    this.afterChunk();
  }

  onFrame(): void {
    this.received += 1;
  }
}

/** Acknowledges each message in a frame of its own; those of a chunk leave in one write. */
export class AcknowledgingWorker implements Worker {
  received = 0;
  private readonly connection: Connection;
  private readonly reader = new FrameReader(
    (payload) => this.take(payload as Uint8Array),
    (payload) => payload,
  );
  private readonly afterChunk: () => void;
  private acks: Buffer[] = [];

  constructor(connection: Connection, afterChunk: () => void) {
    this.connection = connection;
    this.afterChunk = afterChunk;
  }

  receive(chunk: Buffer, end: number): void {
    this.reader.receive(chunk, end);
    if (this.acks.length > 0) this.connection.write(Buffer.concat(this.acks));
    this.acks = [];
    this.afterChunk();
  }

  private take(payload: Uint8Array): void {
    this.received += 1;
    this.acks.push(acknowledgementOf(payload));
  }
}

const joinsAtOnce = 16;
const lookEveryMs = 10;
const patienceMs = 3_000;

/** One round: as many messages as a server gives to one of several each. */
export const measureGroups = async (job: GroupsJob): Promise<Measurement> => {
  const connections: Connection[] = [];
  try {
    return await measure(job, (connection) => {
      connections.push(connection);
      return connection;
    });
  } finally {
    for (const connection of connections) connection.end();
  }
};

const measure = async (
  job: GroupsJob,
  keep: (connection: Connection) => Connection,
): Promise<Measurement> => {
  const wire = wireOf(job.login);
  const workers: Worker[] = [];
  let afterChunk = (): void => undefined;
  await inTurn(job.members, joinsAtOnce, async (index) => {
    const { port, topic, group } = job;
    const connection = keep(await wire.subscriber({ port, index, topic, group }));
    const worker = job.acks
      ? new AcknowledgingWorker(connection, () => afterChunk())
      : new CountingWorker(wire.layout, () => afterChunk());
    connection.receiver = worker;
    workers.push(worker);
  });
  const publisher = keep(await wire.publisher(job.port));
  publisher.receiver = new FrameReader((frame) => {
    throw new Error(`A publish was refused: ${JSON.stringify(frame)}`);
  });

  const frame = wire.publishFrame(job.topic);
  const batch = Buffer.concat(Array.from({ length: job.window }, () => frame));
  const received = (): number => workers.reduce((total, worker) => total + worker.received, 0);
  let published = 0;
  afterChunk = () => {
    const free = job.window - (published - received());
    if (free <= 0) return;
    publisher.write(batch.subarray(0, free * frame.length));
    published += free;
  };
  afterChunk();
  await wait(job.warmUpSeconds * 1000);
  const meter = startCpuMeter(job.serverId);
  const before = received();
  await wait(job.seconds * 1000);
  const deliveries = received() - before;
  const use = meter();
  afterChunk = () => undefined;
  const lost = await missing(received, published);
  const least = Math.min(...workers.map((worker) => worker.received));
  return { ...workFigures(deliveries, use), evenness: (least * workers.length) / received(), lost };
};

/** What does not come any more. Throws when more has come than was published. */
const missing = async (received: () => number, published: number): Promise<number> => {
  const deadline = performance.now() + patienceMs;
  while (received() < published && performance.now() < deadline) await wait(lookEveryMs);
  if (received() > published) throw new Error(`${received()} of ${published} messages came`);
  return published - received();
};
