import type { Clock } from '@roomwire/shared/ports/clock';
import type { EventLog, LogPosition } from '@roomwire/shared/ports/eventLog';
import type { CollectMetrics } from '@roomwire/shared/ports/metrics';

/** A follower of the log and its checkpoint. */
export interface Projection {
  /** A label. */
  readonly name: string;
  readonly checkpoint: () => Promise<LogPosition | undefined>;
}

export interface LagDeps {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly projections: readonly Projection[];
}

/** A longer backlog shows in the seconds; counting it would put more load on an overloaded engine. */
const mostCounted = 1_000;

/** How far projections are behind the log. Computed from the log and the checkpoints, so it works while no projector runs. */
export const projectionLag =
  ({ log, clock, projections }: LagDeps): CollectMetrics =>
  async (sink) => {
    for (const { name: projection, checkpoint } of projections) {
      const { events, since } = await behind(log, await checkpoint());
      const seconds = since === undefined ? 0 : Math.max(0, (clock.now() - Date.parse(since)) / 1_000);
      sink.value('roomwire_projection_lag_events', events, { projection });
      sink.value('roomwire_projection_lag_seconds', seconds, { projection });
    }
  };

/** The events that are missing, and when the first of them happened. */
const behind = async (
  log: EventLog,
  checkpoint: LogPosition | undefined,
): Promise<{ readonly events: number; readonly since: string | undefined }> => {
  const head = await log.head();
  // The usual case: nothing needs to be read.
  if (head === undefined || (checkpoint !== undefined && head <= checkpoint))
    return { events: 0, since: undefined };
  let events = 0;
  let since: string | undefined;
  for await (const batch of log.readAll(checkpoint)) {
    since ??= batch[0]?.metadata.occurredAt;
    events += batch.length;
    if (events >= mostCounted) break;
  }
  return { events: Math.min(events, mostCounted), since };
};
