import { setTimeout as pause } from 'node:timers/promises';
import { roomwireApi } from '../peers/roomwire.js';
import {
  agentsAmong,
  bringInStaff,
  type Crowd,
  foundTaskGroups,
  makeCrowd,
  staffNeeded,
  type Tokens,
} from './crowd.js';
import { Findings } from './findings.js';
import { Ledger, type Sent } from './messages.js';
import { makePlace, type Place, topicNames } from './rooms.js';
import { type SoakedService, startSoakedService } from './service.js';
import type { Ground } from './participant.js';
import { difference } from './presenceView.js';
import { Chance } from './chance.js';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import type { LatencyComparison } from './hostile/latencies.js';
import type { Outcomes } from './hostile/outcomes.js';
import { Siege } from './hostile/siege.js';
import { Load } from './load.js';
import { type MemorySample, MemorySampler, type Trend, trendOf } from './memory.js';
import type { SoakOptions } from './options.js';

/** Makes the app, its rooms and all actors by REST. */
const prepare = async (
  service: SoakedService,
  { clients, rooms }: { readonly clients: number; readonly rooms: number },
  ledger: Ledger,
  findings: Findings,
): Promise<{ readonly place: Place; readonly tokens: Tokens }> => {
  const api = roomwireApi(service);
  const logging = { enabled: true, retention: '1d' };
  const { appId, slug } = await api.createApp('chat', {
    topics: topicNames,
    topicConfigs: { tasks: { logging } },
  });
  const slugs = Array.from({ length: rooms }, (_, index) => `room-${index}`);
  for (const room of slugs) await api.createRoom(appId, room);
  const agents = agentsAmong(clients);
  const tokens = {
    agents: await api.createActors(agents, 'agent'),
    users: await api.createActors(clients - agents, 'user'),
    staff: await api.createActors(staffNeeded, 'service'),
  };
  return { place: makePlace(slug, slugs, ledger, findings), tokens };
};

const lookMs = 100;
/** Those who have fallen silent are closed after a minute, and come back. */
const returnMs = 120_000;
const arriveMs = 60_000;

/**
 * The end of all publishing. All connections are lost at once and restored; then everything that was promised must be
 * there: what was published, the last values, the work, and who is present.
 */
const finish = async (crowd: Crowd, ground: Ground): Promise<void> => {
  const { guests, onlooker, herald, foreman, watchers } = crowd;
  const { findings, ledger, place } = ground;
  const staff = [onlooker, herald, foreman, ...watchers];
  const isQuiet = () => [...guests, ...staff].every((one) => !one.isConnected || one.isIdle);
  await until(isQuiet, arriveMs);
  for (const guest of guests.filter(({ isReady }) => isReady)) {
    guest.isReady = false;
    guest.end('lose');
  }
  if (!(await until(() => guests.every(({ isReady }) => isReady), returnMs)))
    findings.violated(`${guests.filter(({ isReady }) => !isReady).length} clients could not come back`);

  const undone = (): readonly Sent[] =>
    [...place.rooms.flatMap(({ jobs, tasks }) => [jobs, tasks])].flatMap((topic) =>
      Array.from({ length: topic.end - topic.begin }, (_, index) => topic.at(topic.begin + index)).filter(
        (sent) => sent.outcome === 'accepted' && !place.work.wasGiven(sent),
      ),
    );
  const differences = () => watchers.map(({ told }) => difference(told, ground.present)).filter(Boolean);
  const isAll = () =>
    ledger.unseen.length + undone().length + differences().length === 0 &&
    guests.every(({ isEven }) => isEven);
  await until(isAll, arriveMs);
  for (const guest of guests) guest.judge();
  for (const { id, topic } of ledger.unseen) findings.violated(`message ${id} of ${topic.address} was lost`);
  for (const { id, topic } of undone())
    findings.violated(`message ${id} of ${topic.address} went to no member of its worker group`);
  for (const what of differences()) findings.violated(`a lobby shows ${what}`);
};

/** Whether it came true in time. */
const until = async (isSo: () => boolean, patienceMs: number): Promise<boolean> => {
  const deadline = performance.now() + patienceMs;
  while (!isSo()) {
    if (performance.now() > deadline) return false;
    await pause(lookMs);
  }
  return true;
};

export interface Outcome {
  /** What the soak fails for; none when it passes. */
  readonly failures: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly held: readonly MemorySample[];
  readonly resident: readonly MemorySample[];
  /** Over all that was counted: without the beginning. */
  readonly heldTrend: Trend;
  readonly residentTrend: Trend;
  /** Without connections, in MB. */
  readonly heldAfterwards: number;
  /** Of one core. */
  readonly serviceCpu: number;
  readonly ownCpu: number;
  /** Undefined where nobody was hostile. */
  readonly siege: SiegeOutcome | undefined;
}

export interface SiegeOutcome {
  readonly latencies: readonly LatencyComparison[];
  readonly outcomes: Outcomes;
}

/** The memory of the first ten minutes does not count, and of a short run the first third. */
const settling = (seconds: number): number => Math.min(600, seconds / 3);
const actionsPerClient = 0.04;

/** One soak of the standalone program. */
export const soak = async (
  options: SoakOptions,
  folder: string,
  say: (text: string) => void,
): Promise<Outcome> => {
  const unlimited = { port: 0, restRate: 0, expectsWarnings: false };
  let service = await startSoakedService(folder, unlimited);
  const findings = new Findings(say);
  const ledger = new Ledger();
  const { place, tokens } = await prepare(service, options, ledger, findings);
  const siege = options.hostile ? await Siege.prepare(service, options.attacks) : undefined;
  if (siege !== undefined) {
    await service.stop();
    const limited = { port: service.port, restRate: limitTable.restRate.value, expectsWarnings: true };
    service = await startSoakedService(folder, limited);
  }
  const chance = new Chance(options.seed);
  const { port } = service;
  const latencies = siege?.latencies;
  const ground = { port, place, ledger, findings, chance, present: new Map(), latencies };
  const crowd = makeCrowd(ground, tokens);
  await bringInStaff(crowd, ground);
  await foundTaskGroups(crowd);
  say(`seed ${options.seed}, ${options.clients} clients come`);
  return carryOut(options, service, { ground, crowd, siege }, say);
};

const carryOut = async (
  { seconds, rate, clients }: SoakOptions,
  service: SoakedService,
  {
    ground,
    crowd,
    siege,
  }: { readonly ground: Ground; readonly crowd: Crowd; readonly siege: Siege | undefined },
  say: (text: string) => void,
): Promise<Outcome> => {
  const { findings } = ground;
  const load = new Load(ground, crowd, { messages: rate, actions: clients * actionsPerClient });
  load.open();
  const stopLoad = load.run();
  const memory = new MemorySampler(service, say);
  const [cpu] = await Promise.all([
    memory.run(seconds, { collects: siege === undefined }),
    siege?.run(seconds, say, () => memory.collect()),
  ]);
  await siege?.close();
  stopLoad();
  await finish(crowd, ground);
  await load.close();
  const { onlooker, herald, foreman, watchers } = crowd;
  for (const one of [onlooker, herald, foreman, ...watchers]) one.end('leave');
  const heldAfterwards = await service.heldMegabytes();
  const exitCode = await service.stop();

  const counted = ({ seconds: at }: MemorySample): boolean => at >= settling(seconds);
  const heldTrend = trendOf(memory.held.filter(counted));
  const residentTrend = trendOf(memory.resident.filter(counted));
  return {
    ...cpu,
    ...{
      held: memory.held,
      resident: memory.resident,
      heldTrend,
      residentTrend,
      heldAfterwards,
      counts: findings.counts,
    },
    siege: siege && { latencies: siege.latencies.compare(), outcomes: siege.outcomes },
    failures: [
      ...findings.failures,
      ...findings.missing(mustHappen),
      ...(siege?.failures ?? []),
      ...[...service.log.complaints].map(
        ([kind, { first, count }]) => `the log has ${count} x ${kind}: ${first}`,
      ),
      ...(heldTrend.isFlat ? [] : [`the memory held has grown by ${heldTrend.grown.toFixed(1)} MB`]),
      ...(residentTrend.isFlat
        ? []
        : [`the resident memory has grown by ${residentTrend.grown.toFixed(1)} MB`]),
      ...(exitCode === 0 ? [] : [`the service ended with ${exitCode}`]),
    ],
  };
};

const mustHappen = [
  ...['connects', 'ends: leave', 'ends: lose', 'ends: fall silent', 'accepted publishes', 'deliveries'],
  ...['announcements', 'presence events', 'lobby events', 'restored sessions', 'replays', 'work reassigned'],
];
