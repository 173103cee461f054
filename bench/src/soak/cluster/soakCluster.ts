import { setTimeout as pause } from 'node:timers/promises';
import { pace } from '../../generator/pace.js';
import { createProject } from '../../peers/roomwireService.js';
import type { WorkFolder } from '../../process/workFolder.js';
import { Chance } from '../chance.js';
import { Findings } from '../findings.js';
import type { SoakOptions } from '../options.js';
import { Changes } from './changes.js';
import { Cluster } from './cluster.js';
import { type Course, periodMs, periodsWithout, type Phase, phases, strikeOn } from './faults.js';
import { Traffic } from './traffic.js';

export interface PhaseLatency {
  readonly phase: Phase;
  readonly p50: number;
  readonly p99: number;
  readonly samples: number;
}

export interface ClusterOutcome {
  /** What the soak fails for; none when it passes. */
  readonly failures: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  /** How often each fault struck. */
  readonly struck: Readonly<Record<string, number>>;
  /** Of deliveries, by when the message was published. */
  readonly latencies: readonly PhaseLatency[];
}

/** How many times as long as before a delivery may take while a broker is away, by the 99th percentile. */
const allowedRatio = 3;
const arriveMs = 180_000;
const lookMs = 2_000;

/** One soak of a cluster, with a fault in each minute but the first two. */
export const soakCluster = async (
  { seconds, rooms, rate, seed }: SoakOptions,
  folder: WorkFolder,
  say: (text: string) => void,
): Promise<ClusterOutcome> => {
  const findings = new Findings(say);
  const chance = new Chance(seed);
  const course: Course = { phase: undefined, struck: {} };
  const cluster = await Cluster.start(folder, findings);
  const { apiKey } = await createProject(cluster.commandApis.port);
  const traffic = await Traffic.open({ cluster, findings, course, chance, apiKey }, rooms);
  const changes = new Changes(cluster, findings, apiKey);
  say(`seed ${seed}: ${rooms} rooms on three brokers and two processes of each service`);

  changes.begin();
  const periods = Math.max(periodsWithout + 1, Math.round((seconds * 1_000) / periodMs));
  const publishing = pace(rate, (periods * periodMs) / 1_000, () => traffic.publish());
  await strikeOn(periods, { cluster, chance: new Chance(seed + 1), course, say });
  await publishing;
  await changes.stop();

  const broken = await promisesIn(arriveMs, async () => [
    ...(await traffic.broken()),
    ...(await changes.broken()),
  ]);
  await traffic.close();
  await changes.close();
  await cluster.close();
  const latencies = phases.map((phase) => latencyOf(traffic, phase));
  return {
    counts: findings.counts,
    struck: course.struck,
    latencies,
    failures: [
      ...findings.shown,
      ...(findings.violations > findings.shown.length ? [`${findings.violations} violations in all`] : []),
      ...broken,
      ...slowed(latencies),
      ...cluster.members.flatMap(({ service, log }) =>
        [...log.complaints]
          .filter(([kind]) => kind.startsWith('not JSON'))
          .map(([, { first, count }]) => `a ${service} has written ${count} x ${first}`),
      ),
    ],
  };
};

/** What is broken still when the time is over. */
const promisesIn = async (
  withinMs: number,
  look: () => Promise<readonly string[]>,
): Promise<readonly string[]> => {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const broken = await look();
    if (broken.length === 0 || performance.now() > deadline) return broken;
    await pause(lookMs);
  }
};

const latencyOf = ({ latencies }: Traffic, phase: Phase): PhaseLatency => {
  const samples = latencies.get(phase);
  return {
    phase,
    p50: samples?.percentile(50) ?? Number.NaN,
    p99: samples?.percentile(99) ?? Number.NaN,
    samples: samples?.count ?? 0,
  };
};

/** A run in which no broker went away says nothing of that. */
const slowed = (latencies: readonly PhaseLatency[]): readonly string[] => {
  const [calm, , away] = latencies as readonly [PhaseLatency, PhaseLatency, PhaseLatency];
  if (away.samples === 0 || away.p99 <= allowedRatio * calm.p99) return [];
  return [`deliveries take ${(away.p99 / calm.p99).toFixed(2)} times as long while a broker is away`];
};
