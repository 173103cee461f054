import { type RestResult, startGenerator } from '../generator/jobs.js';
import { type Comparison, type Figure, inAlternation, type Row } from '../measure/comparison.js';
import { roomwireApi, startRoomwire } from '../peers/roomwire.js';
import { startPeer } from '../peers/startPeer.js';
import { type Started, withStarted } from '../process/children.js';
import { type Ground, type Scenario, warmUpSeconds } from './scenario.js';
import { onEngines } from '../engines/onEngines.js';
import { createProject, startService } from '../peers/roomwireService.js';

const connections = 32;

/** A fresh server handles far more code in a request than in a message, and takes longer to compile it. */
const firstWarmUpSeconds = 4;

const figures: readonly [Figure, ...Figure[]] = [
  { name: 'requestsPerSecond', label: 'requests/s', unit: 'rate' },
  { name: 'p50', label: 'p50', unit: 'milliseconds' },
  { name: 'p99', label: 'p99', unit: 'milliseconds' },
  { name: 'cpuPerRequest', label: 'server us/request', unit: 'microseconds' },
  { name: 'serverCpu', label: 'server CPU', unit: 'percent' },
  { name: 'generatorCpu', label: 'generator CPU', unit: 'percent' },
];

interface Server {
  readonly name: string;
  readonly port: number;
  readonly processId: number;
  readonly apiKey: string;
  /** Where the rooms of a new app are. */
  readonly newPath: () => Promise<string>;
}

export const rest: Scenario = {
  name: 'rest',
  summary: 'rooms created and read a second over REST, 32 connections',

  run: (ground) =>
    withStarted(async (started) => {
      const servers = await startServers(ground, started);
      const generator = started.add(startGenerator(ground.cores.generator));
      const { seconds, runs } = ground.settings;
      const peers = servers.map(({ name, port, processId, apiKey, newPath }) => ({
        name,
        async measure(round: number): Promise<RestResult> {
          ground.say(`rest: round ${round + 1} of ${runs}, ${name}`);
          const path = await newPath();
          const target = { port, serverId: processId, apiKey, path };
          const warmUp = round === 0 ? firstWarmUpSeconds : warmUpSeconds;
          return generator.run({ kind: 'rest', ...target, connections, warmUpSeconds: warmUp, seconds });
        },
      }));
      const results = await inAlternation(peers, runs);
      return restComparisons(results, 'on files', notes);
    }),
};

interface RestRounds {
  readonly peer: string;
  readonly rounds: readonly RestResult[];
}

/** A table of the creates and one of the reads. */
const restComparisons = (
  results: readonly RestRounds[],
  where: string,
  remarks: readonly string[],
): readonly Comparison[] => {
  const rowsOf = (phase: keyof RestResult): readonly Row[] =>
    results.map(({ peer, rounds }) => ({ peer, rounds: rounds.map((result) => result[phase]) }));
  return (['creates', 'reads'] as const).map((phase) => ({
    title: `REST ${phase} ${where}, ${connections} connections`,
    ...{ figures, rows: rowsOf(phase), notes: remarks },
  }));
};

const startServers = async ({ cores, folder }: Ground, started: Started): Promise<readonly Server[]> => {
  const roomwire = started.add(await startRoomwire(await folder.inside('rest-roomwire'), cores.server));
  const plainFolder = await folder.inside('rest-plain');
  const plain = started.add(await startPeer('plainHttp', cores.server, { args: [plainFolder] }));
  const api = roomwireApi(roomwire);
  return [
    {
      ...roomwire,
      name: 'Roomwire',
      apiKey: roomwire.credentials.apiKey,
      newPath: async () => `/v1/apps/${(await api.createApp('load')).appId}/rooms`,
    },
    { ...plain, name: 'node:http and an LMDB put', apiKey: 'none', newPath: async () => '/rooms' },
  ];
};

const notes = [
  'all rooms of a round in one new app, which is one stream; a create is on disk when it is answered',
];

const engineWarmUpSeconds = 3;

export const restOnEngines: Scenario = {
  name: 'rest-engines',
  summary: 'rooms created and read a second over REST, 32 connections, on engines',
  needsEngines: true,

  run: (ground) =>
    onEngines(ground, async (engines, started) => {
      const { settings, say } = ground;
      const commandApi = started.add(await startService('command-api', engines));
      started.add(await startService('projections', engines));
      const { apiKey } = await createProject(commandApi.port);
      const api = roomwireApi({ port: commandApi.port, credentials: { apiKey } });
      const generator = started.add(startGenerator(undefined));
      const name = 'Roomwire on EventStoreDB (stand-in), FerretDB and Kafka';
      const measure = async (round: number): Promise<RestResult> => {
        say(`rest-engines: round ${round + 1} of ${settings.runs}`);
        const path = `/v1/apps/${(await api.createApp('load')).appId}/rooms`;
        return generator.run({
          kind: 'rest',
          ...{ port: commandApi.port, serverId: commandApi.processId, apiKey, path, connections },
          ...{ warmUpSeconds: engineWarmUpSeconds, seconds: settings.seconds },
        });
      };
      const results = await inAlternation([{ name, measure }], settings.runs);
      return restComparisons(results, 'on engines', [
        'one command-api and one projections; FerretDB stands for MongoDB’s wire and not for its speed; not pinned',
      ]);
    }),
};
