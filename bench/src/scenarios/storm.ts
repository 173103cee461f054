import type { Figure } from '../measure/comparison.js';
import { startRoomwire } from '../peers/roomwire.js';
import { collecting, withStarted } from '../process/children.js';
import { measureServers, peers, prepareHall, startServers } from './peers.js';
import type { Scenario } from './scenario.js';

const clients = 2_000;
const atOnce = 64;
const waves = 2;

export const storm: Scenario = {
  name: 'storm',
  summary: '2000 clients connect, authenticate, subscribe and go: clients a second, and memory afterwards',

  run: (ground) =>
    withStarted(async (started) => {
      const { cores, folder, say } = ground;
      say('storm: starting the servers');
      const roomwire = started.add(
        await startRoomwire(await folder.inside('storm'), cores.server, collecting),
      );
      const { topic, login } = await prepareHall(roomwire, clients);
      const kinds = [peers.rooms, peers.socketIo, peers.nats, peers.centrifugo];
      const others = await startServers(ground, started, kinds, collecting);
      const servers = [{ ...roomwire, name: 'Roomwire', login }, ...others];
      const rows = await measureServers(ground, started, servers, (server) => ({
        kind: 'storm',
        login: server.login,
        port: server.port,
        serverId: server.processId,
        ...{ topic, clients, atOnce, waves },
      }));
      const title = `Storm, ${clients} clients that connect, authenticate and subscribe, ${atOnce} at once`;
      return [{ title, figures: stormFigures, rows, notes }];
    }),
};

export const stormFigures: readonly [Figure, ...Figure[]] = [
  { name: 'clientsPerSecond', label: 'clients/s', unit: 'rate' },
  { name: 'cpuPerClient', label: 'server us/client', unit: 'microseconds' },
  { name: 'serverCpu', label: 'server CPU', unit: 'percent' },
  { name: 'generatorCpu', label: 'generator CPU', unit: 'percent' },
  { name: 'keptMegabytes', label: 'kept', unit: 'megabytes' },
];

const notes = [
  `a wave before, then ${waves} that are counted; kept: growth of the anonymous memory over these when all are gone, after a collection`,
  'Roomwire: one actor a client, by access token; the others check no credentials, and the bare one has no frames before the load',
];
