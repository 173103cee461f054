import { setTimeout as wait } from 'node:timers/promises';
import type { Measurement } from '../measure/comparison.js';
import { Samples } from '../measure/samples.js';
import { type CpuUse, startCpuMeter } from '../measure/usage.js';
import type { Connection } from './connection.js';
import type { PublishingJob } from './jobs.js';
import { paceInTicks } from './pace.js';
import { type AnsweredPublisher, openPublisher } from './publishWays.js';
import { Subscriber, Tally } from './subscriber.js';
import { wireOf } from './wires/wireOf.js';

const lookEveryMs = 10;
const patienceMs = 5_000;

/** What has been asked, and how long each request took. */
class Requests {
  readonly latencies = new Samples();
  answered = 0;
  private readonly idle: AnsweredPublisher[];
  private readonly due: number[] = [];
  private failure: Error | undefined;

  constructor(publishers: readonly AnsweredPublisher[]) {
    this.idle = [...publishers];
  }

  /** As soon as a connection is free. Its time counts from the moment at which it was meant to be sent. */
  begin(intended: number): void {
    this.due.push(intended);
    this.sendDue();
  }

  /** On each connection one after the other, as long as the function says so. */
  keepAsking(isOn: () => boolean): void {
    for (const publisher of this.idle.splice(0))
      void (async () => {
        while (isOn() && this.failure === undefined) await this.ask(publisher, performance.now());
        this.idle.push(publisher);
      })();
  }

  async settle(connections: number): Promise<void> {
    while (this.failure === undefined && (this.due.length > 0 || this.idle.length < connections))
      await wait(lookEveryMs);
    if (this.failure) throw this.failure;
  }

  private sendDue(): void {
    while (this.due.length > 0) {
      const publisher = this.idle.pop();
      if (publisher === undefined) return;
      void this.ask(publisher, this.due.shift() as number).then(() => {
        this.idle.push(publisher);
        this.sendDue();
      });
    }
  }

  private async ask(publisher: AnsweredPublisher, intended: number): Promise<void> {
    try {
      await publisher.publish();
      this.answered += 1;
      this.latencies.record(performance.now() - intended);
    } catch (error) {
      this.failure ??= error as Error;
    }
  }
}

/** One round: publishes on all connections, each answered, and what has come out at the subscriber. */
export const measurePublishing = async (job: PublishingJob): Promise<Measurement> => {
  const publishers: AnsweredPublisher[] = [];
  let subscriber: Connection | undefined;
  try {
    const tally = new Tally();
    const wire = wireOf(job.login);
    subscriber = await wire.subscriber({ port: job.subscribePort, index: 0, topic: job.topic });
    subscriber.receiver = new Subscriber(tally, wire.layout);
    while (publishers.length < job.connections) publishers.push(await openPublisher(job));
    return await measure(job, new Requests(publishers), tally);
  } finally {
    subscriber?.end();
    for (const publisher of publishers) publisher.end();
  }
};

const measure = async (job: PublishingJob, requests: Requests, tally: Tally): Promise<Measurement> => {
  const messages = job.way.kind === 'http' ? job.way.messages : 1;
  const load = loadOf(job, requests);
  await load.run(job.warmUpSeconds);
  requests.latencies.clear();
  const before = requests.answered;
  const meter = startCpuMeter(job.serverId);
  await load.run(job.seconds);
  const answered = requests.answered - before;
  const use = meter();
  const { latencies } = requests;
  const latency = { p50: latencies.percentile(50), p99: latencies.percentile(99) };
  load.stop();
  await requests.settle(job.connections);
  const lost = await missing(tally, requests.answered * messages);
  return { ...latency, ...figuresOf(answered * messages, use), lost };
};

interface Load {
  run(seconds: number): Promise<void>;
  stop(): void;
}

const loadOf = ({ requestsPerSecond }: PublishingJob, requests: Requests): Load => {
  if (requestsPerSecond !== undefined)
    return {
      run: (seconds) => paceInTicks(requestsPerSecond, seconds, (intended) => requests.begin(intended)),
      stop: () => undefined,
    };
  let isOn = true;
  requests.keepAsking(() => isOn);
  return { run: (seconds) => wait(seconds * 1_000), stop: () => void (isOn = false) };
};

const figuresOf = (messages: number, { elapsed, server, generator }: CpuUse): Measurement => ({
  messagesPerSecond: messages / elapsed,
  cpuPerMessage: (server * 1e6) / messages,
  serverCpu: (server / elapsed) * 100,
  generatorCpu: (generator / elapsed) * 100,
});

/** What was accepted and does not come any more. Throws when more has come, or something else. */
const missing = async (tally: Tally, accepted: number): Promise<number> => {
  const deadline = performance.now() + patienceMs;
  while (tally.delivered < accepted && performance.now() < deadline) await wait(lookEveryMs);
  if (tally.unexpected > 0) throw new Error(`The subscriber got ${tally.unexpected} frames besides messages`);
  if (tally.delivered > accepted) throw new Error(`${tally.delivered} of ${accepted} messages came`);
  return accepted - tally.delivered;
};
