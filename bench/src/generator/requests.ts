import { setTimeout as wait } from 'node:timers/promises';
import type { Measurement } from '../measure/comparison.js';
import { startCpuMeter } from '../measure/cpu.js';
import { Samples } from '../measure/samples.js';
import { processMegabytes } from '../measure/memory.js';
import { httpRequest, openHttpConnection, type HttpConnection } from './httpConnection.js';
import type { RequestsJob } from './jobs.js';

/** GETs of the paths in turn, one at a time on each connection, and what the answers weigh. */
export const measureRequests = async (job: RequestsJob): Promise<Measurement> => {
  const connections = await Promise.all(
    Array.from({ length: job.connections }, () => openHttpConnection(job.port)),
  );
  const requests = job.paths.map((path) => httpRequest('GET', path, job.apiKey));
  const samples = new Samples();
  let [isOver, next, bytes] = [false, 0, 0];
  const keepAsking = async (connection: HttpConnection): Promise<void> => {
    while (!isOver) {
      const request = requests[(next += 1) % requests.length] ?? '';
      const begin = performance.now();
      const { status, body } = await connection.request(request);
      if (status !== 200) throw new Error(`A GET was answered ${status}: ${body.slice(0, 200)}`);
      samples.record(performance.now() - begin);
      bytes = body.length;
    }
  };
  try {
    const asking = Promise.all(connections.map(keepAsking));
    await Promise.race([asking, wait(job.warmUpSeconds * 1000)]);
    samples.clear();
    const meter = startCpuMeter(job.serverId);
    await Promise.race([asking, wait(job.seconds * 1000)]);
    const { elapsed, server } = meter();
    const figures = {
      requestsPerSecond: samples.count / elapsed,
      p50: samples.percentile(50),
      p99: samples.percentile(99),
      cpuPerRequest: (server * 1e6) / samples.count,
      kilobytes: bytes / 1024,
      memory: processMegabytes(job.serverId),
    };
    isOver = true;
    await asking;
    return figures;
  } finally {
    isOver = true;
    for (const connection of connections) connection.end();
  }
};
