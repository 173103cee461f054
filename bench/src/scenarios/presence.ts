import type { Figure } from '../measure/comparison.js';
import { roomwireApi, type RunningRoomwire, startRoomwire } from '../peers/roomwire.js';
import { withStarted } from '../process/children.js';
import type { Login } from '../generator/jobs.js';
import { measureServers, peers, startServers, workColumns } from './peers.js';
import { warmUpSeconds, type Scenario } from './scenario.js';

const watchers = 100;
/** So many that none of them comes near the rate of announcements that a connection may make. */
const movers = 256;
const changesInFlight = 32;

export const presence: Scenario = {
  name: 'presence',
  summary: 'a room of 100 that others join, change in and leave: changes a second',

  run: (ground) =>
    withStarted(async (started) => {
      const { cores, folder, settings, say } = ground;
      say('presence: starting the servers');
      const roomwire = started.add(await startRoomwire(await folder.inside('presence'), cores.server));
      const { slug, login, homes } = await prepare(roomwire);
      const others = await startServers(ground, started, [peers.socketIo]);
      const servers = [{ ...roomwire, name: 'Roomwire', login }, ...others];
      const rows = await measureServers(ground, started, servers, (server) => ({
        kind: 'presence',
        login: server.login,
        port: server.port,
        serverId: server.processId,
        room: `${slug}/hall`,
        homes,
        ...{ watchers, warmUpSeconds },
        window: changesInFlight,
        seconds: settings.seconds,
      }));
      const title = `Presence, changes in a room that ${watchers} watch, saturated (${changesInFlight} in flight)`;
      return [{ title, figures, rows, notes }];
    }),
};

const prepare = async (
  roomwire: RunningRoomwire,
): Promise<{ readonly slug: string; readonly login: Login; readonly homes: readonly string[] }> => {
  const api = roomwireApi(roomwire);
  const { appId, slug } = await api.createApp('load');
  const names = Array.from({ length: movers }, (_, index) => `home-${index}`);
  for (const name of ['hall', ...names]) await api.createRoom(appId, name);
  const subscriberTokens = await api.createActors(watchers + movers);
  const login: Login = { protocol: 'roomwire', publisherToken: '', subscriberTokens };
  return { slug, login, homes: names.map((name) => `${slug}/${name}`) };
};

const figures: readonly [Figure, ...Figure[]] = [
  { name: 'changesPerSecond', label: 'changes/s', unit: 'rate' },
  { name: 'deliveriesPerSecond', label: 'told to watchers/s', unit: 'rate' },
  ...workColumns,
];

const notes = [
  `${movers} clients each join, change what they say, and leave for a room of their own; while they are there they are told too, which is not counted`,
  'Socket.IO: rooms and `socket.to(room).emit`, and no list of who is there',
];
