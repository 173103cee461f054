import { setTimeout as wait } from 'node:timers/promises';
import type { Measurement } from '../measure/comparison.js';
import { type CpuUse, processMegabytes, startCpuMeter } from '../measure/usage.js';
import { Samples } from '../measure/samples.js';
import { type HttpConnection, httpRequest, openHttpConnection } from './httpConnection.js';
import type { FillJob, RequestsJob, RestJob, RestResult } from './jobs.js';

const idPattern = /"(?:roomId|id)":"([^"]+)"/;

/** One round of one peer: creates as fast as the connections allow, then reads of what was created. */
export const measureRest = async (job: RestJob): Promise<RestResult> => {
  const connections = await Promise.all(
    Array.from({ length: job.connections }, () => openHttpConnection(job.port)),
  );
  try {
    const ids: string[] = [];
    const creates = await measure(job, connections, (connection) => create(job, connection, ids));
    const reads = await measure(job, connections, (connection) => read(job, connection, ids));
    return { creates, reads };
  } finally {
    for (const connection of connections) connection.end();
  }
};

type Ask = (connection: HttpConnection) => Promise<void>;

const create = async (
  { path, apiKey, named = 'Room' }: RestJob,
  connection: HttpConnection,
  ids: string[],
): Promise<void> => {
  const request = httpRequest('POST', path, apiKey, JSON.stringify({ name: `${named} ${nextNumber()}` }));
  const { status, body } = await connection.request(request);
  const id = idPattern.exec(body)?.[1];
  if (status !== 201 || id === undefined) throw new Error(`A create was answered ${status}: ${body}`);
  ids.push(id);
};

const read = async ({ path, apiKey }: RestJob, connection: HttpConnection, ids: readonly string[]) => {
  const id = ids[nextNumber() % ids.length] ?? '';
  const { status, body } = await connection.request(httpRequest('GET', `${path}/${id}`, apiKey));
  if (status !== 200) throw new Error(`A read was answered ${status}: ${body}`);
};

let lastNumber = 0;
const nextNumber = (): number => (lastNumber += 1);

const measure = async (
  job: RestJob,
  connections: readonly HttpConnection[],
  ask: Ask,
): Promise<Measurement> => {
  const samples = new Samples();
  let isOver = false;
  const keepAsking = async (connection: HttpConnection): Promise<void> => {
    while (!isOver) {
      const begin = performance.now();
      await ask(connection);
      samples.record(performance.now() - begin);
    }
  };
  const asking = Promise.all(connections.map(keepAsking));
  await Promise.race([asking, wait(job.warmUpSeconds * 1000)]);
  samples.clear();
  const meter = startCpuMeter(job.serverId);
  await Promise.race([asking, wait(job.seconds * 1000)]);
  const use = meter();
  const figures = requestFigures(samples, use);
  isOver = true;
  await asking;
  return figures;
};

const requestFigures = (samples: Samples, { elapsed, server, generator }: CpuUse): Measurement => ({
  requestsPerSecond: samples.count / elapsed,
  p50: samples.percentile(50),
  p99: samples.percentile(99),
  cpuPerRequest: (server * 1e6) / samples.count,
  serverCpu: (server / elapsed) * 100,
  generatorCpu: (generator / elapsed) * 100,
});

/** POSTs the body, with `#` for its number, so many times; one request at a time on each connection. */
export const fillThroughApi = async (job: FillJob): Promise<void> => {
  const connections = await Promise.all(
    Array.from({ length: job.connections }, () => openHttpConnection(job.port)),
  );
  let begun = 0;
  const keepCreating = async (connection: HttpConnection): Promise<void> => {
    while (begun < job.count) {
      begun += 1;
      const text = job.body.replace('#', String(begun));
      const { status, body } = await connection.request(httpRequest('POST', job.path, job.apiKey, text));
      if (status !== 201) throw new Error(`A create was answered ${status}: ${body}`);
    }
  };
  try {
    await Promise.all(connections.map(keepCreating));
  } finally {
    for (const connection of connections) connection.end();
  }
};

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
