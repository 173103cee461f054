import { type Comparison, type Figure, inAlternation, type Peer, type Row } from '../measure/comparison.js';
import { onEngines, type RunningEngines } from '../engines/onEngines.js';
import { startGenerator } from '../generator/jobs.js';
import { type HopLoad, type HopPhase, hopRates, type HopResult } from '../hop/measureHop.js';
import { startPlainKafka } from '../kafka/startPlainKafka.js';
import {
  createProject,
  type RunningService,
  type ServiceName,
  startService,
} from '../peers/roomwireService.js';
import { roomwireApi } from '../peers/roomwire.js';
import type { Started } from '../process/children.js';
import { type Ground, type Scenario, warmUpSeconds } from './scenario.js';

const work: readonly Figure[] = [
  { name: 'publishing', label: '1st gateway us/message', unit: 'microseconds' },
  { name: 'subscribed', label: '2nd gateway', unit: 'microseconds' },
  { name: 'broker', label: 'broker', unit: 'microseconds' },
  { name: 'generator', label: 'generator', unit: 'microseconds' },
  { name: 'lost', label: 'lost', unit: 'count' },
];

const rate: Figure = { name: 'messagesPerSecond', label: 'messages/s', unit: 'rate' };

const saturatedHopFigures: readonly [Figure, ...Figure[]] = [rate, ...work];

const hopFigures: readonly [Figure, ...Figure[]] = [
  { name: 'p50', label: 'p50', unit: 'milliseconds' },
  { name: 'p99', label: 'p99', unit: 'milliseconds' },
  rate,
  ...work,
];

const messagesInFlight = 4_000;
const publishers = 4;
/** A cold broker and cold gateways take hundreds of milliseconds for what later takes two. */
const firstSeconds = 4;

type HopPeer = Peer<HopResult> & { readonly measureFor: (seconds: number) => Promise<HopResult> };

export const gateways: Scenario = {
  name: 'gateways',
  summary: 'from one gateway to another through Kafka: latency, messages a second',
  needsEngines: true,

  run: (ground) =>
    onEngines(ground, async (engines, started) => {
      const peers = await startPeers(ground, engines, started);
      for (const { name, measureFor } of peers) {
        ground.say(`gateways: warming up, ${name}`);
        await measureFor(firstSeconds);
      }
      const results = await inAlternation(peers, ground.settings.runs);
      const rowsOf = (phase: HopPhase): readonly Row[] =>
        results.map(({ peer, rounds }) => ({ peer, rounds: rounds.map((result) => result[phase]) }));
      const atRate = (phase: keyof typeof hopRates): Comparison => ({
        title: `Gateway to gateway, ${hopRates[phase]} messages a second (open loop)`,
        figures: hopFigures,
        rows: rowsOf(phase),
        notes,
      });
      return [
        atRate('moderate'),
        atRate('fast'),
        {
          title: `Gateway to gateway, saturated (${messagesInFlight} messages in flight)`,
          figures: saturatedHopFigures,
          rows: rowsOf('saturated'),
          notes,
        },
      ];
    }),
};

const notes = [
  `128 bytes of data in one room, acknowledged by all replicas; Roomwire: QoS 1 with msgRef, one subscriber, ` +
    `${publishers} publishing connections while saturated and one at a rate; kafkajs: produced and consumed in one process`,
];

const startPeers = async (
  { say, settings }: Ground,
  engines: RunningEngines,
  started: Started,
): Promise<readonly HopPeer[]> => {
  say('gateways: starting the services');
  const load = (seconds: number): HopLoad => ({
    warmUpSeconds,
    seconds,
    window: messagesInFlight,
    processes: { broker: engines.kafkaProcessId },
  });
  const measureRoomwire = await startRoomwire(engines, started);
  const plain = started.add(startPlainKafka());
  const peer = (name: string, measureFor: HopPeer['measureFor']): HopPeer => ({
    name,
    measureFor,
    measure(round) {
      say(`gateways: round ${round + 1} of ${settings.runs}, ${name}`);
      return measureFor(settings.seconds);
    },
  });
  return [
    peer('Roomwire, socket to socket', (seconds) => measureRoomwire(load(seconds))),
    peer('kafkajs, nothing around it', (seconds) =>
      plain.run({ ...load(seconds), brokers: engines.brokers }),
    ),
  ];
};

/** Two gateways and what they need, a room, and somebody at each of them. */
const startRoomwire = async (
  engines: RunningEngines,
  started: Started,
): Promise<(load: HopLoad) => Promise<HopResult>> => {
  const start = async (name: ServiceName): Promise<RunningService> =>
    started.add(await startService(name, engines));
  const commandApi = await start('command-api');
  await start('projections');
  const [publishing, subscribed] = [await start('gateway'), await start('gateway')];
  const generator = started.add(startGenerator(undefined));
  const api = roomwireApi({ port: commandApi.port, credentials: await createProject(commandApi.port) });
  const app = await api.createApp('load');
  await api.createRoom(app.appId, 'hall');
  const [publisherToken = '', subscriberToken = ''] = await api.createActors(2);
  return (load) =>
    generator.run({
      kind: 'hop',
      ...load,
      processes: {
        ...load.processes,
        publishing: publishing.processId,
        subscribed: subscribed.processId,
      },
      publishPort: publishing.port,
      subscribePort: subscribed.port,
      publisherToken,
      subscriberToken,
      topic: `${app.slug}/hall/load`,
      publishers,
    });
};
