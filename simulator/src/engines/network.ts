import type { EngineUse } from '@roomwire/shared/ports/errors';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { SeededChance } from '@roomwire/testing/run/seededChance';
import type { SimulatedProcess } from '../cluster/simulatedProcess.js';
import type { VirtualTime } from '../time/virtualTime.js';

/** The servers that processes talk to. */
export const engineNames = ['log', 'views', 'bus'] as const;
export type EngineName = (typeof engineNames)[number];

/** Adapters try again for this long before they reject. */
const patienceMs = 4_000;
const betweenTriesMs = 150;
const slowMs = 250;

const never = new Promise<never>(() => undefined);

/**
 * What is between processes and engines: delays that differ from call to call, cut connections, answers that are lost
 * after the engine has acted, and processes that crash before a call, after it, or while it is on its way.
 */
export class Network {
  /** Faults of single calls happen only while it is set. */
  isHostile = false;
  /** The share of ways that take long, be the network hostile or not. */
  slowShare = 0;
  lostAnswers = 0;
  readonly time: VirtualTime;
  readonly chance: SeededChance;
  private readonly cuts = new Set<string>();

  constructor(time: VirtualTime, chance: SeededChance) {
    this.time = time;
    this.chance = chance;
  }

  cut(machine: string, engine: EngineName): void {
    this.cuts.add(`${machine} ${engine}`);
  }

  heal(machine: string, engine: EngineName): void {
    this.cuts.delete(`${machine} ${engine}`);
  }

  isCut({ machine }: SimulatedProcess, engine: EngineName): boolean {
    return this.cuts.size > 0 && this.cuts.has(`${machine.name} ${engine}`);
  }

  /** One way, in milliseconds: mostly a few tenths, now and then far more. */
  delay(): number {
    const { chance } = this;
    const dice = chance.next();
    if (this.slowShare > 0 && chance.next() < this.slowShare) return dice * slowMs;
    if (!this.isHostile || dice < 0.9) return 0.1 + dice * 0.8;
    return dice < 0.99 ? 1 + chance.next() * 40 : 50 + chance.next() * 800;
  }

  /** Whether the process has crashed, perhaps right now. */
  hasCrashed(process: SimulatedProcess): boolean {
    if (process.crashesIn !== undefined && --process.crashesIn <= 0) process.crash();
    return !process.isAlive;
  }

  /** A request and its answer. `act` is what the engine does, at once and as a whole; what it throws is the answer too. */
  call<T>(process: SimulatedProcess, engine: EngineName, use: EngineUse, act: () => T): Promise<T> {
    if (this.hasCrashed(process)) return never;
    const { time, chance } = this;
    const from = time.now;
    return new Promise((resolve, reject) => {
      const answer = (settle: () => void): void => {
        if (this.isHostile && this.lostAnswers > 0 && chance.next() < this.lostAnswers)
          time.after(process, patienceMs, () => reject(new EngineUnavailable(use)));
        else
          time.after(process, this.delay(), () => {
            if (!this.hasCrashed(process)) settle();
          });
      };
      const attempt = (): void => {
        if (!this.isCut(process, engine)) {
          try {
            const result = act();
            answer(() => resolve(result));
          } catch (error) {
            answer(() => reject(asError(error)));
          }
        } else if (time.now - from < patienceMs) time.after(undefined, betweenTriesMs, attempt);
        else time.after(process, 0, () => reject(new EngineUnavailable(use)));
      };
      time.after(undefined, this.delay(), attempt);
    });
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
