import type { Provenance } from '@roomwire/shared/runtime/provenance';
import { otherLogRemedy } from '../engines/derivedData.js';
import type { Engine, LogFollower } from '../engines/engine.js';
import { failure, ok, warning, type Finding } from '../engines/finding.js';
import { describeRefusal, refusalOf } from '../engines/refusals.js';

// The rules by which the doctor judges its measurements, without I/O.

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

const startEngine = 'Start it, and check its address, its credentials and the network';

/** An engine that does not serve, and what can be shown of its error. */
export const judgeRefusal = (
  { name, remedies }: Pick<Engine, 'name' | 'remedies'>,
  error: unknown,
  kind: string,
): Finding => {
  const refusal = refusalOf(error);
  if (refusal === undefined) return failure(name, `out of reach (${kind})`, startEngine);
  const isThere = !['unknown host', 'away'].includes(refusal);
  const message = `${isThere ? 'of no use' : 'out of reach'} (${describeRefusal[refusal]}; ${kind})`;
  return failure(name, message, remedies[refusal] ?? startEngine);
};

export interface Lag {
  /** Name of what follows the log. */
  readonly follower: LogFollower;
  readonly head: string | undefined;
  readonly checkpoint: string | undefined;
  /** Undefined where there is no checkpoint. */
  readonly provenance: Provenance | undefined;
  /** Of the first event that is missing; undefined where none is, or where that is not known. */
  readonly missingSinceMs: number | undefined;
  /** Whether a process should be keeping it up. */
  readonly isKept: boolean;
  /** Whether a Roomwire on another log may use it: a start then leaves what is of another log as it is. */
  readonly isShared: boolean;
}

const makesAnew = 'Start Roomwire, or restart it: it makes them anew';

export const judgeLag = (lag: Lag): Finding => {
  const { follower, head, checkpoint, provenance, missingSinceMs = 0, isKept, isShared } = lag;
  if (provenance === 'another log')
    return failure(follower, 'made from another event log', isShared ? otherLogRemedy : makesAnew);
  if (provenance === 'this log, before it was put back')
    return failure(follower, 'made from what the event log no longer holds', makesAnew);
  if (head === undefined) return ok(follower, 'the event log is empty');
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
