import { startGenerator, type Generator } from '../generator/jobs.js';
import { folderSize } from '../history/folderSize.js';
import { openIndexDelay } from '../history/indexDelay.js';
import { type Comparison, type Figure, inAlternation, type Measurement } from '../measure/comparison.js';
import type { RoomwireLogin } from '../generator/jobs.js';
import { type HistorySite, makeLogin, makeRooms, onFiles, onKafka } from './historySite.js';
import { type Ground, type Scenario, warmUpSeconds } from './scenario.js';

const messagesEach = 100;
const limit = 100;
/** For each second of a counted phase, so that short runs load little. */
const roomsASecond = { 'on files': 1_000, 'over Kafka': 200 } as const;
const publishing = { connections: 32, window: 512 };
const steadyRate = 1_000;
/** A prime, so that all rooms have their turn. */
const step = 7_919;
/** FerretDB is no measure of how many reads MongoDB takes at once. */
const readerCounts = { 'on files': [1, 16], 'over Kafka': [1] } as const;

const readFigures: readonly [Figure, ...Figure[]] = [
  { name: 'p99', label: 'p99', unit: 'milliseconds' },
  { name: 'p50', label: 'p50', unit: 'milliseconds' },
  { name: 'readsPerSecond', label: 'reads/s', unit: 'rate' },
  { name: 'cpuPerRead', label: 'server us/read', unit: 'microseconds' },
  { name: 'serverCpu', label: 'server CPU', unit: 'percent' },
  { name: 'generatorCpu', label: 'generator CPU', unit: 'percent' },
  { name: 'kilobytes', label: 'an answer', unit: 'kilobytes' },
];

const loadFigures: readonly [Figure, ...Figure[]] = [
  { name: 'messagesPerSecond', label: 'published/s', unit: 'rate' },
  { name: 'carriedPerSecond', label: 'carried/s', unit: 'rate' },
  { name: 'behind', label: 'in the index after', unit: 'milliseconds' },
  { name: 'bytes', label: 'bytes/message', unit: 'count' },
];

export const historyRead: Scenario = {
  name: 'history-read',
  summary: `the newest ${limit} messages of a room among many, and what they take in the index`,

  run: (ground) =>
    onFiles(ground, 'history-read', async (site, started) => {
      const generator = started.add(startGenerator(site.core));
      const hall = await makeHall(ground, site);
      const filled = await fill(ground, site, generator, hall);
      const bytes = (await folderSize(site.folder, 'history.lmdb')) / messagesIn(hall);
      const notes = [
        `${messagesIn(hall)} messages of 128 bytes`,
        'the index is the record: there is no delay',
      ];
      return [
        {
          title: 'Messages kept on files',
          figures: loadFigures,
          rows: [{ peer: 'as many as are answered', rounds: [{ ...filled, bytes }] }],
          notes,
        },
        await measureReads(ground, site, generator, hall),
      ];
    }),
};

export const historyReadOnEngines: Scenario = {
  name: 'history-read-engines',
  summary: 'the same over Kafka, with the index in FerretDB, and how far it is behind',
  needsEngines: true,

  run: (ground) =>
    onKafka(ground, async (site, started) => {
      const generator = started.add(startGenerator(site.core));
      const delay = started.add(await openIndexDelay(site.engines));
      const hall = await makeHall(ground, site);
      const before = await folderSize(site.engines.mongodbFolder);
      const filled = await fill(ground, site, generator, hall);
      const behind = await elapsedOf(() => delay.caughtUp());
      const bytes = ((await folderSize(site.engines.mongodbFolder)) - before) / messagesIn(hall);
      const carriedPerSecond = messagesIn(hall) / ((filled['elapsed'] ?? 0) + behind / 1000);
      const saturated = { ...filled, carriedPerSecond, behind, bytes };
      ground.say(`history-read over Kafka: ${steadyRate} messages a second`);
      const { port, processId: serverId } = site.gateway;
      const steady = await generator.run({
        kind: 'durable',
        ...{ ...hall, port, serverId, ...publishing, isHeard: false, messagesPerSecond: steadyRate },
        ...{ warmUpSeconds, seconds: ground.settings.seconds },
      });
      const steadyBehind = await elapsedOf(() => delay.caughtUp());
      return [
        {
          title: 'Messages brought from Kafka into the index',
          figures: loadFigures,
          rows: [
            { peer: 'as many as are answered', rounds: [saturated] },
            { peer: `${steadyRate} a second`, rounds: [{ ...steady, behind: steadyBehind }] },
          ],
          notes: [`${messagesIn(hall)} messages of 128 bytes; bytes: what the files of FerretDB grew by`],
        },
        await measureReads(ground, site, generator, hall),
      ];
    }),
};

interface Hall {
  readonly login: RoomwireLogin;
  readonly topics: readonly string[];
}

const messagesIn = ({ topics }: Hall): number => topics.length * messagesEach;

const elapsedOf = async (act: () => Promise<void>): Promise<number> => {
  const begin = performance.now();
  await act();
  return performance.now() - begin;
};

const makeHall = async ({ settings, say }: Ground, site: HistorySite): Promise<Hall> => {
  const rooms = Math.ceil(settings.seconds * roomsASecond[site.where]);
  say(`history-read ${site.where}: making ${rooms} rooms`);
  return { login: await makeLogin(site, 1), topics: await makeRooms(site, rooms, true) };
};

const fill = (
  { say }: Ground,
  { where, gateway: { port, processId: serverId } }: HistorySite,
  generator: Generator,
  hall: Hall,
): Promise<Measurement> => {
  say(`history-read ${where}: publishing ${messagesIn(hall)} messages`);
  return generator.run({ kind: 'fillRooms', ...hall, port, serverId, messagesEach, ...publishing });
};

const measureReads = async (
  { settings, say }: Ground,
  { where, gateway: { port, processId: serverId } }: HistorySite,
  generator: Generator,
  { login, topics }: Hall,
): Promise<Comparison> => {
  const peers = readerCounts[where].map((connections) => ({
    name: `${connections} at a time`,
    measure(round: number): Promise<Measurement> {
      say(`history-read ${where}: round ${round + 1} of ${settings.runs}, ${connections} at a time`);
      return generator.run({
        kind: 'historyReads',
        ...{ token: login.publisherToken, topics, port, serverId, limit, step, connections },
        ...{ warmUpSeconds, seconds: settings.seconds },
      });
    },
  }));
  return {
    title: `The newest ${limit} messages of one of ${topics.length} rooms ${where}`,
    figures: readFigures,
    rows: await inAlternation(peers, settings.runs),
    notes: [`\`history\` on the socket, one request at a time on each connection, of rooms in turn`],
  };
};
