import type { Buffer } from 'node:buffer';
import { setTimeout as wait } from 'node:timers/promises';
import { encode } from '@msgpack/msgpack';
import type { Measurement } from '../measure/comparison.js';
import { Samples } from '../measure/samples.js';
import { startCpuMeter } from '../measure/usage.js';
import type { Connection, Receiver } from './connection.js';
import { clientFrame, dataBytes, type FrameSink, FrameWalker } from './frames.js';
import type { HistoryReadsJob } from './jobs.js';
import { admitted } from './wires/roomwireWire.js';

/** A connection that asks for the newest messages of one topic after the other. */
class HistoryReader implements Receiver, FrameSink {
  private readonly walker = new FrameWalker(this);
  private answered: ((bytes: number) => void) | undefined;
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
    connection.receiver = this;
  }

  /** Resolves with the length of the answer. */
  read(frame: Buffer): Promise<number> {
    return new Promise((resolve, reject) => {
      this.answered = resolve;
      void this.connection.closed.then(reject);
      this.connection.write(frame);
    });
  }

  receive(chunk: Buffer, end: number): void {
    this.walker.walk(chunk, end);
  }

  onFrame(_opcode: number, length: number): void {
    this.answered?.(length);
  }

  end(): void {
    this.connection.end();
  }
}

/** One round: reads on all connections, one after the other on each, of topics in turn. */
export const measureHistoryReads = async (job: HistoryReadsJob): Promise<Measurement> => {
  const readers: HistoryReader[] = [];
  const samples = new Samples();
  let [isOver, next, bytes] = [false, 0, 0];
  const keepReading = async (reader: HistoryReader): Promise<void> => {
    while (!isOver) {
      // A step that shares no factor with the number of topics goes through all of them, and never to a neighbour.
      const topic = job.topics[(next += job.step) % job.topics.length];
      const frame = clientFrame(encode({ type: 'history', topic, limit: job.limit, ref: '1' }));
      const begin = performance.now();
      bytes = await reader.read(frame);
      samples.record(performance.now() - begin);
      if (bytes < job.limit * dataBytes) throw new Error(`A read of ${topic} was answered ${bytes} bytes`);
    }
  };
  try {
    while (readers.length < job.connections)
      readers.push(new HistoryReader(await admitted(job.port, job.token)));
    const reading = Promise.all(readers.map(keepReading));
    await Promise.race([reading, wait(job.warmUpSeconds * 1000)]);
    samples.clear();
    const meter = startCpuMeter(job.serverId);
    await Promise.race([reading, wait(job.seconds * 1000)]);
    const { elapsed, server, generator } = meter();
    const figures = {
      readsPerSecond: samples.count / elapsed,
      p50: samples.percentile(50),
      p99: samples.percentile(99),
      cpuPerRead: (server * 1e6) / samples.count,
      serverCpu: (server / elapsed) * 100,
      generatorCpu: (generator / elapsed) * 100,
      kilobytes: bytes / 1024,
    };
    isOver = true;
    await reading;
    return figures;
  } finally {
    isOver = true;
    for (const reader of readers) reader.end();
  }
};
