/** The only source of time. */
export interface Clock {
  /** Wall clock, milliseconds since 1970. Follows the operating system, so it may jump. */
  now(): number;
  /** Milliseconds since some moment; never goes back. For durations and deadlines. */
  monotonic(): number;
}
