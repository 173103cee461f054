import type { Arrivals } from './arrivals.js';

/** One sender, whose messages keep their order. */
export interface Lane {
  readonly sent: number;
  /** Of those that were sent, how many are known to be stored. */
  readonly acknowledged: number;
  /** One message for each stamp, at once. */
  send(stamps: readonly number[]): void;
}

/** A way from senders to one receiver in the same process, whose clock both use. */
export interface Line {
  readonly lanes: readonly Lane[];
  readonly arrivals: Arrivals;
  /** Called when something was acknowledged, or has arrived. */
  onProgress: (() => void) | undefined;
  /** Throws when something has happened that makes the figures worthless. */
  check(): void;
}
