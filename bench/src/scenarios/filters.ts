import { type Login, startGenerator } from '../generator/jobs.js';
import {
  type Comparison,
  type Figure,
  inAlternation,
  type Measurement,
  type Peer,
} from '../measure/comparison.js';
import { roomwireApi, type RunningRoomwire, startRoomwire } from '../peers/roomwire.js';
import { withStarted } from '../process/children.js';
import { warmUpSeconds, type Ground, type Scenario } from './scenario.js';

const subscribers = 10_000;
const distinctFilters = 100;
const actors = 100;
const publishesInFlight = 32;

export const filters: Scenario = {
  name: 'filters',
  summary: '10,000 subscribers: publishes a second when a filter picks 1 %, and when all get them',

  run: (ground) =>
    withStarted(async (started) => {
      const { cores, folder, settings, say } = ground;
      say('filters: starting the server');
      const roomwire = started.add(await startRoomwire(await folder.inside('filters'), cores.server));
      const generator = started.add(startGenerator(cores.generator));
      const { topic, login } = await prepare(roomwire);
      const peer = (name: string, distinct: number): Peer<Measurement> => ({
        name,
        measure(round) {
          say(`filters: round ${round + 1} of ${settings.runs}, ${name}`);
          return generator.run({
            kind: 'filters',
            ...{ login, topic, subscribers, warmUpSeconds },
            port: roomwire.port,
            serverId: roomwire.processId,
            filters: distinct,
            seconds: settings.seconds,
            window: publishesInFlight,
          });
        },
      });
      const peers = [peer('Roomwire, a filter that 1 % have', distinctFilters), peer('Roomwire, to all', 0)];
      return [await compare(ground, peers)];
    }),
};

const prepare = async (roomwire: RunningRoomwire): Promise<{ topic: string; login: Login }> => {
  const api = roomwireApi(roomwire);
  const app = await api.createApp('load');
  await api.createRoom(app.appId, 'hall');
  const [publisherToken = '', ...tokens] = await api.createActors(1 + actors);
  const subscriberTokens = Array.from({ length: subscribers }, (_, index) => tokens[index % actors] ?? '');
  return {
    topic: `${app.slug}/hall/load`,
    login: { protocol: 'roomwire', publisherToken, subscriberTokens },
  };
};

const compare = async ({ settings }: Ground, peers: readonly Peer<Measurement>[]): Promise<Comparison> => ({
  title: `Filters, ${subscribers} subscribers with ${distinctFilters} filters, saturated (${publishesInFlight} publishes in flight)`,
  figures,
  rows: await inAlternation(peers, settings.runs),
  notes: [
    `128-byte messages, QoS 1, no msgRef, ${actors} actors with ${subscribers / actors} connections each`,
  ],
});

const figures: readonly [Figure, ...Figure[]] = [
  { name: 'publishesPerSecond', label: 'publishes/s', unit: 'rate' },
  { name: 'deliveriesPerSecond', label: 'deliveries/s', unit: 'rate' },
  { name: 'serverCpu', label: 'server CPU', unit: 'percent' },
  { name: 'generatorCpu', label: 'generator CPU', unit: 'percent' },
  { name: 'lost', label: 'lost', unit: 'count' },
];
