import { type RoomwireLogin, startGenerator, type WorkersJob } from '../generator/jobs.js';
import type { JobOptions } from '../generator/jobWorker.js';
import { startJetStreamClient } from '../jetstream/jobs.js';
import { type Comparison, type Figure, inAlternation, type Measurement } from '../measure/comparison.js';
import { type JetStreamSync, startJetStream } from '../peers/startPeer.js';
import type { Started } from '../process/children.js';
import { type HistorySite, makeLogin, makeRooms, onFiles } from './historySite.js';
import { workColumns } from './peers.js';
import { type Ground, type Scenario, warmUpSeconds } from './scenario.js';

const members = 4;
const backlog = 300_000;
/** One that is flushed before each acknowledgement takes minutes for more. */
const backlogOfPeers = 30_000;
const inFlight = 256;
const manyMembers = 64;
const options: JobOptions = { prefetch: 256, ackSeconds: 60, maxDeliveries: 5 };
const hasty: JobOptions = { prefetch: 1_000, ackSeconds: 5, maxDeliveries: 100 };

interface Contender {
  readonly name: string;
  readonly measure: () => Promise<Measurement>;
}

type Load = WorkersJob['load'];

export const jobs: Scenario = {
  name: 'jobs',
  summary: `worker groups of ${members} with jobs: from a backlog, published at the same time, and over their time-outs`,

  run: (ground) =>
    onFiles(ground, 'jobs', async (site, started) => {
      const roomwire = await ofRoomwire(ground, site, started);
      const peers = [
        await ofJetStream(ground, started, 'always'),
        await ofJetStream(ground, started, 'now and then'),
      ].flat();
      const compare = (title: string, figures: Comparison['figures'], contenders: readonly Contender[]) =>
        comparison(ground, title, figures, contenders);
      return [
        await compare('Jobs from a backlog, handed out and acknowledged', figures, [
          roomwire.working('Roomwire, group of 4', members, options, { kind: 'backlog', jobs: backlog }),
          ...peers.map(({ name, work }) => ({
            name,
            measure: () => work({ kind: 'backlog', jobs: backlogOfPeers }),
          })),
        ]),
        await compare(`Jobs published and acknowledged at the same time, ${inFlight} in flight`, figures, [
          roomwire.working('Roomwire, group of 4', members, options, { kind: 'together', window: inFlight }),
          roomwire.durable,
          ...peers.map(({ name, work }) => ({
            name,
            measure: () => work({ kind: 'together', window: inFlight }),
          })),
        ]),
        await compare('Jobs that nobody acknowledges, each handed out again after 5 s', figures, [
          roomwire.working(`Roomwire, group of ${manyMembers}`, manyMembers, hasty, {
            kind: 'timeOuts',
            jobs: manyMembers * hasty.prefetch,
          }),
        ]),
      ];
    }),
};

const ofRoomwire = async ({ settings, cores }: Ground, site: HistorySite, started: Started) => {
  const generator = started.add(startGenerator(cores.generator));
  const login: RoomwireLogin = await makeLogin(site, manyMembers);
  // A group goes on collecting when its round is over, so that each has a room of its own.
  const unused = [...(await makeRooms(site, 3 * settings.runs, false))];
  const { port, processId: serverId } = site.gateway;
  const times = { warmUpSeconds, seconds: settings.seconds };
  const working = (name: string, size: number, jobOptions: JobOptions, load: Load): Contender => ({
    name,
    measure: () =>
      generator.run({
        ...{ kind: 'workers', login, port, serverId, group: 'workers', members: size, load, ...times },
        ...{ topic: unused.pop() ?? '', options: jobOptions },
      }),
  });
  const topics = await makeRooms(site, 1, true);
  const durable: Contender = {
    name: 'Roomwire, durable publishes, no group',
    measure: async () => {
      const target = { login, port, serverId, topics, isHeard: true, connections: 1 };
      const load = { messagesPerSecond: undefined, window: inFlight, ...times };
      const figures = await generator.run({ kind: 'durable', ...target, ...load });
      const { messagesPerSecond = Number.NaN, cpuPerMessage = Number.NaN } = figures;
      return { ...figures, deliveriesPerSecond: messagesPerSecond, cpuPerDelivery: cpuPerMessage };
    },
  };
  return { working, durable };
};

const ofJetStream = async (
  { cores, folder, settings, say }: Ground,
  started: Started,
  sync: JetStreamSync,
) => {
  const server = await startJetStream(cores.server, say, await folder.inside(`jetstream-${sync}`), sync);
  if (server === undefined) return [];
  const { port, processId: serverId } = started.add(server);
  const client = started.add(startJetStreamClient(cores.generator));
  type Work = Extract<Parameters<typeof client.run>[0], { kind: 'work' }>['load'];
  const work = (load: Work): Promise<Measurement> =>
    client.run({
      ...{ kind: 'work', port, serverId, subjects: ['work.0'], members, prefetch: options.prefetch, load },
      ...{ warmUpSeconds, seconds: settings.seconds },
    });
  return [{ name: `NATS JetStream, flushed ${sync}`, work }];
};

const comparison = async (
  { settings, say }: Ground,
  title: string,
  columns: Comparison['figures'],
  contenders: readonly Contender[],
): Promise<Comparison> => {
  const turns = contenders.map(({ name, measure }) => ({
    name,
    measure(round: number): Promise<Measurement> {
      say(`${title}: round ${round + 1} of ${settings.runs}, ${name}`);
      return measure();
    },
  }));
  return { title, figures: columns, rows: await inAlternation(turns, settings.runs), notes };
};

const figures: readonly [Figure, ...Figure[]] = [
  { name: 'deliveriesPerSecond', label: 'jobs/s', unit: 'rate' },
  ...workColumns,
];

const notes = [
  `128 bytes of data, QoS 1 with msgRef, from one connection; ${members} members with a prefetch of ${options.prefetch}, each job acknowledged by a frame of its own`,
  'durable publishes without a group: a topic with history, one subscriber that is in no group',
  `a backlog of ${backlog} jobs, of ${backlogOfPeers} for JetStream, without its first and its last tenth`,
  'JetStream: a stream on files from which an acknowledgement removes, one durable consumer with explicit acknowledgement from which four connections of its own client pull',
];
