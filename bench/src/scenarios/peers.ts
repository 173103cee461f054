import { type GeneratorJob, type Login, startGenerator } from '../generator/jobs.js';
import { centrifugoSecret, startCentrifugo } from '../peers/centrifugo.js';
import { type PeerProgram, type RunningPeer, startNats, startPeer } from '../peers/startPeer.js';
import type { Started } from '../process/children.js';
import type { Ground } from './scenario.js';
import { roomwireApi, type RunningRoomwire } from '../peers/roomwire.js';
import { type Figure, inAlternation, type Measurement, type Row } from '../measure/comparison.js';

/** A program under the same load as the others. */
export interface Server {
  readonly name: string;
  readonly port: number;
  readonly processId: number;
  readonly login: Login;
}

interface PeerKind {
  readonly name: string;
  readonly login: Login;
  readonly program: PeerProgram | 'nats' | 'centrifugo';
}

const relay: Login = { protocol: 'relay' };

export const peers = {
  sendEach: { name: 'ws, ws.send of each message', login: relay, program: 'sendEachRelay' },
  writePerTick: { name: 'ws, one write a socket and tick', login: relay, program: 'writePerTickRelay' },
  http: { name: 'node:http and ws.send', login: relay, program: 'httpRelay' },
  rooms: { name: 'ws, rooms and ws.send', login: relay, program: 'roomRelay' },
  socketIo: { name: 'Socket.IO 4', login: { protocol: 'socketIo' }, program: 'socketIo' },
  nats: { name: 'NATS 2, WebSocket', login: { protocol: 'nats' }, program: 'nats' },
  centrifugo: {
    name: 'Centrifugo 6',
    login: { protocol: 'centrifugo', secret: centrifugoSecret },
    program: 'centrifugo',
  },
} satisfies Record<string, PeerKind>;

/** Nothing where the peer cannot run on this machine, which has been said. */
export const startServers = async (
  ground: Ground,
  started: Started,
  kinds: readonly PeerKind[],
  env: Readonly<Record<string, string>> = {},
): Promise<readonly Server[]> => {
  const servers: Server[] = [];
  for (const { name, login, program } of kinds) {
    const running = await startKind(ground, program, env);
    if (running) servers.push({ ...started.add(running), name, login });
  }
  return servers;
};

const startKind = (
  { cores, say }: Ground,
  program: PeerKind['program'],
  env: Readonly<Record<string, string>>,
): Promise<RunningPeer | undefined> => {
  switch (program) {
    case 'nats':
      return startNats(cores.server, say);
    case 'centrifugo':
      return startCentrifugo(cores.server, say);
    default:
      return startPeer(program, cores.server, { env });
  }
};

/** One room with one topic, a publisher, and an actor for each of so many subscribers. */
export const prepareHall = async (
  roomwire: Pick<RunningRoomwire, 'port'> & {
    readonly credentials: Pick<RunningRoomwire['credentials'], 'apiKey'>;
  },
  subscribers: number,
): Promise<{ readonly topic: string; readonly login: Login }> => {
  const api = roomwireApi(roomwire);
  const app = await api.createApp('load');
  await api.createRoom(app.appId, 'hall');
  const [publisherToken = '', ...subscriberTokens] = await api.createActors(1 + subscribers);
  return {
    topic: `${app.slug}/hall/load`,
    login: { protocol: 'roomwire', publisherToken, subscriberTokens },
  };
};

type Job = Extract<GeneratorJob, { kind: 'chat' | 'storm' | 'idle' | 'presence' | 'groups' }>;

/** All servers in alternation, each under the job that is made for it. */
export const measureServers = <S extends Server>(
  { cores, settings, say }: Ground,
  started: Started,
  servers: readonly S[],
  jobFor: (server: S) => Job,
): Promise<readonly Row[]> => {
  const generator = started.add(startGenerator(cores.generator));
  const peers = servers.map((server) => ({
    name: server.name,
    measure(round: number): Promise<Measurement> {
      const job = jobFor(server);
      say(`${job.kind}: round ${round + 1} of ${settings.runs}, ${server.name}`);
      return generator.run(job);
    },
  }));
  return inAlternation(peers, settings.runs);
};

export const workColumns: readonly Figure[] = [
  { name: 'cpuPerDelivery', label: 'server us/delivery', unit: 'microseconds' },
  { name: 'serverCpu', label: 'server CPU', unit: 'percent' },
  { name: 'generatorCpu', label: 'generator CPU', unit: 'percent' },
  { name: 'lost', label: 'lost', unit: 'count' },
];

export const saturatedFigures: readonly [Figure, ...Figure[]] = [
  { name: 'deliveriesPerSecond', label: 'deliveries/s', unit: 'rate' },
  ...workColumns,
];

export const moderateFigures: readonly [Figure, ...Figure[]] = [
  { name: 'p50', label: 'p50', unit: 'milliseconds' },
  { name: 'p99', label: 'p99', unit: 'milliseconds' },
  { name: 'deliveriesPerSecond', label: 'deliveries/s', unit: 'rate' },
  ...workColumns,
];
