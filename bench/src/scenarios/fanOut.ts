import { type FanOutResult, type Generator, startGenerator } from '../generator/jobs.js';
import { type Comparison, inAlternation, type Peer, type Row } from '../measure/comparison.js';
import { startRoomwire } from '../peers/roomwire.js';
import { type Started, withStarted } from '../process/children.js';
import { moderateFigures, peers, prepareHall, saturatedFigures, type Server, startServers } from './peers.js';
import { warmUpSeconds, type Ground, type Scenario } from './scenario.js';

const audiences = [100, 1000];
const publishesInFlight = 32;
const moderateDeliveriesPerSecond = 20_000;

interface Cast {
  readonly servers: readonly Server[];
  readonly topic: string;
  readonly generator: Generator;
}

export const fanOut: Scenario = {
  name: 'fan-out',
  summary: 'one publisher, 100 and 1000 subscribers: deliveries a second, latency',

  run: (ground) =>
    withStarted(async (started) => {
      const cast = await startCast(ground, started);
      const comparisons: Comparison[] = [];
      for (const subscribers of audiences) comparisons.push(...(await compare(ground, cast, subscribers)));
      return comparisons;
    }),
};

const startCast = async (ground: Ground, started: Started): Promise<Cast> => {
  const { cores, folder, say } = ground;
  say('fan-out: starting the servers');
  const roomwire = started.add(await startRoomwire(await folder.inside('fan-out'), cores.server));
  const generator = started.add(startGenerator(cores.generator));
  const { topic, login } = await prepareHall(roomwire, Math.max(...audiences));
  const kinds = [peers.sendEach, peers.writePerTick, peers.socketIo, peers.nats, peers.centrifugo];
  const others = await startServers(ground, started, kinds);
  return { servers: [{ ...roomwire, name: 'Roomwire', login }, ...others], topic, generator };
};

const compare = async (ground: Ground, cast: Cast, subscribers: number): Promise<readonly Comparison[]> => {
  const { settings, say } = ground;
  const turns = cast.servers.map((server): Peer<FanOutResult> => ({
    name: server.name,
    measure(round) {
      say(`fan-out 1:${subscribers}: round ${round + 1} of ${settings.runs}, ${server.name}`);
      return cast.generator.run({
        kind: 'fanOut',
        login: server.login,
        port: server.port,
        serverId: server.processId,
        topic: cast.topic,
        subscribers,
        filters: 0,
        warmUpSeconds,
        seconds: settings.seconds,
        window: publishesInFlight,
        publishesPerSecond: moderateDeliveriesPerSecond / subscribers,
      });
    },
  }));
  const results = await inAlternation(turns, settings.runs);
  const rowsOf = (phase: keyof FanOutResult): readonly Row[] =>
    results.map(({ peer, rounds }) => ({ peer, rounds: rounds.map((result) => result[phase]) }));
  return [
    {
      title: `Fan-out 1:${subscribers}, saturated (${publishesInFlight} publishes in flight)`,
      figures: saturatedFigures,
      rows: rowsOf('saturated'),
      notes,
    },
    {
      title: `Fan-out 1:${subscribers}, ${moderateDeliveriesPerSecond} deliveries a second (open loop)`,
      figures: moderateFigures,
      rows: rowsOf('moderate'),
      notes,
    },
  ];
};

const notes = [
  '128-byte messages; the bare servers get the MessagePack publish frame that Roomwire gets, Socket.IO and NATS their own; Roomwire: QoS 1, no msgRef, one actor a subscriber',
];
