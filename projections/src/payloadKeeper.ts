import type { DomainEvent, EventType } from '@roomwire/shared/domain/events';
import { readEvent, UnknownEvent } from '@roomwire/shared/domain/events';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { PayloadStore } from '@roomwire/shared/ports/payloadStore';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { Outage } from '@roomwire/shared/runtime/outage';
import { once, type Service } from '@roomwire/shared/runtime/service';
import { createCheckpointedFollower, type FollowerDeps } from './checkpointedFollower.js';
import { upToUnknown } from './unknownEvents.js';

export interface PayloadKeeperDeps extends FollowerDeps {
  readonly payloads: PayloadStore;
  readonly limits: LimitReports;
  /** Between two looks for payloads that have expired. */
  readonly pruneEveryMs?: number;
}

/** So many events that delete nothing may be read again after a start: each checkpoint costs a sync of the disk. */
const repeated = 1_000;

/**
 * [HOOK-DLQ-3] Removes payloads with what they belong to, by following the log, and those that have expired or are over a quota.
 * It is not one of the projections, so that removing many does not delay them.
 */
export const createPayloadKeeper = (deps: PayloadKeeperDeps): Service => {
  const { payloads, logger, limits, pruneEveryMs = 60_000 } = deps;
  let passedOver = 0;
  const follower = createCheckpointedFollower(deps, {
    name: 'payload store',
    checkpoint: () => payloads.checkpoint(),
    origin: () => payloads.origin(),
    apply: async (events, origin) => {
      // An event of a newer version may delete something.
      const { readable, unknown } = upToUnknown(events);
      const owners = readable.flatMap((event) => deletedBy(event, logger));
      passedOver += readable.length;
      if (owners.length > 0) await payloads.removeOf(owners);
      const last = readable.at(-1);
      if (last !== undefined && (owners.length > 0 || passedOver >= repeated)) {
        await payloads.moveCheckpoint(last.position, { ...origin, position: last.position, event: last.id });
        passedOver = 0;
      }
      if (unknown !== undefined) throw new UnknownEvent(unknown);
    },
    clear: () => payloads.moveCheckpoint(undefined),
  });

  const outage = new Outage({
    logger,
    lost: 'Payloads that have expired cannot be removed; retrying',
    back: 'Payloads that have expired are removed again',
  });
  let pruning: Promise<void> | undefined;
  const prune = async (): Promise<void> => {
    try {
      const { expired, evicted } = await payloads.prune();
      outage.over();
      if (expired > 0) limits.reached('payloadRetention', { payloads: expired }, expired);
      if (evicted > 0) limits.reached('payloadQuota', { payloads: evicted }, evicted);
    } catch (error) {
      outage.failed(error);
    } finally {
      pruning = undefined;
    }
  };

  let timer: NodeJS.Timeout | undefined;
  return {
    async start() {
      await follower.start();
      timer = setInterval(() => void (pruning ??= prune()), pruneEveryMs).unref();
      pruning = prune();
    },
    close: once(async () => {
      clearInterval(timer);
      await follower.close();
      await pruning;
    }),
  };
};

/** What an event deletes, and payloads with it. */
const deletions: { readonly [T in EventType]?: (data: Extract<DomainEvent, { type: T }>['data']) => string } =
  {
    ProjectDeleted: ({ projectId }) => projectId,
    AppDeleted: ({ appId }) => appId,
    RoomDeleted: ({ roomId }) => roomId,
    ScopeDeleted: ({ accessScopeId }) => accessScopeId,
    DeadLetterDeleted: ({ dlqId }) => dlqId,
    DeadLetterDelivered: ({ dlqId }) => dlqId,
  };

const deletedBy = (event: RecordedEvent, logger: Logger): readonly string[] => {
  const deleted = deletions[event.type as EventType] as ((data: unknown) => string) | undefined;
  if (deleted === undefined) return [];
  try {
    return [deleted(readEvent(event).data)];
  } catch (error) {
    logger.error('An event was skipped', { eventId: event.id, type: event.type, error });
    return [];
  }
};
