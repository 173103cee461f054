import { setTimeout as pause } from 'node:timers/promises';
import type { Samples } from '../../measure/samples.js';
import { createProject } from '../../peers/roomwireService.js';
import type { Started } from '../../process/children.js';
import type { WorkFolder } from '../../process/workFolder.js';
import { Chance } from '../chance.js';
import { Findings } from '../findings.js';
import type { SoakOptions } from '../options.js';
import { Changes } from './changes.js';
import { type Cluster, withCluster } from './cluster.js';
import { type Phase, phases } from './course.js';
import { periodMs, quietPeriods, Strikes } from './strikes.js';
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

const arriveMs = 180_000;
const lookMs = 2_000;

/** One soak of a cluster. */
export const soakCluster = async (
  options: SoakOptions,
  folder: WorkFolder,
  say: (text: string) => void,
): Promise<ClusterOutcome> => {
  const findings = new Findings(say);
  const outcome = await withCluster(folder, findings, (cluster, started) =>
    soakThrough(options, cluster, started, { findings, say }),
  );
  const failures = [...findings.failures, ...outcome.failures, ...findings.missing(mustHappen)];
  return { ...outcome, counts: findings.counts, failures };
};

const soakThrough = async (
  { seconds, rooms, rate, seed }: SoakOptions,
  cluster: Cluster,
  started: Started,
  { findings, say }: { readonly findings: Findings; readonly say: (text: string) => void },
): Promise<Omit<ClusterOutcome, 'counts'>> => {
  const apiPort = cluster.of('command-api')[0]?.port as number;
  const { apiKey } = await createProject(apiPort);
  const course = new Strikes({ cluster, chance: new Chance(seed), findings, say });
  const chance = new Chance(seed + 1);
  const traffic = started.add(
    await Traffic.open({ cluster, findings, course, chance, apiPort, apiKey }, rooms),
  );
  const changes = started.add(new Changes({ cluster, findings, course, apiKey }));
  say(`seed ${seed}: ${rooms} rooms on three brokers and two processes of each service`);

  changes.begin();
  let isOver = false;
  const publishing = publishAt(rate, traffic, () => isOver);
  const faults = Math.max(1, Math.round((seconds * 1_000) / periodMs) - quietPeriods);
  await course
    .run(faults)
    .catch((error: unknown) => findings.violated(`a fault was not carried out: ${String(error)}`));
  isOver = true;
  await Promise.all([publishing, changes.end()]);

  const broken = await stillBroken(arriveMs, async () => [
    ...(await traffic.broken()),
    ...(await changes.broken()),
  ]);
  const latencies = phases.map((phase) => latencyOf(phase, traffic.latencies.get(phase)));
  return { struck: course.struck, latencies, failures: [...broken, ...slowed(latencies)] };
};

/** At fixed moments, whatever became of the earlier ones. */
const publishAt = async (perSecond: number, traffic: Traffic, isOver: () => boolean): Promise<void> => {
  const begin = performance.now();
  for (let index = 0; !isOver(); index += 1) {
    const due = begin + (index * 1_000) / perSecond;
    await pause(Math.max(0, due - performance.now()));
    traffic.publish(due);
  }
};

/** What is broken when the time is over. */
const stillBroken = async (
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

const latencyOf = (phase: Phase, samples: Samples | undefined): PhaseLatency => ({
  phase,
  p50: samples?.percentile(50) ?? Number.NaN,
  p99: samples?.percentile(99) ?? Number.NaN,
  samples: samples?.count ?? 0,
});

/** How many times as long as before a delivery may take while a broker is away, by the 99th percentile. */
const allowedRatio = 3;

/** Also where nothing was delivered. */
export const slowed = (latencies: readonly PhaseLatency[]): readonly string[] => {
  const p99Of = (wanted: Phase): number => latencies.find(({ phase }) => phase === wanted)?.p99 ?? Number.NaN;
  const ratio = p99Of('broker away') / p99Of('before');
  return ratio <= allowedRatio
    ? []
    : [`deliveries take ${ratio.toFixed(2)} times as long while a broker is away`];
};

const mustHappen = [
  'deliveries',
  'jobs',
  'webhook calls',
  'POST of an actor: 201',
  'DELETE of an actor: 204',
];
