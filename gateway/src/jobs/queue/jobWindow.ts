/** How many jobs of a group are ready in memory. */
export interface JobWindow {
  /** While fewer are ready, further ones are asked for. */
  readonly lowJobs: number;
  /** Beyond so many, or as many bytes, new ones are left in the store. */
  readonly jobs: number;
  readonly bytes: number;
}
