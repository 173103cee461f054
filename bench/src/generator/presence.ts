import type { Buffer } from 'node:buffer';
import { setTimeout as wait } from 'node:timers/promises';
import { encode } from '@msgpack/msgpack';
import { clientFrame } from './frames.js';
import { type Login, type PresenceJob, workFigures } from './jobs.js';
import { eventFrame } from './wires/socketIoWire.js';
import type { Connection, Receiver } from './connection.js';
import type { Walker } from './wires/wire.js';
import { wireOf } from './wires/wireOf.js';
import type { Measurement } from '../measure/comparison.js';
import { startCpuMeter } from '../measure/usage.js';
import { inTurn } from './pace.js';

/** What a client says to be present in a room, which takes it out of the one where it was. */
const announcement = ({ protocol }: Login, roomId: string, state: string): Buffer =>
  protocol === 'roomwire'
    ? clientFrame(encode({ type: 'presence', roomId, data: { state } }))
    : eventFrame('42', 'presence', roomId, state);

/** Counts the frames that tell somebody of a change. */
class ChangeCount implements Receiver {
  changes = 0;
  afterChunk: (() => void) | undefined;
  private readonly walker: Walker;

  constructor(login: Login) {
    const { opcode, walker } = wireOf(login).layout;
    this.walker = walker({
      onFrame: (given) => {
        if (given !== opcode) throw new Error(`A frame of opcode ${given} besides changes`);
        this.changes += 1;
      },
    });
  }

  receive(chunk: Buffer, end: number): void {
    this.walker.walk(chunk, end);
    this.afterChunk?.();
  }
}

const joinsAtOnce = 50;
const lookEveryMs = 10;
const patienceMs = 3_000;

interface Mover {
  readonly connection: Connection;
  /** In this order, again and again: each is one change for those who watch. */
  readonly steps: readonly Buffer[];
}

/** One round: as many joins, updates and leaves in one room as the server tells all of its watchers. */
export const measurePresence = async (job: PresenceJob): Promise<Measurement> => {
  const connections: Connection[] = [];
  const open = async (index: number): Promise<Connection> => {
    const seat = { port: job.port, index, topic: `${job.room}/load` };
    const connection = await wireOf(job.login).subscriber(seat);
    connections.push(connection);
    return connection;
  };
  try {
    const watchers = await gatherWatchers(job, open);
    const movers = await gatherMovers(job, open);
    return await measureChanges(job, watchers, movers);
  } finally {
    for (const connection of connections) connection.end();
  }
};

const gatherMovers = async (
  { login, room, homes, watchers }: PresenceJob,
  open: (index: number) => Promise<Connection>,
): Promise<readonly Mover[]> => {
  const movers: Mover[] = [];
  await inTurn(homes.length, joinsAtOnce, async (index) => {
    const connection = await open(watchers + index);
    connection.receiver = new ChangeCount(login);
    const steps = [
      announcement(login, room, 'here'),
      announcement(login, room, 'busy'),
      announcement(login, homes[index] ?? '', 'gone'),
    ];
    movers.push({ connection, steps });
  });
  return movers;
};

/** They have announced themselves, and have all seen the last of them come. */
const gatherWatchers = async (
  job: PresenceJob,
  open: (index: number) => Promise<Connection>,
): Promise<readonly ChangeCount[]> => {
  const counts: ChangeCount[] = [];
  for (let index = 0; index < job.watchers; index += 1) {
    const connection = await open(index);
    const count = new ChangeCount(job.login);
    connection.receiver = count;
    connection.write(announcement(job.login, job.room, 'watch'));
    const [first] = counts;
    if (first !== undefined) await reaches(() => first.changes, index);
    counts.push(count);
  }
  for (const [index, count] of counts.entries()) {
    await reaches(() => count.changes, job.watchers - 1 - index);
    count.changes = 0;
  }
  return counts;
};

const measureChanges = async (
  job: PresenceJob,
  watchers: readonly ChangeCount[],
  movers: readonly Mover[],
): Promise<Measurement> => {
  const pacemaker = watchers.at(-1) as ChangeCount;
  let asked = 0;
  const refill = (): void => {
    for (; asked - pacemaker.changes < job.window; asked += 1) {
      const { connection, steps } = movers[asked % movers.length] as Mover;
      connection.write(steps[Math.floor(asked / movers.length) % steps.length] as Buffer);
    }
  };
  pacemaker.afterChunk = refill;
  refill();
  await wait(job.warmUpSeconds * 1000);
  const seen = (): number => watchers.reduce((total, { changes }) => total + changes, 0);
  const meter = startCpuMeter(job.serverId);
  const before = seen();
  await wait(job.seconds * 1000);
  const deliveries = seen() - before;
  const use = meter();
  pacemaker.afterChunk = undefined;
  await reaches(seen, asked * watchers.length).catch(() => undefined);
  const changesPerSecond = deliveries / watchers.length / use.elapsed;
  const lost = asked * watchers.length - seen();
  return { changesPerSecond, ...workFigures(deliveries, use), lost };
};

const reaches = async (value: () => number, goal: number): Promise<void> => {
  const deadline = performance.now() + patienceMs;
  while (value() < goal) {
    if (performance.now() > deadline) throw new Error(`Only ${value()} of ${goal} changes were told`);
    await wait(lookEveryMs);
  }
};
