import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from '../chance.js';
import type { Findings } from '../findings.js';
import type { Cluster } from './cluster.js';
import type { Course, Phase } from './course.js';
import { type Fault, faultsFor } from './faults.js';

export const periodMs = 60_000;
/** Cold processes take longer: what they do in the first period does not count. The second one is what others are compared with. */
export const quietPeriods = 2;
/** The end of a period, which its fault does not reach. */
const calmMs = 12_000;
/** What is still under way when the next fault strikes belongs to neither. */
const betweenMs = 1_000;

interface StrikesDeps {
  readonly cluster: Cluster;
  readonly chance: Chance;
  readonly findings: Findings;
  readonly say: (text: string) => void;
}

/** The course of a run: quiet at first, and then a fault in each minute. */
export class Strikes implements Course {
  /** How often each fault struck. */
  readonly struck: Record<string, number> = {};
  private readonly deps: StrikesDeps;
  private current: Phase | undefined;
  private next = 0;

  constructor(deps: StrikesDeps) {
    this.deps = deps;
  }

  get phase(): Phase | undefined {
    return this.current;
  }

  /** Resolves after so many faults. */
  async run(many: number): Promise<void> {
    const { say } = this.deps;
    this.next = performance.now() + periodMs;
    await pause(periodMs);
    this.next += periodMs;
    await this.last('before', periodMs);
    const faults = faultsFor(this.deps.chance);
    for (let number = 1; number <= many; number += 1) {
      const fault = faults.next().value;
      say(`${number} of ${many}: ${fault.name}`);
      await this.carryOut(fault);
    }
  }

  private async carryOut(fault: Fault): Promise<void> {
    const { name, stages } = fault;
    const { cluster, chance, findings } = this.deps;
    this.struck[name] = (this.struck[name] ?? 0) + 1;
    this.next += periodMs;
    this.current = stages[0]?.[0];
    const putRight = await fault.strike(cluster, chance);
    for (const [phase, ms] of stages) {
      this.current = phase;
      await pause(ms);
    }
    this.current = undefined;
    await putRight();
    const lateMs = performance.now() - (this.next - calmMs);
    if (lateMs > 0) {
      findings.count(`late to be put right: ${name}`);
      this.next += lateMs;
    }
    await this.last('calm', calmMs);
  }

  /** The last part of the period. */
  private async last(phase: Phase, ms: number): Promise<void> {
    await pause(Math.max(0, this.next - ms - performance.now()));
    this.current = phase;
    await pause(Math.max(0, this.next - betweenMs - performance.now()));
    this.current = undefined;
    await pause(Math.max(0, this.next - performance.now()));
  }
}
