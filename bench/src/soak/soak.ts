import { Chance } from './chance.js';
import { bringInStaff, foundTaskGroups, makeCrowd, type Crowd } from './crowd.js';
import { Findings } from './findings.js';
import { finish } from './finale.js';
import { Ledger } from './ledger.js';
import { Load } from './load.js';
import { trendOf, type MemorySample, type Trend } from './memoryTrend.js';
import type { SoakOptions } from './options.js';
import type { Ground } from './participant.js';
import { prepare } from './prepare.js';
import { sampleMemory } from './sampling.js';
import { startSoakedService, type SoakedService } from './service.js';

export interface Outcome {
  /** What the soak fails for; none when it passes. */
  readonly failures: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly held: readonly MemorySample[];
  /** Over all that was counted: without the beginning. */
  readonly heldTrend: Trend;
  readonly residentTrend: Trend;
  /** When nobody is connected any more, in MB. */
  readonly heldAfterwards: number;
  /** Of one core. */
  readonly serviceCpu: number;
  readonly ownCpu: number;
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
  const service = await startSoakedService(folder);
  const findings = new Findings(say);
  const ledger = new Ledger();
  const { place, tokens } = await prepare(service, options, ledger, findings);
  const chance = new Chance(options.seed);
  const ground = { port: service.port, place, ledger, findings, chance, present: new Map() };
  const crowd = makeCrowd(ground, tokens);
  await bringInStaff(crowd, ground);
  await foundTaskGroups(crowd);
  say(`seed ${options.seed}, ${options.clients} clients come`);
  return carryOut(options, service, ground, crowd, say);
};

const carryOut = async (
  { seconds, rate, clients }: SoakOptions,
  service: SoakedService,
  ground: Ground,
  crowd: Crowd,
  say: (text: string) => void,
): Promise<Outcome> => {
  const { findings, ledger } = ground;
  const load = new Load(ground, crowd, { messages: rate, actions: clients * actionsPerClient });
  load.open();
  const stopLoad = load.run();
  const memory = await sampleMemory(service, seconds, say);
  stopLoad();
  ledger.forgetUnknown(0);
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
    ...memory,
    ...{ heldTrend, residentTrend, heldAfterwards, counts: findings.counts },
    failures: [
      ...findings.shown,
      ...(findings.violations > findings.shown.length ? [`${findings.violations} violations in all`] : []),
      ...missingWork(findings),
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

/** A soak in which something never happened has not looked at it. */
const mustHappen = [
  ...['connects', 'ends: leave', 'ends: lose', 'ends: fall silent', 'accepted publishes', 'deliveries'],
  ...['announcements', 'presence events', 'lobby events', 'restored sessions', 'replays', 'work given anew'],
];

const missingWork = ({ counts }: Findings): readonly string[] =>
  mustHappen.filter((what) => counts[what] === undefined).map((what) => `there were no ${what}`);
