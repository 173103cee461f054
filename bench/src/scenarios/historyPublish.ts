import { startGenerator } from '../generator/jobs.js';
import { startJetStreamClient } from '../jetstream/jobs.js';
import { type Comparison, type Figure, inAlternation, type Measurement } from '../measure/comparison.js';
import { type JetStreamSync, startJetStream } from '../peers/startPeer.js';
import type { Started } from '../process/children.js';
import { type HistorySite, makeLogin, makeRooms, onFiles, onKafka } from './historySite.js';
import { type Ground, type Scenario, warmUpSeconds } from './scenario.js';

const rooms = 32;
const inFlight = 256;
const messagesPerSecond = 1_000;
const firstWarmUpSeconds = 4;

interface Load {
  readonly messagesPerSecond: number | undefined;
  readonly window: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

interface Publisher {
  readonly name: string;
  readonly publish: (load: Load) => Promise<Measurement>;
}

const rate: Figure = { name: 'messagesPerSecond', label: 'messages/s', unit: 'rate' };
const latency: readonly [Figure, Figure] = [
  { name: 'p50', label: 'p50', unit: 'milliseconds' },
  { name: 'p99', label: 'p99', unit: 'milliseconds' },
];
const work: readonly Figure[] = [
  { name: 'cpuPerMessage', label: 'server us/message', unit: 'microseconds' },
  { name: 'serverCpu', label: 'server CPU', unit: 'percent' },
  { name: 'generatorCpu', label: 'generator CPU', unit: 'percent' },
  { name: 'lost', label: 'lost', unit: 'count' },
];

export const historyPublish: Scenario = {
  name: 'history-publish',
  summary:
    'publishes to topics with history, answered when they are on disk, beside topics without and JetStream',

  run: (ground) =>
    onFiles(ground, 'history-publish', async (site, started) => {
      const publishers = [
        ...(await ofRoomwire(site, started)),
        ...(await ofJetStream(ground, started, 'always')),
        ...(await ofJetStream(ground, started, 'now and then')),
      ];
      return measure(ground, site, publishers);
    }),
};

export const historyPublishOnEngines: Scenario = {
  name: 'history-publish-engines',
  summary: 'the same over Kafka, through one gateway',
  needsEngines: true,

  run: (ground) =>
    onKafka(ground, async (site, started) => measure(ground, site, await ofRoomwire(site, started))),
};

const ofRoomwire = async (site: HistorySite, started: Started): Promise<readonly Publisher[]> => {
  const generator = started.add(startGenerator(site.core));
  const login = await makeLogin(site, rooms);
  const publisher = async (name: string, isKept: boolean): Promise<Publisher> => {
    const topics = await makeRooms(site, rooms, isKept);
    const { port, processId: serverId } = site.gateway;
    const target = { ...{ login, port, serverId, topics }, isHeard: true, connections: rooms };
    return { name, publish: (load) => generator.run({ kind: 'durable', ...target, ...load }) };
  };
  return [await publisher('Roomwire, with history', true), await publisher('Roomwire, without', false)];
};

const ofJetStream = async (
  { cores, folder, say }: Ground,
  started: Started,
  sync: JetStreamSync,
): Promise<readonly Publisher[]> => {
  const server = await startJetStream(cores.server, say, await folder.inside('jetstream'), sync);
  if (server === undefined) return [];
  const { port, processId: serverId } = started.add(server);
  const client = started.add(startJetStreamClient(cores.generator));
  const subjects = Array.from({ length: rooms }, (_, index) => `load.${index}`);
  const publish = (load: Load): Promise<Measurement> =>
    client.run({ kind: 'publish', ...{ port, serverId, subjects }, ...load });
  return [{ name: `NATS JetStream, flushed ${sync}`, publish }];
};

const measure = async (
  { settings, say }: Ground,
  { where }: HistorySite,
  publishers: readonly Publisher[],
): Promise<readonly Comparison[]> => {
  const compare = async (
    title: string,
    figures: Comparison['figures'],
    load: Pick<Load, 'messagesPerSecond' | 'window'>,
  ): Promise<Comparison> => {
    const turns = publishers.map(({ name, publish }) => ({
      name,
      measure(round: number): Promise<Measurement> {
        say(`${title}: round ${round + 1} of ${settings.runs}, ${name}`);
        const warmUp = round === 0 ? firstWarmUpSeconds : warmUpSeconds;
        return publish({ ...load, warmUpSeconds: warmUp, seconds: settings.seconds });
      },
    }));
    return { title, figures, rows: await inAlternation(turns, settings.runs), notes };
  };
  return [
    await compare(`Durable publishes ${where}, ${inFlight} in flight`, [rate, ...latency, ...work], {
      ...{ messagesPerSecond: undefined, window: inFlight },
    }),
    await compare(
      `Durable publishes ${where}, ${messagesPerSecond} a second (open loop)`,
      [...latency, rate, ...work],
      { messagesPerSecond, window: inFlight },
    ),
  ];
};

const notes = [
  `128 bytes of data, QoS 1 with msgRef, ${rooms} rooms, in each a connection that publishes and one that is subscribed; ` +
    `the newest 1,000 of each room are kept; time until \`published\``,
  'JetStream: one connection of its own client, a stream on files that keeps as many of each subject, nobody subscribed',
];
