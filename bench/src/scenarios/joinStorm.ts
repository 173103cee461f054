import type { Figure } from '../measure/comparison.js';
import { inAlternation } from '../measure/comparison.js';
import { startGenerator, type RoomwireLogin } from '../generator/jobs.js';
import { roomwireApi, startRoomwire } from '../peers/roomwire.js';
import { withStarted } from '../process/children.js';
import type { Scenario } from './scenario.js';

const present = 10_000;
const joins = 10_000;
/** A process has 20,000 sockets at most, so that each of them joins twice. */
const joiners = 5_000;
const seconds = 60;
const told = 100;

export const joinStorm: Scenario = {
  name: 'join-storm',
  summary: 'a room of 10000 that count who is there, where 10000 join in a minute',

  run: (ground) =>
    withStarted(async (started) => {
      const { cores, folder, settings, say } = ground;
      say('join-storm: making the actors');
      const roomwire = started.add(await startRoomwire(await folder.inside('join-storm'), cores.server));
      const api = roomwireApi(roomwire);
      const { appId, slug } = await api.createApp('load');
      await api.createRoom(appId, 'hall');
      const subscriberTokens = await api.createActors(present + joiners);
      const login: RoomwireLogin = { protocol: 'roomwire', publisherToken: '', subscriberTokens };
      const generator = started.add(startGenerator(cores.generator));
      const { port, processId: serverId } = roomwire;
      const job = { kind: 'joinStorm', login, port, serverId, room: `${slug}/hall` } as const;
      const peer = (name: string, toldOfAll: number) => ({
        name,
        measure: (round: number) => {
          say(`join-storm: round ${round + 1} of ${settings.runs}, ${name}`);
          const rate = { joinsPerSecond: joins / seconds, seconds };
          return generator.run({ ...job, ...rate, present, joiners, told: toldOfAll });
        },
      });
      const peers = [peer('all count', 0), peer(`${told} are told of everybody`, told)];
      const rows = await inAlternation(peers, settings.runs);
      const title = `Join storm, a room of ${present}, ${joins} joins in ${seconds} s`;
      return [{ title, figures, rows, notes }];
    }),
};

const figures: readonly [Figure, ...Figure[]] = [
  { name: 'cpuPerJoin', label: 'server us/join', unit: 'microseconds' },
  { name: 'countsPerSecond', label: 'counts/s to each', unit: 'rate' },
  { name: 'shortestPause', label: 'shortest pause', unit: 'milliseconds' },
  { name: 'untilTold', label: 'all know the last count after', unit: 'milliseconds' },
  { name: 'eventsPerSecond', label: 'events/s to each who is told', unit: 'rate' },
  { name: 'serverCpu', label: 'server CPU', unit: 'percent' },
  { name: 'generatorCpu', label: 'generator CPU', unit: 'percent' },
];

const notes = [
  `all who are present are connected, and so are the ${joiners} who join: each of them once, and once more after it has left, counting as well`,
  'shortest pause: of two counts that one client was sent, as the generator reads them',
];
