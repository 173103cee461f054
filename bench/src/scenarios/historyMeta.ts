import { startGenerator } from '../generator/jobs.js';
import { type Comparison, inAlternation, type Measurement, type Peer } from '../measure/comparison.js';
import { type RunningRoomwire, startRoomwire } from '../peers/roomwire.js';
import { withStarted } from '../process/children.js';
import { makeLogin, makeRooms } from './historySite.js';
import { saturatedFigures } from './peers.js';
import { type Ground, type Scenario, warmUpSeconds } from './scenario.js';

const audiences = [100, 1000];
const publishesInFlight = 32;

export const historyMeta: Scenario = {
  name: 'meta-history',
  summary:
    'fan-out when all subscribers ask for meta of a topic with history, beside a plain one, and one of another version',

  run: (ground) =>
    withStarted(async (started) => {
      const { cores, folder, settings, say } = ground;
      say('meta-history: starting the servers');
      const now = started.add(await startRoomwire(await folder.inside('meta-history'), cores.server));
      const generator = started.add(startGenerator(cores.generator));
      const fanOut = async (name: string, server: RunningRoomwire, isKept: boolean): Promise<FanOut> => {
        const site = { where: 'on files', core: cores.generator, api: server, gateway: server } as const;
        const [topic = ''] = await makeRooms(site, 1, isKept);
        const login = await makeLogin(site, Math.max(...audiences));
        return {
          name,
          run: (subscribers) =>
            generator.run({
              kind: 'filters',
              ...{ login, topic, subscribers, warmUpSeconds, filters: 0, meta: isKept },
              ...{ port: server.port, serverId: server.processId },
              ...{ seconds: settings.seconds, window: publishesInFlight },
            }),
        };
      };
      const nobody = await fanOut('Roomwire, nobody asks for anything', now, false);
      const all = await fanOut('Roomwire, all ask for meta of a topic with history', now, true);
      const comparisons = await compare(ground, 'Meta and history', [all, nobody]);
      if (settings.before === undefined) return comparisons;
      const beforeFolder = await folder.inside('before');
      const before = started.add(await startRoomwire(beforeFolder, cores.server, {}, settings.before));
      const former = await fanOut('Roomwire of the other version', before, false);
      return [...comparisons, ...(await compare(ground, 'Nobody asks for anything', [nobody, former]))];
    }),
};

interface FanOut {
  readonly name: string;
  readonly run: (subscribers: number) => Promise<Measurement>;
}

const compare = async (
  { settings, say }: Ground,
  what: string,
  fanOuts: readonly FanOut[],
): Promise<readonly Comparison[]> => {
  const comparisons: Comparison[] = [];
  for (const subscribers of audiences) {
    const peers = fanOuts.map(({ name, run }): Peer<Measurement> => ({
      name,
      measure(round) {
        say(`${what} 1:${subscribers}: round ${round + 1} of ${settings.runs}, ${name}`);
        return run(subscribers);
      },
    }));
    const title = `${what} 1:${subscribers}, saturated (${publishesInFlight} publishes in flight)`;
    const rows = await inAlternation(peers, settings.runs);
    comparisons.push({ title, figures: saturatedFigures, rows, notes });
  }
  return comparisons;
};

const notes = [
  '128-byte messages, QoS 1, no msgRef, one actor a subscriber; with history each publish is on disk before it is delivered',
];
