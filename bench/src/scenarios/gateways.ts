import { onEngines, type RunningEngines } from '../engines/onEngines.js';
import { startGenerator } from '../generator/startGenerator.js';
import type { HopLoad, HopPhase, HopResult } from '../hop/jobs.js';
import { hopRates } from '../hop/jobs.js';
import { startPlainKafka } from '../kafka/startPlainKafka.js';
import type { Comparison, Row } from '../measure/comparison.js';
import { inAlternation, type Peer } from '../measure/rounds.js';
import { createProject } from '../peers/createProject.js';
import { roomwireApi } from '../peers/roomwireApi.js';
import { startService, type RunningService, type ServiceName } from '../peers/roomwireService.js';
import type { Started } from '../process/started.js';
import { hopFigures, saturatedHopFigures } from './gatewaysFigures.js';
import { warmUpSeconds, type Ground, type Scenario } from './scenario.js';

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
