import { failure, ok, warning, type Finding } from './finding.js';

// What is found of what was measured: nothing here asks anybody.

const gigabyte = 1_000_000_000;

export const judgeDisk = (free: number, total: number): Finding => {
  const message = `${(free / gigabyte).toFixed(1)} GB of ${(total / gigabyte).toFixed(1)} GB are free`;
  const action = 'Make room or grow the disk: without any, writes are refused';
  if (free < gigabyte / 2) return failure('disk', message, action);
  return free < 2 * gigabyte || free < total * 0.05 ? warning('disk', message, action) : ok('disk', message);
};

/** A few are for engines, files and requests. */
const reservedFiles = 200;

export const judgeFiles = (limit: number, open: number | undefined): Finding => {
  const used = open === undefined ? '' : `, ${open} are open`;
  const message = `${limit} files and sockets may be open${used}: about ${Math.max(0, limit - reservedFiles)} connections`;
  const action = 'Raise the limit (ulimit -n, LimitNOFILE= of systemd)';
  if (limit < 1_024 || (open !== undefined && open > limit * 0.95)) return failure('files', message, action);
  return limit < 10_000 || (open !== undefined && open > limit * 0.8)
    ? warning('files', message, action)
    : ok('files', message);
};

export const judgeClock = (whose: string, aheadMs: number): Finding => {
  const seconds = `${(Math.abs(aheadMs) / 1_000).toFixed(1)} s`;
  const message =
    Math.abs(aheadMs) < 500
      ? `agrees with that of ${whose}`
      : `that of ${whose} is ${seconds} ${aheadMs > 0 ? 'ahead' : 'behind'}`;
  const action = 'Keep the clocks together (chrony, systemd-timesyncd): tokens and the history go by them';
  if (Math.abs(aheadMs) >= 30_000) return failure('clock', message, action);
  return Math.abs(aheadMs) >= 2_000 ? warning('clock', message, action) : ok('clock', message);
};

export interface Lag {
  /** Name of what follows the log. */
  readonly follower: 'read models' | 'audit index';
  readonly head: string | undefined;
  readonly checkpoint: string | undefined;
  /** Of the first event that is missing; undefined where none is, or nobody knows. */
  readonly missingSinceMs: number | undefined;
  /** Whether a process should be keeping it up. */
  readonly isKept: boolean;
}

export const judgeLag = ({ follower, head, checkpoint, missingSinceMs = 0, isKept }: Lag): Finding => {
  if (head === undefined) return ok(follower, 'the event log is empty');
  if (checkpoint !== undefined && checkpoint > head)
    return failure(follower, 'they are ahead of the event log', 'Start Roomwire: it makes them anew');
  if (checkpoint === head) return ok(follower, 'up to the end of the event log');
  const what =
    checkpoint === undefined
      ? 'there are none yet'
      : `behind the event log for ${Math.round(missingSinceMs / 1_000)} s`;
  if (!isKept) return ok(follower, `${what}; the next start brings them up`);
  const action = 'Look at the log lines of projections, and start it where it does not run';
  if (missingSinceMs >= 60_000) return failure(follower, what, action);
  return missingSinceMs >= 5_000 ? warning(follower, what, action) : ok(follower, what);
};

export const judgeQueue = (queue: string, waiting: number): Finding => {
  const message = `${waiting} jobs wait in ${queue}`;
  const action = 'Add webhook-consumers, or see why none runs; jobs that wait for 14 days are lost';
  if (waiting >= 100_000) return failure('queues', message, action);
  return waiting >= 1_000 ? warning('queues', message, action) : ok('queues', message);
};

/** The first two numbers of a version decide. */
export const judgeVersion = (
  check: string,
  version: string,
  oldest: readonly [major: number, minor: number],
): Finding => {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined || minor === undefined)
    return ok(check, 'within reach; what version it is, it does not tell');
  const isOld = Number(major) < oldest[0] || (Number(major) === oldest[0] && Number(minor) < oldest[1]);
  const message = `within reach, version ${version}`;
  return isOld
    ? warning(check, message, `Roomwire is tested with ${oldest.join('.')} and later: upgrade it`)
    : ok(check, message);
};
