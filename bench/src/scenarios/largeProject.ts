import { startGenerator } from '../generator/jobs.js';
import { type Figure, inAlternation, type Measurement } from '../measure/comparison.js';
import { roomwireApi, startRoomwire } from '../peers/roomwire.js';
import { withStarted } from '../process/children.js';
import { warmUpSeconds, type Scenario } from './scenario.js';

const rooms = 10_000;
const actors = 100_000;
const connections = 32;
/** Enough that no cache but the read models themselves holds them. */
const asked = 5_000;

const figures: readonly [Figure, ...Figure[]] = [
  { name: 'requestsPerSecond', label: 'requests/s', unit: 'rate' },
  { name: 'p50', label: 'p50', unit: 'milliseconds' },
  { name: 'p99', label: 'p99', unit: 'milliseconds' },
  { name: 'cpuPerRequest', label: 'server us/request', unit: 'microseconds' },
  { name: 'kilobytes', label: 'body', unit: 'kilobytes' },
  { name: 'memory', label: 'RSS', unit: 'megabytes' },
];

interface Ids {
  readonly actorTokenId: string;
  readonly keyId: string;
}

export const largeProject: Scenario = {
  name: 'large',
  summary: 'an app with 10,000 rooms and a project with 100,000 actors, over REST',

  run: ({ settings, cores, folder, say }) =>
    withStarted(async (started) => {
      const server = started.add(await startRoomwire(await folder.inside('large'), cores.server));
      const generator = started.add(startGenerator(cores.generator));
      const { apiKey } = server.credentials;
      const target = { port: server.port, apiKey };
      const { appId } = await roomwireApi(server).createApp('load');
      const roomsPath = `/v1/apps/${appId}/rooms`;
      for (const [path, count, body] of [
        [roomsPath, rooms, '{"name":"Room #"}'],
        ['/v1/actors', actors, '{"name":"Actor #","actorType":"device"}'],
      ] as const) {
        say(`large: ${count} × POST ${path}`);
        await generator.run({ kind: 'fill', ...target, path, count, body, connections });
      }
      const ids = await actorsOf(server.port, apiKey);
      const measured = async (paths: readonly string[], atOnce: number): Promise<Measurement> =>
        generator.run({
          kind: 'requests',
          ...{ ...target, serverId: server.processId, paths, connections: atOnce },
          ...{ warmUpSeconds, seconds: settings.seconds },
        });
      const pathsBy = (name: keyof Ids) => ids.map((actor) => `/v1/actors/${actor[name]}`);
      const peer = (name: string, paths: readonly string[], atOnce: number) => ({
        name,
        measure: (round: number) => {
          say(`large: round ${round + 1} of ${settings.runs}, ${name}`);
          return measured(paths, atOnce);
        },
      });
      const reads = await inAlternation(
        [
          peer('an actor by its id', pathsBy('actorTokenId'), connections),
          peer('an actor by its keyId', pathsBy('keyId'), connections),
        ],
        settings.runs,
      );
      const list = await inAlternation([peer(`${rooms} rooms`, [roomsPath], 1)], settings.runs);
      return [
        { title: `Reads of ${actors} actors, ${connections} connections`, figures, rows: reads, notes: [] },
        { title: `A list of ${rooms} rooms, 1 connection`, figures, rows: list, notes: [] },
      ];
    }),
};

const actorsOf = async (port: number, apiKey: string): Promise<readonly Ids[]> => {
  const headers = { authorization: `Bearer ${apiKey}` };
  const answer = await fetch(`http://127.0.0.1:${port}/v1/actors`, { headers });
  const all = (await answer.json()) as readonly Ids[];
  if (all.length !== actors) throw new Error(`${all.length} actors are listed`);
  return all.filter((_, index) => index % (actors / asked) === 0);
};
