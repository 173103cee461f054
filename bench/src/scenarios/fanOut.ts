import type { FanOutResult, Login } from '../generator/jobs.js';
import { startGenerator, type Generator } from '../generator/startGenerator.js';
import { inAlternation, type Peer } from '../measure/rounds.js';
import type { Comparison, Row } from '../measure/comparison.js';
import { roomwireApi } from '../peers/roomwireApi.js';
import { startRoomwire, type RunningRoomwire } from '../peers/roomwire.js';
import { startPeer } from '../peers/startPeer.js';
import { withStarted, type Started } from '../process/started.js';
import { moderateFigures, saturatedFigures } from './fanOutFigures.js';
import { warmUpSeconds, type Ground, type Scenario } from './scenario.js';

const audiences = [100, 1000];
const publishesInFlight = 32;
const moderateDeliveriesPerSecond = 20_000;

interface Server {
  readonly name: string;
  readonly port: number;
  readonly processId: number;
  readonly login: Login;
}

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

const startCast = async ({ cores, folder, say }: Ground, started: Started): Promise<Cast> => {
  say('fan-out: starting the servers');
  const roomwire = started.add(await startRoomwire(await folder.inside('fan-out'), cores.server));
  const sendEach = started.add(await startPeer('sendEachRelay', cores.server));
  const writePerTick = started.add(await startPeer('writePerTickRelay', cores.server));
  const generator = started.add(startGenerator(cores.generator));
  const { topic, login } = await prepareRoomwire(roomwire);
  const relay: Login = { protocol: 'relay' };
  const servers = [
    { ...roomwire, name: 'Roomwire', login },
    { ...sendEach, name: 'ws, ws.send of each message', login: relay },
    { ...writePerTick, name: 'ws, one write a socket and tick', login: relay },
  ];
  return { servers, topic, generator };
};

const prepareRoomwire = async (roomwire: RunningRoomwire): Promise<{ topic: string; login: Login }> => {
  const api = roomwireApi(roomwire);
  const app = await api.createApp('load');
  await api.createRoom(app.appId, 'hall');
  const [publisherToken = '', ...subscriberTokens] = await api.createActors(1 + Math.max(...audiences));
  return {
    topic: `${app.slug}/hall/load`,
    login: { protocol: 'roomwire', publisherToken, subscriberTokens },
  };
};

const compare = async (ground: Ground, cast: Cast, subscribers: number): Promise<readonly Comparison[]> => {
  const { settings, say } = ground;
  const peers = cast.servers.map((server): Peer<FanOutResult> => ({
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
  const results = await inAlternation(peers, settings.runs);
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
  '128-byte messages in the same MessagePack publish frame for every peer; Roomwire: QoS 1, no msgRef, one actor a subscriber',
];
