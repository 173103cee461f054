import type { Figure } from '../measure/comparison.js';
import type { Login } from '../generator/jobs.js';
import { roomwireApi, type RunningRoomwire, startRoomwire } from '../peers/roomwire.js';
import { withStarted } from '../process/children.js';
import { measureServers, peers, startServers, workColumns } from './peers.js';
import { warmUpSeconds, type Scenario } from './scenario.js';

const rooms = 500;
const clientsPerRoom = 2;
const messagesPerSecond = 5_000;

export const chat: Scenario = {
  name: 'chat',
  summary: '500 rooms of two, 5000 messages a second: latency',

  run: (ground) =>
    withStarted(async (started) => {
      const { cores, folder, settings, say } = ground;
      say('chat: starting the servers');
      const roomwire = started.add(await startRoomwire(await folder.inside('chat'), cores.server));
      const { topics, login } = await prepare(roomwire);
      const others = await startServers(ground, started, [
        peers.rooms,
        peers.socketIo,
        peers.nats,
        peers.centrifugo,
      ]);
      const servers = [{ ...roomwire, name: 'Roomwire', login }, ...others];
      const rows = await measureServers(ground, started, servers, (server) => ({
        kind: 'chat',
        login: server.login,
        port: server.port,
        serverId: server.processId,
        ...{ topics, clientsPerRoom, messagesPerSecond, warmUpSeconds },
        seconds: settings.seconds,
      }));
      return [{ title, figures, rows, notes }];
    }),
};

const prepare = async (
  roomwire: RunningRoomwire,
): Promise<{ readonly topics: readonly string[]; readonly login: Login }> => {
  const api = roomwireApi(roomwire);
  const { appId, slug } = await api.createApp('load');
  const names = Array.from({ length: rooms }, (_, index) => `room-${String(index).padStart(3, '0')}`);
  for (const name of names) await api.createRoom(appId, name);
  const subscriberTokens = await api.createActors(rooms * clientsPerRoom);
  return {
    topics: names.map((name) => `${slug}/${name}/load`),
    login: { protocol: 'roomwire', publisherToken: '', subscriberTokens },
  };
};

const title = `Chat, ${rooms} rooms of ${clientsPerRoom}, ${messagesPerSecond} messages a second (open loop)`;

const figures: readonly [Figure, ...Figure[]] = [
  { name: 'p99', label: 'p99', unit: 'milliseconds' },
  { name: 'p50', label: 'p50', unit: 'milliseconds' },
  { name: 'deliveriesPerSecond', label: 'deliveries/s', unit: 'rate' },
  ...workColumns,
];

const notes = [
  '128-byte messages; the generator looks at the clock all the time, so its CPU is not load; the peers check no credentials',
];
