import type { Clock } from '@roomwire/shared/ports/clock';
import type { Random } from '@roomwire/shared/ports/random';
import { seededChance } from '@roomwire/testing/run/seededChance';
import type { Owner } from '../time/owner.js';
import type { VirtualTime } from '../time/virtualTime.js';

/** 2026-01-01T00:00:00Z: what the wall clocks show when a simulation begins, but for their errors. */
export const epochMs = 1_767_225_600_000;

/** What a process has of the machine that it runs on. */
export interface Machine {
  readonly name: string;
  /** Of its wall clock. */
  offsetMs: number;
  /** Of its clocks, against the virtual time. */
  rate: number;
}

/** One life of a service: it ends with a crash, and the next one on the machine is another process. */
export class SimulatedProcess implements Owner {
  isAlive = true;
  stalledUntil = 0;
  readonly clock: Clock;
  readonly random: Random;
  readonly machine: Machine;
  readonly name: string;
  /** Calls to engines until it crashes amid one; undefined for never. */
  crashesIn: number | undefined;
  private readonly bornAt: number;
  private readonly onCrash: () => void;

  constructor(machine: Machine, life: number, seed: number, time: VirtualTime, onCrash: () => void) {
    this.machine = machine;
    this.name = `${machine.name}.${life}`;
    this.bornAt = time.now;
    this.onCrash = onCrash;
    this.clock = {
      now: () => this.wallAt(time.now),
      monotonic: () => this.monotonicAt(time.now),
    };
    const chance = seededChance(seed);
    this.random = {
      uuid: () => chance.uuid(),
      bytes: (length) => Uint8Array.from({ length }, () => chance.below(256)),
    };
  }

  get rate(): number {
    return this.machine.rate;
  }

  monotonicAt(virtual: number): number {
    return 1 + (virtual - this.bornAt) * this.machine.rate;
  }

  wallAt(virtual: number): number {
    return Math.floor(epochMs + virtual + this.machine.offsetMs);
  }

  crash(): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    this.onCrash();
  }
}
