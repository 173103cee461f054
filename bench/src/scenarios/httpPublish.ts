import { onEngines } from '../engines/onEngines.js';
import { type PublishingJob, startGenerator } from '../generator/jobs.js';
import { type Comparison, type Figure, inAlternation, type Measurement } from '../measure/comparison.js';
import { centrifugoSecret } from '../peers/centrifugo.js';
import { startRoomwire } from '../peers/roomwire.js';
import { createProject, startService } from '../peers/roomwireService.js';
import { type Started, withStarted } from '../process/children.js';
import { peers, prepareHall, type Server, startServers } from './peers.js';
import { type Ground, type Scenario, warmUpSeconds } from './scenario.js';

const connections = 32;
const batch = 100;
const requestsPerSecond = 200;
/** A fresh server handles far more code in a request than in a message, and takes longer to compile it. */
const firstWarmUpSeconds = 4;

type Target = Omit<PublishingJob, 'kind' | 'connections' | 'requestsPerSecond' | 'warmUpSeconds' | 'seconds'>;

interface Publishes {
  readonly name: string;
  readonly target: Target;
}

interface Table {
  readonly title: string;
  readonly publishes: readonly Publishes[];
  readonly requestsPerSecond?: number;
  readonly notes: readonly string[];
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

/** Table after table, the publishes of each in alternation. */
const measureTables = async (
  { cores, settings, say }: Ground,
  started: Started,
  tables: readonly Table[],
): Promise<readonly Comparison[]> => {
  const generator = started.add(startGenerator(cores.generator));
  const comparisons: Comparison[] = [];
  for (const { title, publishes, requestsPerSecond: atRate, notes } of tables) {
    const turns = publishes.map(({ name, target }) => ({
      name,
      measure(round: number): Promise<Measurement> {
        say(`${title}: round ${round + 1} of ${settings.runs}, ${name}`);
        return generator.run({
          kind: 'publishing',
          ...{ ...target, connections, requestsPerSecond: atRate, seconds: settings.seconds },
          warmUpSeconds: round === 0 ? firstWarmUpSeconds : warmUpSeconds,
        });
      },
    }));
    const rows = await inAlternation(turns, settings.runs);
    const figures =
      atRate === undefined ? ([rate, ...latency, ...work] as const) : ([...latency, rate, ...work] as const);
    comparisons.push({ title, figures, rows, notes });
  }
  return comparisons;
};

const oneEach = `HTTP publishes, one a request, ${connections} connections`;
const manyEach = `HTTP publishes, ${batch} a request, ${connections} connections`;
const load =
  '128 bytes of data as JSON in one room, QoS 1; one request at a time on each connection; one subscriber, who gets all of it';
const overSockets =
  'over sockets: MessagePack with a msgRef, each answered before the next on its connection';

const ofIds = 'ids: Roomwire’s are on disk before the answer, Centrifugo’s are in its memory';

interface Roomwire {
  /** Where it is published over HTTP. */
  readonly api: { readonly port: number; readonly processId: number; readonly apiKey: string };
  /** Where it is published over sockets, and subscribed. */
  readonly gateway: { readonly port: number; readonly processId: number };
  readonly hall: Awaited<ReturnType<typeof prepareHall>>;
}

const overHttp = ({ api, gateway, hall }: Roomwire, messages: number, withIds: boolean): Target => ({
  way: { kind: 'http', dialect: 'roomwire', path: '/v1/publish', apiKey: api.apiKey, messages },
  ...{ port: api.port, serverId: api.processId, subscribePort: gateway.port },
  ...{ ...hall, withIds },
});

const overSocket = ({ gateway, hall }: Roomwire, withIds: boolean): Target => ({
  way: { kind: 'socket', token: hall.login.protocol === 'roomwire' ? hall.login.publisherToken : '' },
  ...{ port: gateway.port, serverId: gateway.processId, subscribePort: gateway.port },
  ...{ ...hall, withIds },
});

const ofPeer = ({ name, port, processId, login }: Server, messages: number): Publishes => ({
  name,
  target: {
    way: { kind: 'http', dialect: 'roomwire', path: '/publish', apiKey: 'none', messages },
    ...{ port, serverId: processId, subscribePort: port, login },
    ...{ topic: 'load', withIds: false },
  },
});

const ofCentrifugo = (
  { name, port, processId, login }: Server,
  messages: number,
  withIds: boolean,
): Publishes => ({
  name: withIds ? `${name}, each with an id` : name,
  target: {
    way: {
      kind: 'http',
      dialect: 'centrifugo',
      path: messages === 1 ? '/api/publish' : '/api/batch',
      apiKey: centrifugoSecret,
      messages,
    },
    ...{ port, serverId: processId, subscribePort: port, login },
    ...{ topic: 'load', withIds },
  },
});

const besides = (relays: readonly Server[], centrifugos: readonly Server[], messages: number) => [
  ...relays.map((relay) => ofPeer(relay, messages)),
  ...centrifugos.flatMap((server) => [false, true].map((withIds) => ofCentrifugo(server, messages, withIds))),
];

const singles = (roomwire: Roomwire): readonly Publishes[] => [
  { name: 'Roomwire', target: overHttp(roomwire, 1, false) },
  { name: 'Roomwire, each with an id', target: overHttp(roomwire, 1, true) },
  { name: 'Roomwire, over sockets', target: overSocket(roomwire, false) },
  { name: 'Roomwire, over sockets, each with an id', target: overSocket(roomwire, true) },
];

const batches = (roomwire: Roomwire): readonly Publishes[] => [
  { name: 'Roomwire', target: overHttp(roomwire, batch, false) },
  { name: 'Roomwire, each with an id', target: overHttp(roomwire, batch, true) },
];

export const httpPublish: Scenario = {
  name: 'http-publish',
  summary: `publishes over HTTP, singly and ${batch} a request, with ids and without, ${connections} connections`,

  run: (ground) =>
    withStarted(async (started) => {
      const { cores, folder, say } = ground;
      say('http-publish: starting the servers');
      const running = started.add(await startRoomwire(await folder.inside('http-publish'), cores.server));
      const hall = await prepareHall(running, 1);
      const roomwire = { api: { ...running, apiKey: running.credentials.apiKey }, gateway: running, hall };
      const relays = await startServers(ground, started, [peers.http]);
      const centrifugos = await startServers(ground, started, [peers.centrifugo]);
      return measureTables(ground, started, [
        {
          title: `${oneEach}, on files`,
          publishes: [...singles(roomwire), ...besides(relays, centrifugos, 1)],
          notes: [load, overSockets, ofIds],
        },
        {
          title: `${manyEach}, on files`,
          publishes: [...batches(roomwire), ...besides(relays, centrifugos, batch)],
          notes: [load, ofIds],
        },
      ]);
    }),
};

export const httpPublishOnEngines: Scenario = {
  name: 'http-publish-engines',
  summary: 'the same over Kafka, with ids in FerretDB, and at a rate',
  needsEngines: true,

  run: (ground) =>
    onEngines(ground, async (engines, started) => {
      const commandApi = started.add(await startService('command-api', engines));
      started.add(await startService('projections', engines));
      const gateway = started.add(await startService('gateway', engines));
      const { apiKey } = await createProject(commandApi.port);
      const hall = await prepareHall({ port: commandApi.port, credentials: { apiKey } }, 1);
      const roomwire = { api: { ...commandApi, apiKey }, gateway, hall };
      const unpinned = { ...ground, cores: { server: undefined, generator: undefined } };
      const notes = [load, overSockets, where];
      return measureTables(unpinned, started, [
        { title: `${oneEach}, over Kafka`, publishes: singles(roomwire), notes },
        {
          title: `HTTP publishes, ${requestsPerSecond} a second (open loop), over Kafka`,
          publishes: singles(roomwire),
          requestsPerSecond,
          notes,
        },
        { title: `${manyEach}, over Kafka`, publishes: batches(roomwire), notes: [load, where] },
      ]);
    }),
};

const where =
  'one command-api, which publishes, one gateway and one projections; not pinned; ids in FerretDB, which stands for MongoDB’s wire and not for its speed; server: the one that is asked';
