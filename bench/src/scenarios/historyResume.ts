import { type Generator, startGenerator } from '../generator/jobs.js';
import { startJetStreamClient } from '../jetstream/jobs.js';
import {
  type Comparison,
  type Figure,
  inAlternation,
  type Measurement,
  type Peer,
} from '../measure/comparison.js';
import { startJetStream } from '../peers/startPeer.js';
import type { Started } from '../process/children.js';
import { type HistorySite, makeLogin, makeRooms, onFiles, onKafka } from './historySite.js';
import { type Ground, type Scenario, warmUpSeconds } from './scenario.js';

const subscribers = 1_000;
const missed = 100;
const roomCounts = [1, 100];
const actors = 100;
const bystanders = { rooms: 50, clientsPerRoom: 2, messagesPerSecond: 1_000 };

const figures: readonly [Figure, ...Figure[]] = [
  { name: 'p99', label: 'p99', unit: 'milliseconds' },
  { name: 'p50', label: 'p50', unit: 'milliseconds' },
  { name: 'all', label: 'the last', unit: 'milliseconds' },
  { name: 'messagesPerSecond', label: 'replayed/s', unit: 'rate' },
  { name: 'cpuPerMessage', label: 'server us/message', unit: 'microseconds' },
  { name: 'serverCpu', label: 'server CPU', unit: 'percent' },
  { name: 'generatorCpu', label: 'generator CPU', unit: 'percent' },
];

const bystanderFigures: readonly [Figure, ...Figure[]] = [
  { name: 'p99', label: 'p99', unit: 'milliseconds' },
  { name: 'p50', label: 'p50', unit: 'milliseconds' },
  { name: 'deliveriesPerSecond', label: 'deliveries/s', unit: 'rate' },
  { name: 'serverCpu', label: 'server CPU', unit: 'percent' },
  { name: 'lost', label: 'lost', unit: 'count' },
];

export const historyResume: Scenario = {
  name: 'resume',
  summary: `${subscribers} clients that resume at once, ${missed} messages each, and those who are live meanwhile`,

  run: (ground) =>
    onFiles(ground, 'resume', async (site, started) => {
      const jetStream = await ofJetStream(ground, started);
      return measureSite(ground, site, started, jetStream);
    }),
};

export const historyResumeOnEngines: Scenario = {
  name: 'resume-engines',
  summary: 'the same over Kafka, at one gateway, with the index in FerretDB',
  needsEngines: true,
  run: (ground) => onKafka(ground, (site, started) => measureSite(ground, site, started, [])),
};

const measureSite = async (
  ground: Ground,
  site: HistorySite,
  started: Started,
  others: readonly Peer<Measurement>[],
): Promise<readonly Comparison[]> => {
  const { settings, say } = ground;
  const generator = started.add(startGenerator(site.core));
  const login = await makeLogin(site, actors);
  const resume = async (rooms: number): Promise<Peer<Measurement>> => {
    const topics = await makeRooms(site, rooms, true);
    const name = `Roomwire, ${rooms === 1 ? 'all in one room' : `in ${rooms} rooms`}`;
    const { port, processId: serverId } = site.gateway;
    const target = { ...{ login, port, serverId, topics }, subscribers, missed, seconds: settings.seconds };
    return {
      name,
      measure(round) {
        say(`resume ${site.where}: round ${round + 1} of ${settings.runs}, ${name}`);
        return generator.run({ kind: 'resume', ...target });
      },
    };
  };
  const waves: Peer<Measurement>[] = [];
  for (const rooms of roomCounts) waves.push(await resume(rooms));
  const rows = await inAlternation([...waves, ...others], settings.runs);
  const title = `${subscribers} clients resume at once ${site.where}, ${missed} messages each`;
  return [{ title, figures, rows, notes }, await measureBystanders(ground, site, started, waves)];
};

/** Others talk in rooms of their own, with and without those who resume. */
const measureBystanders = async (
  { settings, say }: Ground,
  site: HistorySite,
  started: Started,
  waves: readonly Peer<Measurement>[],
): Promise<Comparison> => {
  const { rooms, ...chat } = bystanders;
  const generator: Generator = started.add(startGenerator(site.core));
  const topics = await makeRooms(site, rooms, false);
  const login = await makeLogin(site, rooms * chat.clientsPerRoom);
  const { port, processId: serverId } = site.gateway;
  const talk = (): Promise<Measurement> =>
    generator.run({
      kind: 'chat',
      ...{ login, port, serverId, topics, ...chat, warmUpSeconds, seconds: settings.seconds },
    });
  const rows = await inAlternation(
    [
      ...waves.map((wave) => ({
        name: `while they resume, ${wave.name}`,
        async measure(round: number) {
          const [heard] = await Promise.all([talk(), wave.measure(round)]);
          return heard;
        },
      })),
      {
        name: 'while nobody does',
        measure(round: number) {
          say(`resume ${site.where}: round ${round + 1} of ${settings.runs}, nobody`);
          return talk();
        },
      },
    ],
    settings.runs,
  );
  const title = `${chat.messagesPerSecond} messages a second in ${rooms} other rooms ${site.where} (open loop)`;
  return { title, figures: bystanderFigures, rows, notes: bystanderNotes };
};

const ofJetStream = async (
  { cores, folder, say, settings }: Ground,
  started: Started,
): Promise<readonly Peer<Measurement>[]> => {
  const server = await startJetStream(cores.server, say, await folder.inside('jetstream'), 'now and then');
  if (server === undefined) return [];
  const { port, processId: serverId } = started.add(server);
  const client = started.add(startJetStreamClient(cores.generator));
  const job = { port, serverId, subscribers, missed, warmUpSeconds, seconds: settings.seconds } as const;
  return [
    {
      name: 'NATS JetStream, consumers that start at a sequence',
      measure(round) {
        say(`resume on files: round ${round + 1} of ${settings.runs}, JetStream`);
        return client.run({ kind: 'resume', ...job, subjects: ['load.0'] });
      },
    },
  ];
};

const notes = [
  '128 bytes of data, QoS 1; connected and authenticated before; from the moment at which all ask until `replayEnd` of each, wave after wave',
  `JetStream: ${subscribers} ordered consumers on 32 connections of its own client, all of one subject`,
];

const bystanderNotes = [
  'a second generator on the core of the first one, which takes the replays there: its p99 has the time that it waits for the core in it',
];
