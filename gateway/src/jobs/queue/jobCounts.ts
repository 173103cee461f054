/** What has become of jobs since the start of the process. */
export const createJobCounts = () => ({
  added: 0,
  handedOut: 0,
  /** Those of the hand-outs that were not the first of their job. */
  redelivered: 0,
  acknowledged: 0,
  timedOut: 0,
  /** By `nack`. */
  givenBack: 0,
  /** Dead letters, by cause. */
  dead: { max_deliveries: 0, group_full: 0 },
});

export type JobCounts = ReturnType<typeof createJobCounts>;
