import type { MetricSink } from '@roomwire/shared/ports/metrics';
import type { OwnedGroup } from './owner/ownedGroup.js';
import type { JobCounts } from './queue/jobCounts.js';

/** The groups that this process owns, and their jobs. */
export const showGroups = (
  owned: Iterable<Pick<OwnedGroup, 'load'>>,
  now: number,
  sink: MetricSink,
): void => {
  let [groups, depth, bytes, inFlight, oldestAt] = [0, 0, 0, 0, now];
  for (const { load } of owned) {
    groups++;
    depth += load.depth;
    bytes += load.bytes;
    inFlight += load.inFlight;
    oldestAt = Math.min(oldestAt, load.oldestAt ?? now);
  }
  sink.value('roomwire_job_groups', groups);
  sink.value('roomwire_job_group_depth', depth);
  sink.value('roomwire_job_group_bytes', bytes);
  sink.value('roomwire_job_group_oldest_seconds', (now - oldestAt) / 1_000);
  sink.value('roomwire_jobs_in_flight', inFlight);
};

/** What has become of jobs since this process started. */
export const showCounts = (counts: JobCounts, sink: MetricSink): void => {
  sink.value('roomwire_jobs_added_total', counts.added);
  sink.value('roomwire_jobs_handed_out_total', counts.handedOut);
  sink.value('roomwire_jobs_redelivered_total', counts.redelivered);
  sink.value('roomwire_jobs_acknowledged_total', counts.acknowledged);
  sink.value('roomwire_jobs_timed_out_total', counts.timedOut);
  sink.value('roomwire_jobs_given_back_total', counts.givenBack);
  for (const [cause, dead] of Object.entries(counts.dead))
    sink.value('roomwire_jobs_dead_total', dead, { cause });
};
