import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { Samples } from '../measure/samples.js';
import { serveJobs } from '../process/worker.js';
import type { EndpointJob, WebhookResult } from './jobs.js';

/** Milliseconds since 1970, finer than `Date`: the two processes are on one machine. */
const now = (): number => performance.timeOrigin + performance.now();

const latencies = new Samples();
let firstAt = 0;
let lastAt = 0;

const take = async (request: IncomingMessage): Promise<void> => {
  const { data } = JSON.parse(await text(request)) as { data: { at: number } };
  lastAt = now();
  if (latencies.count === 0) firstAt = lastAt;
  latencies.record(lastAt - data.at);
};

const listening = async (server: Server): Promise<number> => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
};

const open = async (): Promise<WebhookResult> => {
  const fast = createServer((request, response) => void take(request).then(() => response.end()));
  const hung = createServer((request) => void request.resume());
  return { fastPort: await listening(fast), hungPort: await listening(hung) };
};

const end = async (calls: number): Promise<WebhookResult> => {
  while (latencies.count < calls) await pause(5);
  return {
    callsPerSecond: (latencies.count - 1) / ((lastAt - firstAt) / 1_000),
    p50: latencies.percentile(50),
    p99: latencies.percentile(99),
  };
};

serveJobs<EndpointJob, WebhookResult>(async (job) => {
  switch (job.kind) {
    case 'open':
      return open();
    case 'begin':
      latencies.clear();
      return {};
    case 'end':
      return end(job.calls);
  }
});
