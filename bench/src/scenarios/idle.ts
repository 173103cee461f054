import { type Figure, inAlternation, type Measurement, type Peer, type Row } from '../measure/comparison.js';
import { type Generator, type Login, startGenerator } from '../generator/jobs.js';
import { startRoomwire } from '../peers/roomwire.js';
import { collecting, type Started, withStarted } from '../process/children.js';
import { peers, prepareHall, type Server, startServers } from './peers.js';
import type { Ground, Scenario } from './scenario.js';

export const idleClients = 5_000;
const atOnce = 64;

export const idle: Scenario = {
  name: 'idle',
  summary: '5000 connections, authenticated and with one subscription each, that say nothing: memory',

  run: (ground) =>
    withStarted(async (started) => {
      const { cores, folder, settings, say } = ground;
      say('idle: making the actors');
      const data = await folder.inside('idle');
      const first = await startRoomwire(data, cores.server);
      const { topic, login } = await prepareHall(first, idleClients).finally(() => first.stop());
      const generator = started.add(startGenerator(cores.generator));
      const starts: Readonly<Record<string, Start>> = {
        Roomwire: startFresh(ground, data, login),
        [peers.rooms.name]: (own) => startServers(ground, own, [peers.rooms], collecting),
        [peers.socketIo.name]: (own) => startServers(ground, own, [peers.socketIo], collecting),
        [peers.nats.name]: (own) => startServers(ground, own, [peers.nats]),
        [peers.centrifugo.name]: (own) => startServers(ground, own, [peers.centrifugo]),
      };
      const all = Object.entries(starts).map(([name, start]) =>
        idlePeer(ground, generator, topic, name, start),
      );
      const rows = (await inAlternation(all, settings.runs)).filter(couldBeMeasured);
      const title = `Idle, ${idleClients} connections, each authenticated and with one subscription`;
      return [{ title, figures: idleFigures, rows, notes: idleNotes }];
    }),
};

export type Start = (own: Started) => Promise<readonly Server[]>;

/** A new process each time: what an earlier round has left would be taken again, and not be counted. */
export const idlePeer = (
  { settings, say }: Ground,
  generator: Generator,
  topic: string,
  name: string,
  start: Start,
): Peer<Measurement> => ({
  name,
  measure: (round) =>
    withStarted(async (own) => {
      say(`idle: round ${round + 1} of ${settings.runs}, ${name}`);
      const [server] = await start(own);
      if (server === undefined) return {};
      const { login, port, processId: serverId } = server;
      return generator.run({ kind: 'idle', login, port, serverId, topic, clients: idleClients, atOnce });
    }),
});

/** A new process on a folder that has the actors. */
export const startFresh =
  ({ cores }: Ground, data: string, login: Login, env: Readonly<Record<string, string>> = {}): Start =>
  async (own) => {
    const running = own.add(await startRoomwire(data, cores.server, { ...collecting, ...env }));
    return [{ ...running, name: 'Roomwire', login }];
  };

const couldBeMeasured = ({ rounds }: Row): boolean => rounds.some((round) => Object.keys(round).length > 0);

export const idleFigures: readonly [Figure, ...Figure[]] = [
  { name: 'heldKilobytes', label: 'held per connection', unit: 'kilobytes' },
  { name: 'residentKilobytes', label: 'before a collection', unit: 'kilobytes' },
  { name: 'emptyMegabytes', label: 'process without', unit: 'megabytes' },
];

export const idleNotes = [
  'growth of the anonymous memory of the server (RssAnon: no pages of files), after a collection and as it is just after all have come',
  'Roomwire: an actor of its own for each connection; each round in a new process, warmed up by 100 connections that have gone',
];
