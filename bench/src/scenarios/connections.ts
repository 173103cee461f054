import { type FanOutResult, startGenerator } from '../generator/jobs.js';
import { type Comparison, inAlternation, type Row } from '../measure/comparison.js';
import { startRoomwire } from '../peers/roomwire.js';
import { collecting, type Started, withStarted } from '../process/children.js';
import { measureServers, prepareHall, saturatedFigures, type Server } from './peers.js';
import { warmUpSeconds, type Ground, type Scenario } from './scenario.js';
import { stormFigures } from './storm.js';

const clients = 2_000;
const atOnce = 64;
const waves = 2;
const subscribers = 100;
const publishesInFlight = 32;

interface Candidate extends Server {
  readonly topic: string;
}

/** What the record of connections costs: the same program with it and without. */
export const connections: Scenario = {
  name: 'connections',
  summary: 'a connect storm and a fan-out, with connections on record and without',

  run: (ground) =>
    withStarted(async (started) => {
      const candidates = [
        await candidate(ground, started, { name: 'on record', env: {} }),
        await candidate(ground, started, { name: 'not', env: { ROOMWIRE_CONNECTION_RECORD: 'false' } }),
      ];
      return [await storms(ground, started, candidates), await fanOuts(ground, started, candidates)];
    }),
};

const candidate = async (
  { cores, folder }: Ground,
  started: Started,
  { name, env }: { readonly name: string; readonly env: Readonly<Record<string, string>> },
): Promise<Candidate> => {
  const place = await folder.inside(`connections-${name.replace(' ', '-')}`);
  const running = started.add(await startRoomwire(place, cores.server, { ...collecting, ...env }));
  return { ...running, ...(await prepareHall(running, clients)), name };
};

const storms = async (
  ground: Ground,
  started: Started,
  candidates: readonly Candidate[],
): Promise<Comparison> => {
  const rows = await measureServers(ground, started, candidates, ({ login, port, processId, topic }) => ({
    ...{ kind: 'storm', login, port, serverId: processId, topic, clients, atOnce, waves },
  }));
  const title = `Connections on record: storm, ${clients} clients, ${atOnce} at once`;
  return { title, figures: stormFigures, rows, notes };
};

const fanOuts = async (
  { cores, settings, say }: Ground,
  started: Started,
  candidates: readonly Candidate[],
): Promise<Comparison> => {
  const generator = started.add(startGenerator(cores.generator));
  const turns = candidates.map(({ name, login, port, processId: serverId, topic }) => ({
    name,
    measure: (round: number): Promise<FanOutResult> => {
      say(`connections, fan-out: round ${round + 1} of ${settings.runs}, ${name}`);
      const load = { warmUpSeconds, seconds: settings.seconds, window: publishesInFlight };
      const job = { kind: 'fanOut', login, port, serverId, topic, subscribers, filters: 0 } as const;
      return generator.run({ ...job, ...load, publishesPerSecond: 200 });
    },
  }));
  const results = await inAlternation(turns, settings.runs);
  const rows = results.map(({ peer, rounds }): Row => ({
    peer,
    rounds: rounds.map(({ saturated }) => saturated),
  }));
  const title = `Connections on record: fan-out 1:${subscribers}, saturated`;
  return { title, figures: saturatedFigures, rows, notes };
};

const notes = [
  'one program on files each, with its own data folder; the record is written by the same process',
];
