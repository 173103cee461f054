import { setTimeout as wait } from 'node:timers/promises';
import { type Connection, FrameReader } from './connection.js';
import { inTurn } from './pace.js';
import type { CrowdJob, IdleJob, StormJob } from './jobs.js';
import { wireOf } from './wires/wireOf.js';
import { anonymousKilobytes, type CpuUse, processCpuSeconds, startCpuMeter } from '../measure/usage.js';
import type { Measurement } from '../measure/comparison.js';

/** Connections that are subscribed and told nothing. */
class Crowd {
  private readonly connections: Connection[] = [];
  private failure: Error | undefined;
  private isOver = false;

  /** Resolves when all have been admitted and subscribed. */
  static async gather(job: CrowdJob, clients = job.clients): Promise<Crowd> {
    const crowd = new Crowd();
    const wire = wireOf(job.login);
    await inTurn(clients, job.atOnce, async (index) => {
      crowd.keep(await wire.subscriber({ port: job.port, index, topic: job.topic }));
    });
    return crowd;
  }

  /** Throws when somebody was told something, or sent away. */
  check(): void {
    if (this.failure) throw this.failure;
  }

  /** All at once, without a word, as when a network fails. */
  async scatter(): Promise<void> {
    this.check();
    this.isOver = true;
    for (const connection of this.connections) connection.end();
    await Promise.all(this.connections.map(({ closed }) => closed));
  }

  private keep(connection: Connection): void {
    this.connections.push(connection);
    connection.receiver = new FrameReader((frame) => this.fail(JSON.stringify(frame)));
    void connection.closed.then((error) => this.fail(error.message));
  }

  private fail(reason: string): void {
    if (!this.isOver) this.failure ??= new Error(`The clients were disturbed by ${reason}`);
  }
}

const lookEveryMs = 200;
/** Two ticks of the clock in /proc. */
const restingSeconds = 0.02;
const looks = 50;

/** Until a server has nothing to do any more, or ten seconds have passed. */
const atRest = async (serverId: number): Promise<void> => {
  let before = processCpuSeconds(serverId);
  for (let look = 0; look < looks; look += 1) {
    await wait(lookEveryMs);
    const now = processCpuSeconds(serverId);
    if (!(now - before > restingSeconds)) return;
    before = now;
  }
};

const memoryLookEveryMs = 250;
const steadyKilobytes = 128;
const memoryLooks = 24;

/** Anonymous memory of a server that does nothing, as soon as it changes no more. In kB. */
const settledMemory = async (serverId: number): Promise<number> => {
  let before = anonymousKilobytes(serverId);
  for (let look = 0; look < memoryLooks; look += 1) {
    await wait(memoryLookEveryMs);
    const now = anonymousKilobytes(serverId);
    if (Math.abs(now - before) <= steadyKilobytes) return now;
    before = now;
  }
  return before;
};

/** The same after the server has collected its garbage, which it does on SIGUSR2: what it holds. */
const heldMemory = async (serverId: number): Promise<number> => {
  for (let times = 0; times < 2; times += 1) {
    process.kill(serverId, 'SIGUSR2');
    await wait(lookEveryMs);
  }
  return settledMemory(serverId);
};

const warmUpClients = 100;

/** What a server needs for clients that are there and say nothing, by the growth of its anonymous memory. */
export const measureIdle = async (job: IdleJob): Promise<Measurement> => {
  await (await Crowd.gather(job, warmUpClients)).scatter();
  await atRest(job.serverId);
  const before = await heldMemory(job.serverId);
  const crowd = await Crowd.gather(job);
  const asItIs = await settledMemory(job.serverId);
  const held = await heldMemory(job.serverId);
  await crowd.scatter();
  return {
    heldKilobytes: (held - before) / job.clients,
    residentKilobytes: (asItIs - before) / job.clients,
    emptyMegabytes: before / 1024,
  };
};

const uncountedWaves = 1;

/** Waves of clients that connect, authenticate, subscribe and are gone. The first one warms the server up. */
export const measureStorm = async (job: StormJob): Promise<Measurement> => {
  for (let count = 0; count < uncountedWaves; count += 1) await wave(job);
  const before = await heldMemory(job.serverId);
  const waves: CpuUse[] = [];
  for (let count = 0; count < job.waves; count += 1) waves.push(await wave(job));
  const keptMegabytes = ((await heldMemory(job.serverId)) - before) / 1024;
  return { ...rates(job, waves), keptMegabytes };
};

/** Until the server is done with those who have gone; what that takes is not counted. */
const wave = async (job: StormJob): Promise<CpuUse> => {
  const meter = startCpuMeter(job.serverId);
  const crowd = await Crowd.gather(job);
  const use = meter();
  await crowd.scatter();
  await atRest(job.serverId);
  return use;
};

const rates = ({ clients }: StormJob, waves: readonly CpuUse[]): Measurement => {
  const sum = (of: keyof CpuUse): number => waves.reduce((total, use) => total + use[of], 0);
  const all = clients * waves.length;
  return {
    clientsPerSecond: all / sum('elapsed'),
    cpuPerClient: (sum('server') * 1e6) / all,
    serverCpu: (sum('server') / sum('elapsed')) * 100,
    generatorCpu: (sum('generator') / sum('elapsed')) * 100,
  };
};
