import { startGenerator } from '../generator/jobs.js';
import { type Comparison, inAlternation, type Measurement, type Peer } from '../measure/comparison.js';
import { startRoomwire } from '../peers/roomwire.js';
import { withStarted } from '../process/children.js';
import { prepareHall, saturatedFigures } from './peers.js';
import { warmUpSeconds, type Scenario } from './scenario.js';

const audiences = [100, 1000];
const publishesInFlight = 32;

export const meta: Scenario = {
  name: 'meta',
  summary: 'fan-out when all subscribers ask for meta, beside one where none does',

  run: (ground) =>
    withStarted(async (started) => {
      const { cores, folder, settings, say } = ground;
      say('meta: starting the server');
      const roomwire = started.add(await startRoomwire(await folder.inside('meta'), cores.server));
      const generator = started.add(startGenerator(cores.generator));
      const { topic, login } = await prepareHall(roomwire, Math.max(...audiences));
      const peer = (name: string, subscribers: number, isAsked: boolean): Peer<Measurement> => ({
        name,
        measure(round) {
          say(`meta 1:${subscribers}: round ${round + 1} of ${settings.runs}, ${name}`);
          return generator.run({
            kind: 'filters',
            ...{ login, topic, subscribers, warmUpSeconds, filters: 0, meta: isAsked },
            ...{ port: roomwire.port, serverId: roomwire.processId },
            ...{ seconds: settings.seconds, window: publishesInFlight },
          });
        },
      });
      const comparisons: Comparison[] = [];
      for (const subscribers of audiences) {
        const turns = [
          peer('Roomwire, all ask for meta', subscribers, true),
          peer('Roomwire, nobody does', subscribers, false),
        ];
        const title = `Meta 1:${subscribers}, saturated (${publishesInFlight} publishes in flight)`;
        comparisons.push({
          title,
          figures: saturatedFigures,
          rows: await inAlternation(turns, settings.runs),
          notes,
        });
      }
      return comparisons;
    }),
};

const notes = ['128-byte messages, QoS 1, no msgRef, one actor a subscriber; with meta a delivery is longer'];
