import type { ServiceName } from '../../peers/roomwireService.js';
import type { Chance } from '../chance.js';
import type { Cluster } from './cluster.js';
import type { Phase } from './course.js';

/** What goes wrong, and how it is put right again. */
export interface Fault {
  readonly name: string;
  /** What it is meanwhile, and for how many milliseconds. */
  readonly stages: readonly (readonly [Phase | undefined, number])[];
  /** Resolves when it has happened, with what puts it right: a process that was ended is ready again when that resolves. */
  strike(cluster: Cluster, chance: Chance): Promise<() => Promise<void>>;
}

/**
 * The controllers miss a broker after 3 s (`broker.session.timeout.ms` of the cluster); then clients have to find the new leaders, and what
 * was under way is sent again.
 */
const ofBroker: Fault['stages'] = [
  ['take-over', 12_000],
  ['broker away', 20_000],
];
const ofService: Fault['stages'] = [[undefined, 5_000]];
const ofSuspended: Fault['stages'] = [[undefined, 10_000]];
const ofEngine: Fault['stages'] = [[undefined, 8_000]];

export const brokerFaults: readonly Fault[] = [
  {
    name: 'a broker is killed',
    stages: ofBroker,
    async strike({ kafka }, chance) {
      const broker = chance.of(kafka.members);
      await broker.kill('SIGKILL');
      return () => broker.start();
    },
  },
  {
    name: 'a broker is suspended',
    stages: ofBroker,
    async strike({ kafka }, chance) {
      const broker = chance.of(kafka.members);
      broker.pause();
      return async () => broker.resume();
    },
  },
  {
    name: 'a broker is cut off from the others',
    stages: ofBroker,
    async strike({ kafka }, chance) {
      const broker = chance.of(kafka.members);
      broker.isolate();
      return async () => broker.reconnect();
    },
  },
];

const killed = (service: ServiceName): Fault => ({
  name: `a ${service} is killed`,
  stages: ofService,
  async strike(cluster, chance) {
    const member = chance.of(cluster.of(service));
    await member.end('SIGKILL');
    return () => member.start();
  },
});

const suspended = (service: ServiceName): Fault => ({
  name: `a ${service} is suspended`,
  stages: ofSuspended,
  async strike(cluster, chance) {
    const member = chance.of(cluster.of(service));
    member.suspend();
    return async () => member.resume();
  },
});

const replaced = (service: ServiceName): Fault => ({
  name: `a ${service} is stopped in order`,
  stages: ofService,
  async strike(cluster, chance) {
    const member = chance.of(cluster.of(service));
    await member.end('SIGTERM');
    return () => member.start();
  },
});

const engineKilled = (engine: 'mongo' | 'eventStore', name: string): Fault => ({
  name: `${name} is killed`,
  stages: ofEngine,
  async strike(cluster) {
    await cluster[engine].kill('SIGKILL');
    return () => cluster[engine].restart();
  },
});

const engineSuspended = (engine: 'mongo' | 'eventStore', name: string): Fault => ({
  name: `${name} is suspended`,
  stages: ofEngine,
  async strike(cluster) {
    cluster[engine].pause();
    return async () => cluster[engine].resume();
  },
});

const otherFaults: readonly Fault[] = [
  ...(['gateway', 'command-api', 'projections', 'webhook-consumer'] as const).map(killed),
  ...(['gateway', 'projections'] as const).flatMap((service) => [suspended(service), replaced(service)]),
  ...[engineKilled, engineSuspended].flatMap((make) => [
    make('mongo', 'MongoDB'),
    make('eventStore', 'EventStoreDB'),
  ]),
];

/** Without end: all of them, in an order of chance, and then again. Every third is one of a broker, beginning with the first. */
export function* faultsFor(chance: Chance): Generator<Fault, never> {
  for (let brokers = 0; ;)
    for (const [index, fault] of shuffled(otherFaults, chance).entries()) {
      if (index % 2 === 0) yield brokerFaults[brokers++ % brokerFaults.length] as Fault;
      yield fault;
    }
}

const shuffled = <T>(items: readonly T[], chance: Chance): readonly T[] =>
  items
    .map((item) => ({ item, key: chance.next() }))
    .sort((one, other) => one.key - other.key)
    .map(({ item }) => item);
