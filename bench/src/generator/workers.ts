import { setTimeout as wait } from 'node:timers/promises';
import type { Measurement } from '../measure/comparison.js';
import { Samples } from '../measure/samples.js';
import { type CpuUse, startCpuMeter } from '../measure/usage.js';
import type { Connection } from './connection.js';
import { DurablePublisher } from './durablePublisher.js';
import { workFigures, type WorkersJob } from './jobs.js';
import { JobWorker } from './jobWorker.js';
import { admitted } from './wires/roomwireWire.js';

const lookEveryMs = 2;
const patienceMs = 120_000;
/** Of a backlog, before and after what is counted. */
const uncounted = 0.1;

/** One round of a group with jobs, which nobody has been in before. */
export const measureWorkers = async (job: WorkersJob): Promise<Measurement> => {
  const connections: Connection[] = [];
  const connect = async (token: string): Promise<Connection> => {
    const connection = await admitted(job.port, token);
    connections.push(connection);
    return connection;
  };
  try {
    return await new Workshop(job, connect).measure();
  } finally {
    for (const connection of connections) connection.end();
  }
};

class Workshop {
  private readonly job: WorkersJob;
  private readonly connect: (token: string) => Promise<Connection>;
  private workers: readonly JobWorker[] = [];

  constructor(job: WorkersJob, connect: (token: string) => Promise<Connection>) {
    this.job = job;
    this.connect = connect;
  }

  measure(): Promise<Measurement> {
    const { load } = this.job;
    if (load.kind === 'backlog') return this.workOff(load.jobs);
    return load.kind === 'together' ? this.workAlong(load.window) : this.keepAll(load.jobs);
  }

  /** What was published before, as fast as it is handed out and acknowledged. */
  private async workOff(jobs: number): Promise<Measurement> {
    await this.collect(jobs);
    await this.join(this.job.members, true);
    const edge = Math.floor(jobs * uncounted);
    await this.until(edge);
    const meter = startCpuMeter(this.job.serverId);
    const before = this.received;
    await this.until(jobs - edge);
    const use = meter();
    const counted = this.received - before;
    await this.until(jobs);
    await this.requireNoMore(jobs);
    return { ...workFigures(counted, use), lost: 0 };
  }

  /** Publishes that are answered and worked off at the same time. */
  private async workAlong(window: number): Promise<Measurement> {
    const workers = await this.join(this.job.members, true);
    const latencies = new Samples();
    const publisher = await this.publisher(latencies);
    let [published, isOver] = [0, false];
    const go = (): void => {
      if (isOver) return;
      const free = window - (published - Math.min(publisher.answered, this.received));
      for (let times = 0; times < free; times += 1) publisher.publish(performance.now());
      published += Math.max(0, free);
    };
    publisher.onAnswers = go;
    for (const worker of workers) worker.afterChunk = go;
    go();
    await wait(this.job.warmUpSeconds * 1_000);
    latencies.clear();
    const meter = startCpuMeter(this.job.serverId);
    const before = this.received;
    await wait(this.job.seconds * 1_000);
    const counted = this.received - before;
    const figures = { ...workFigures(counted, meter()), ...{ p50: latencies.percentile(50) } };
    isOver = true;
    await this.until(published);
    if (publisher.unexpected > 0) throw new Error('A publish was refused');
    await this.requireNoMore(published);
    return { ...figures, lost: 0 };
  }

  /** Nothing is acknowledged: every job is handed out again when its time is over. */
  private async keepAll(jobs: number): Promise<Measurement> {
    await this.collect(jobs);
    await this.join(this.job.members, false);
    await this.until(2 * jobs);
    const uses: CpuUse[] = [];
    const before = this.received;
    for (let period = 0; period < this.job.seconds; period += this.job.options.ackSeconds) {
      const meter = startCpuMeter(this.job.serverId);
      await wait(this.job.options.ackSeconds * 1_000);
      uses.push(meter());
    }
    const sum = (of: keyof CpuUse): number => uses.reduce((total, use) => total + use[of], 0);
    const use = { elapsed: sum('elapsed'), server: sum('server'), generator: sum('generator') };
    return { ...workFigures(this.received - before, use), lost: 0 };
  }

  private get received(): number {
    return this.workers.reduce((sum, worker) => sum + worker.received, 0);
  }

  private async join(members: number, acks: boolean): Promise<readonly JobWorker[]> {
    const { login, topic, group, options: jobs } = this.job;
    const workers: JobWorker[] = [];
    for (let index = 0; index < members; index += 1) {
      const token = login.subscriberTokens[index % login.subscriberTokens.length] ?? '';
      workers.push(new JobWorker(await this.connect(token), { topic, group, jobs, acks }));
    }
    this.workers = workers;
    await Promise.all(workers.map(({ joined }) => joined));
    return workers;
  }

  /** As a group does that has had a member. */
  private async collect(jobs: number): Promise<void> {
    const { login, topic, group, options } = this.job;
    const connection = await this.connect(login.subscriberTokens[0] ?? '');
    await new JobWorker(connection, { topic, group, jobs: options, acks: false }).joined;
    connection.end();
    await connection.closed;
    const publisher = await this.publisher(new Samples());
    let left = jobs;
    const publish = (count: number): void => {
      for (let times = Math.min(count, left); times > 0; times -= 1, left -= 1)
        publisher.publish(performance.now());
    };
    publisher.onAnswers = publish;
    publish(fillWindow);
    while (publisher.answered < jobs) {
      if (publisher.unexpected > 0) throw new Error('A publish was refused');
      await wait(lookEveryMs);
    }
  }

  private async publisher(latencies: Samples): Promise<DurablePublisher> {
    const { login, topic } = this.job;
    return new DurablePublisher(await this.connect(login.publisherToken), [topic], latencies);
  }

  private async until(received: number): Promise<void> {
    const deadline = performance.now() + patienceMs;
    while (this.received < received) {
      if (performance.now() > deadline) throw new Error(`${this.received} of ${received} jobs came`);
      await wait(lookEveryMs);
    }
  }

  private async requireNoMore(jobs: number): Promise<void> {
    await wait(settledMs);
    if (this.received > jobs) throw new Error(`${this.received} of ${jobs} jobs came`);
  }
}

const fillWindow = 256;
const settledMs = 200;
