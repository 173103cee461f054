import { type FanOutResult, type Generator, startGenerator } from '../generator/jobs.js';
import type { HopPhase, HopResult } from '../hop/measureHop.js';
import { hopRates } from '../hop/measureHop.js';
import { type Comparison, type Figure, inAlternation, type Peer, type Row } from '../measure/comparison.js';
import { type Division, startDivisionMeter } from '../measure/threadCpu.js';
import { startRoomwire } from '../peers/roomwire.js';
import { withStarted } from '../process/children.js';
import { idleClients, idleFigures, idleNotes, idlePeer, startFresh } from './idle.js';
import { prepareHall, type Server } from './peers.js';
import { warmUpSeconds, type Ground, type Scenario } from './scenario.js';

const subscribers = 100;
const deliveriesPerSecond = 20_000;
const publishesInFlight = 32;

/** What is compared: the first row is the one with threads. */
const rows = [
  { name: 'two threads', threads: 2 },
  { name: 'one thread', threads: 1 },
] as const;

type Threaded = Server & { readonly threads: number; readonly topic: string };

export const threads: Scenario = {
  name: 'threads',
  summary: 'a gateway in one thread and in two, on files: CPU, how it is divided, thread to thread, memory',

  run: async (ground) => [...(await underLoad(ground)), await memory(ground)],
};

const inThreads = (threads: number): Readonly<Record<string, string>> => ({
  ROOMWIRE_GATEWAY_THREADS: String(threads),
});

const underLoad = (ground: Ground): Promise<readonly Comparison[]> =>
  withStarted(async (started) => {
    const { cores, folder, say } = ground;
    say('threads: starting the servers');
    const servers: Threaded[] = [];
    for (const { name, threads } of rows) {
      const data = await folder.inside(`threads-${threads}`);
      const running = started.add(await startRoomwire(data, cores.server, inThreads(threads)));
      servers.push({ ...running, ...(await prepareHall(running, subscribers)), name, threads });
    }
    const generator = started.add(startGenerator(cores.generator));
    return [...(await fanOut(ground, servers, generator)), ...(await hop(ground, servers, generator))];
  });

type DividedFanOut = FanOutResult & { readonly division: Division | undefined };

const fanOut = async (
  { settings, say }: Ground,
  servers: readonly Threaded[],
  generator: Generator,
): Promise<readonly Comparison[]> => {
  const peers = servers.map((server): Peer<DividedFanOut> => ({
    name: server.name,
    async measure(round) {
      say(`threads, fan-out: round ${round + 1} of ${settings.runs}, ${server.name}`);
      const { login, port, topic, processId } = server;
      const division = startDivisionMeter(processId, server.threads);
      const result = await generator.run({
        kind: 'fanOut',
        ...{ login, port, serverId: processId, topic, subscribers, filters: 0 },
        ...{ warmUpSeconds, seconds: settings.seconds, window: publishesInFlight },
        publishesPerSecond: deliveriesPerSecond / subscribers,
      });
      return { ...result, division: server.threads > 1 ? division() : undefined };
    },
  }));
  const results = await inAlternation(peers, settings.runs);
  const rowsOf = (phase: keyof FanOutResult): readonly Row[] =>
    results.map(({ peer, rounds }) => ({
      peer,
      rounds: rounds.map(({ division, ...result }) => ({ ...result[phase], ...division })),
    }));
  return [
    {
      title: `Threads, fan-out 1:${subscribers}, ${deliveriesPerSecond} deliveries a second (open loop)`,
      figures: [...fanOutFigures, ...latencies],
      ...{ rows: rowsOf('moderate'), notes: fanOutNotes },
    },
    {
      title: `Threads, fan-out 1:${subscribers}, saturated (${publishesInFlight} publishes in flight)`,
      ...{ figures: fanOutFigures, rows: rowsOf('saturated'), notes: fanOutNotes },
    },
  ];
};

const hop = async (
  { settings, say }: Ground,
  servers: readonly Threaded[],
  generator: Generator,
): Promise<readonly Comparison[]> => {
  const peers = servers.map((server): Peer<HopResult> => ({
    name: server.name,
    measure(round) {
      say(`threads, hop: round ${round + 1} of ${settings.runs}, ${server.name}`);
      const { port, processId, topic, login } = server;
      if (login.protocol !== 'roomwire') throw new TypeError('Only Roomwire has threads');
      return generator.run({
        kind: 'hop',
        ...{ publishPort: port, subscribePort: port, topic, publishers: 1, window: publishesInFlight },
        ...{ publisherToken: login.publisherToken, subscriberToken: login.subscriberTokens[0] ?? '' },
        ...{ processes: { server: processId }, warmUpSeconds, seconds: settings.seconds },
      });
    },
  }));
  const results = await inAlternation(peers, settings.runs);
  const rowsOf = (phase: HopPhase): readonly Row[] =>
    results.map(({ peer, rounds }) => ({ peer, rounds: rounds.map((result) => result[phase]) }));
  const atRate = (phase: keyof typeof hopRates): Comparison => ({
    title: `Thread to thread, ${hopRates[phase]} messages a second (open loop)`,
    figures: [...latencies, ...hopFigures],
    ...{ rows: rowsOf(phase), notes: hopNotes },
  });
  return [atRate('moderate'), atRate('fast')];
};

/** A new process each time, as `idle` has it. */
const memory = (ground: Ground): Promise<Comparison> =>
  withStarted(async (started) => {
    const { cores, folder, settings, say } = ground;
    say('threads: making the actors');
    const data = await folder.inside('threads-idle');
    const first = await startRoomwire(data, cores.server);
    const { topic, login } = await prepareHall(first, idleClients).finally(() => first.stop());
    const generator = started.add(startGenerator(cores.generator));
    const peers = rows.map(({ name, threads }) =>
      idlePeer(ground, generator, topic, name, startFresh(ground, data, login, inThreads(threads))),
    );
    const title = `Threads, ${idleClients} idle connections, each authenticated and with one subscription`;
    const measured = await inAlternation(peers, settings.runs);
    return { title, figures: idleFigures, rows: measured, notes: idleNotes };
  });

const fanOutFigures: readonly [Figure, ...Figure[]] = [
  { name: 'cpuPerDelivery', label: 'server us/delivery', unit: 'microseconds' },
  { name: 'deliveriesPerSecond', label: 'deliveries/s', unit: 'rate' },
  { name: 'evenness', label: 'least busy / even share', unit: 'share' },
  { name: 'mainThread', label: 'in the main thread', unit: 'share' },
  { name: 'serverCpu', label: 'server CPU', unit: 'percent' },
  { name: 'generatorCpu', label: 'generator CPU', unit: 'percent' },
  { name: 'lost', label: 'lost', unit: 'count' },
];

const latencies: readonly [Figure, Figure] = [
  { name: 'p50', label: 'p50', unit: 'milliseconds' },
  { name: 'p99', label: 'p99', unit: 'milliseconds' },
];

const hopFigures: readonly Figure[] = [
  { name: 'server', label: 'server us/message', unit: 'microseconds' },
  { name: 'messagesPerSecond', label: 'messages/s', unit: 'rate' },
  { name: 'lost', label: 'lost', unit: 'count' },
];

const where =
  'all threads of a server share one core, and the generator has the other: rates say nothing of a machine with more';

const fanOutNotes = [
  '128-byte messages, QoS 1, no msgRef, one actor a subscriber; how the work is divided is of both phases together',
  where,
];

const hopNotes = [
  '128 bytes of data in one room, QoS 1 with msgRef; with two threads the publisher is on one of them, and the subscriber on the other',
  where,
];
