import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceName } from '../../peers/roomwireService.js';
import type { Chance } from '../chance.js';
import type { Cluster } from './cluster.js';

/** What goes wrong, and how it is put right again. */
interface Fault {
  readonly name: string;
  readonly lastsMs: number;
  /** Resolves when it has happened, with its end; that resolves when all processes are ready again. */
  strike(cluster: Cluster, chance: Chance): Promise<() => Promise<void>>;
}

const brokerLastsMs = 32_000;
const serviceLastsMs = 5_000;
const suspendedMs = 10_000;
const engineLastsMs = 8_000;

const ofBrokers: readonly Fault[] = [
  {
    name: 'a broker is killed',
    lastsMs: brokerLastsMs,
    async strike({ kafka }, chance) {
      const broker = chance.of(kafka.members);
      await broker.kill('SIGKILL');
      return () => broker.start();
    },
  },
  {
    name: 'a broker is suspended',
    lastsMs: brokerLastsMs,
    async strike({ kafka }, chance) {
      const broker = chance.of(kafka.members);
      broker.pause();
      return async () => broker.resume();
    },
  },
  {
    name: 'a broker is cut off from the others',
    lastsMs: brokerLastsMs,
    async strike({ kafka }, chance) {
      const broker = chance.of(kafka.members);
      broker.isolate();
      return async () => broker.reconnect();
    },
  },
];

const killed = (service: ServiceName): Fault => ({
  name: `a ${service} is killed`,
  lastsMs: serviceLastsMs,
  async strike(cluster, chance) {
    const member = chance.of(cluster.of(service));
    await member.end('SIGKILL');
    return () => member.start();
  },
});

const suspended = (service: ServiceName): Fault => ({
  name: `a ${service} is suspended`,
  lastsMs: suspendedMs,
  async strike(cluster, chance) {
    const member = chance.of(cluster.of(service));
    member.suspend();
    return async () => member.resume();
  },
});

const replaced = (service: ServiceName): Fault => ({
  name: `a ${service} is stopped in order`,
  lastsMs: serviceLastsMs,
  async strike(cluster, chance) {
    const member = chance.of(cluster.of(service));
    await member.end('SIGTERM');
    return () => member.start();
  },
});

const ofServices: readonly Fault[] = [
  ...(['gateway', 'command-api', 'projections', 'webhook-consumer'] as const).map(killed),
  ...(['gateway', 'projections'] as const).flatMap((service) => [suspended(service), replaced(service)]),
];

const ofEngines: readonly Fault[] = (['mongo', 'eventStore'] as const).flatMap((engine) => {
  const name = engine === 'mongo' ? 'MongoDB' : 'EventStoreDB';
  return [
    {
      name: `${name} is killed`,
      lastsMs: engineLastsMs,
      async strike(cluster: Cluster) {
        await cluster[engine].kill('SIGKILL');
        return () => cluster[engine].restart();
      },
    },
    {
      name: `${name} is suspended`,
      lastsMs: engineLastsMs,
      async strike(cluster: Cluster) {
        cluster[engine].pause();
        return async () => cluster[engine].resume();
      },
    },
  ];
});

/** `calm`: nothing is wrong any more. `take-over`: a broker has just gone. `broker away`: others lead in its place. */
export const phases = ['calm', 'take-over', 'broker away'] as const;
export type Phase = (typeof phases)[number];

export const periodMs = 60_000;
/** From the moment at which a broker goes to the one from which the others must do as if nothing was. */
const takeOverMs = 12_000;
/** The end of a period, which none of its fault reaches. */
const calmMs = 12_000;

export interface Course {
  /** What it is now; undefined while nothing is expected of the time that a message takes. */
  phase: Phase | undefined;
  readonly struck: Record<string, number>;
}

/** All of them, in an order of chance: every third is one of a broker. */
const program = (chance: Chance): readonly Fault[] => {
  const others = shuffled([...ofServices, ...ofEngines], chance);
  return others.flatMap((fault, index) =>
    index % 2 === 0 ? [ofBrokers[(index / 2) % ofBrokers.length] as Fault, fault] : [fault],
  );
};

const shuffled = <T>(items: readonly T[], chance: Chance): readonly T[] =>
  items
    .map((item) => ({ item, key: chance.next() }))
    .sort((one, other) => one.key - other.key)
    .map(({ item }) => item);

interface StrikingDeps {
  readonly cluster: Cluster;
  readonly chance: Chance;
  readonly course: Course;
  readonly say: (text: string) => void;
}

/** Cold processes take longer: what they do in the first period does not count, and the second one is what others are compared with. */
export const periodsWithout = 2;

/** One fault in each period, for so many of them, but for those at the beginning. */
export const strikeOn = async (
  periods: number,
  { cluster, chance, course, say }: StrikingDeps,
): Promise<void> => {
  let faults: readonly Fault[] = [];
  let next = performance.now() + periodMs;
  const throughCalm = async (ms: number): Promise<void> => {
    await pause(Math.max(0, next - ms - performance.now()));
    course.phase = 'calm';
    await pause(Math.max(0, next - performance.now()));
    course.phase = undefined;
    next += periodMs;
  };
  await throughCalm(0);
  await throughCalm(periodMs);
  for (let period = periodsWithout; period < periods; period += 1) {
    if (faults.length === 0) faults = program(chance);
    const [fault, ...others] = faults as readonly [Fault, ...Fault[]];
    faults = others;
    say(`${period - periodsWithout + 1} of ${periods - periodsWithout}: ${fault.name}`);
    course.struck[fault.name] = (course.struck[fault.name] ?? 0) + 1;
    const isOfBroker = ofBrokers.includes(fault);
    if (isOfBroker) course.phase = 'take-over';
    const end = await fault.strike(cluster, chance);
    if (isOfBroker) {
      await pause(takeOverMs);
      course.phase = 'broker away';
    }
    await pause(fault.lastsMs - (isOfBroker ? takeOverMs : 0));
    course.phase = undefined;
    await end();
    await throughCalm(calmMs);
  }
};
