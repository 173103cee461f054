import { type Comparison, type Figure, inAlternation, type Measurement } from '../measure/comparison.js';
import { processCpuSeconds, processMegabytes } from '../measure/usage.js';
import { type Started, withStarted } from '../process/children.js';
import { startWorker, type Worker } from '../process/worker.js';
import type { ConsumerJob, EndpointJob, WebhookResult } from '../webhooks/jobs.js';
import { warmUpSeconds, type Ground, type Scenario } from './scenario.js';

const fastRate = 2_000;
const calmRate = 100;
const hungCalls = 1_000;
const rooms = 50;

const throughput: readonly [Figure, ...Figure[]] = [
  { name: 'callsPerSecond', label: 'calls/s', unit: 'rate' },
  { name: 'p50', label: 'p50', unit: 'milliseconds' },
  { name: 'p99', label: 'p99', unit: 'milliseconds' },
  { name: 'cpuPerCall', label: 'us/call', unit: 'microseconds' },
  { name: 'before', label: 'MB before', unit: 'megabytes' },
  { name: 'after', label: 'MB after', unit: 'megabytes' },
];

const isolation: readonly [Figure, ...Figure[]] = [
  { name: 'p99', label: 'p99', unit: 'milliseconds' },
  { name: 'p50', label: 'p50', unit: 'milliseconds' },
  { name: 'callsPerSecond', label: 'calls/s', unit: 'rate' },
];

export const webhooks: Scenario = {
  name: 'webhooks',
  summary: `${fastRate} webhook calls a second; ${calmRate} a second beside an endpoint that hangs`,
  run: async (ground) => [await measureThroughput(ground), await measureIsolation(ground)],
};

interface Site {
  readonly consumer: Worker<ConsumerJob, WebhookResult>;
  readonly endpoint: Worker<EndpointJob, WebhookResult>;
  readonly fastUrl: string;
  readonly hungUrl: string;
}

const openSite = async (started: Started, { folder }: Ground, name: string): Promise<Site> => {
  const worker = <J>(module: string): Worker<J, WebhookResult> =>
    started.add(
      startWorker<J, WebhookResult>(new URL(`../webhooks/${module}.js`, import.meta.url), undefined),
    );
  const [consumer, endpoint] = [worker<ConsumerJob>('consumer'), worker<EndpointJob>('endpoints')];
  const { fastPort, hungPort } = await endpoint.run({ kind: 'open' });
  await consumer.run({ kind: 'open', folder: await folder.inside(name) });
  const url = (port = 0): string => `http://127.0.0.1:${port}/hook`;
  return { consumer, endpoint, fastUrl: url(fastPort), hungUrl: url(hungPort) };
};

/** So many calls a second for so long, from the publish to their coming in. */
const measureCalls = async (site: Site, perSecond: number, seconds: number): Promise<Measurement> => {
  const { consumer, endpoint, fastUrl: url } = site;
  await endpoint.run({ kind: 'begin' });
  const calling = consumer.run({ kind: 'call', url, perSecond, seconds, rooms });
  const figures = await endpoint.run({ kind: 'end', calls: perSecond * seconds });
  await calling;
  return figures;
};

const measureThroughput = (ground: Ground): Promise<Comparison> =>
  withStarted(async (started) => {
    const { settings, say } = ground;
    const site = await openSite(started, ground, 'webhooks-throughput');
    const { processId } = site.consumer;
    const measure = async (round: number): Promise<Measurement> => {
      say(`webhooks, ${fastRate} a second: round ${round + 1} of ${settings.runs}`);
      await measureCalls(site, fastRate, warmUpSeconds);
      const [before, cpu] = [processMegabytes(processId), processCpuSeconds(processId)];
      const figures = await measureCalls(site, fastRate, settings.seconds);
      const used = processCpuSeconds(processId) - cpu;
      const cpuPerCall = (used * 1e6) / (fastRate * settings.seconds);
      return { ...figures, cpuPerCall, before, after: processMegabytes(processId) };
    };
    const rows = await inAlternation([{ name: 'Roomwire', measure }], settings.runs);
    return {
      title: `Webhooks: ${fastRate} calls a second to one endpoint that answers at once`,
      figures: throughput,
      rows,
      notes: [
        `from the put on the bus to the endpoint, over ${rooms} rooms; queues on files; the consumer's process also puts`,
      ],
    };
  });

const measureIsolation = (ground: Ground): Promise<Comparison> =>
  withStarted(async (started) => {
    const { settings, say } = ground;
    const calm = await openSite(started, ground, 'webhooks-calm');
    const beside = await openSite(started, ground, 'webhooks-beside');
    const peer = (name: string, site: Site) => ({
      name,
      async measure(round: number): Promise<Measurement> {
        say(`webhooks, ${name}: round ${round + 1} of ${settings.runs}`);
        await measureCalls(site, calmRate, warmUpSeconds);
        return measureCalls(site, calmRate, settings.seconds);
      },
    });
    await beside.consumer.run({ kind: 'hang', url: beside.hungUrl, calls: hungCalls });
    const peers = [peer('beside one that hangs', beside), peer('by itself', calm)];
    const rows = await inAlternation(peers, settings.runs);
    return {
      title: `Webhooks: ${calmRate} calls a second, ${hungCalls} waiting for another endpoint that does not answer`,
      figures: isolation,
      rows,
      notes: ['each in a process of its own, from the put on the bus to the endpoint'],
    };
  });
