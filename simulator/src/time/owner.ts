/** A simulated process, as the virtual time sees it. */
export interface Owner {
  /** Timers of a dead process never fire. */
  readonly isAlive: boolean;
  /** Nothing happens in the process before this virtual time. */
  readonly stalledUntil: number;
  /** How many of its milliseconds are one of the virtual time. */
  readonly rate: number;
  /** By its own clocks, at a virtual time. */
  monotonicAt(virtual: number): number;
  wallAt(virtual: number): number;
}
