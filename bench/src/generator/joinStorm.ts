import { Buffer } from 'node:buffer';
import { setTimeout as wait } from 'node:timers/promises';
import { encode } from '@msgpack/msgpack';
import type { Measurement } from '../measure/comparison.js';
import { startCpuMeter } from '../measure/usage.js';
import { type Connection, FrameReader } from './connection.js';
import { clientFrame } from './frames.js';
import type { JoinStormJob } from './jobs.js';
import { inTurn, paceInTicks } from './pace.js';
import { admitted } from './wires/roomwireWire.js';

interface Told {
  readonly type: string;
  readonly present?: number;
}

/** Somebody who counts who is in the room. */
class Watcher {
  readonly connection: Connection;
  present = 0;
  counts = 0;
  events = 0;
  shortestPauseMs = Number.POSITIVE_INFINITY;
  private toldAt = Number.NEGATIVE_INFINITY;

  constructor(connection: Connection) {
    this.connection = connection;
    connection.receiver = new FrameReader((frame) => this.take(frame as Told));
  }

  /** Forgets what came before it all began, but when that was. */
  begin(): void {
    this.counts = 0;
    this.events = 0;
    this.shortestPauseMs = Number.POSITIVE_INFINITY;
  }

  private take({ type, present }: Told): void {
    if (type === 'presence') this.events += 1;
    else if (type === 'presenceCount' && present !== undefined) this.counted(present);
    else throw new Error(`A watcher was told ${type}`);
  }

  private counted(present: number): void {
    const now = performance.now();
    this.present = present;
    this.counts += 1;
    this.shortestPauseMs = Math.min(this.shortestPauseMs, now - this.toldAt);
    this.toldAt = now;
  }
}

const connectingAtOnce = 64;
const lookEveryMs = 10;
const patienceMs = 10_000;

/** One round: a large room that others join, and some of them again, for a minute. */
export const measureJoinStorm = async (job: JoinStormJob): Promise<Measurement> => {
  const crowd = new Crowd(job);
  try {
    await crowd.gather();
    return await crowd.join();
  } finally {
    crowd.end();
  }
};

class Crowd {
  private readonly job: JoinStormJob;
  private readonly frames: Readonly<Record<'count' | 'leave' | 'enter', Buffer>>;
  /** In the room from the beginning, and told of everybody who comes. */
  private readonly told: Watcher[] = [];
  /** In the room from the beginning. */
  private readonly counting: Watcher[] = [];
  private readonly joiners: Watcher[] = [];

  constructor(job: JoinStormJob) {
    this.job = job;
    const frame = (fields: object): Buffer =>
      clientFrame(encode({ type: 'presence', roomId: job.room, ...fields }));
    this.frames = {
      count: frame({ mode: 'count' }),
      leave: frame({ leave: true }),
      enter: frame({ data: { state: 'here' }, keep: true }),
    };
  }

  /** All are connected, and those who count know how many are there. */
  async gather(): Promise<void> {
    const { present, told, joiners, port, login } = this.job;
    const { count, enter } = this.frames;
    await inTurn(present + joiners, connectingAtOnce, async (index) => {
      const watcher = new Watcher(await admitted(port, login.subscriberTokens[index] ?? ''));
      // Who counts before it enters is told of nobody.
      if (index >= told) watcher.connection.write(count);
      if (index < present) watcher.connection.write(enter);
      (index < told ? this.told : index < present ? this.counting : this.joiners).push(watcher);
    });
    await this.allKnow(present);
    for (const watcher of this.all) watcher.begin();
  }

  async join(): Promise<Measurement> {
    const { job, joiners, frames } = this;
    const meter = startCpuMeter(job.serverId);
    let joins = 0;
    await paceInTicks(job.joinsPerSecond, job.seconds, () => {
      const { connection } = joiners[joins % joiners.length] as Watcher;
      if (joins >= joiners.length) connection.write(again(frames));
      connection.write(frames.enter);
      joins += 1;
    });
    const use = meter();
    const finished = performance.now();
    await this.allKnow(job.present + Math.min(joins, joiners.length));
    const untilTold = performance.now() - finished;
    return {
      cpuPerJoin: (use.server * 1e6) / joins,
      countsPerSecond: mean(this.counting, 'counts') / (job.seconds + untilTold / 1000),
      shortestPause: Math.min(...this.counting.map(({ shortestPauseMs }) => shortestPauseMs)),
      untilTold,
      eventsPerSecond: mean(this.told, 'events') / job.seconds,
      serverCpu: (use.server / use.elapsed) * 100,
      generatorCpu: (use.generator / use.elapsed) * 100,
    };
  }

  end(): void {
    for (const { connection } of this.all) connection.end();
  }

  private get all(): readonly Watcher[] {
    return [...this.told, ...this.counting, ...this.joiners];
  }

  /** Until all who count have been told this number. */
  private async allKnow(present: number): Promise<void> {
    const deadline = performance.now() + patienceMs;
    const counting = [...this.counting, ...this.joiners];
    for (let unaware = counting.length; unaware > 0; await wait(lookEveryMs)) {
      unaware = counting.filter((watcher) => watcher.present !== present).length;
      if (performance.now() > deadline) throw new Error(`${unaware} do not know that ${present} are there`);
    }
  }
}

const again = ({ leave, count }: Readonly<Record<'leave' | 'count', Buffer>>): Buffer =>
  Buffer.concat([leave, count]);

const mean = (watchers: readonly Watcher[], what: 'counts' | 'events'): number =>
  watchers.reduce((total, watcher) => total + watcher[what], 0) / Math.max(1, watchers.length);
