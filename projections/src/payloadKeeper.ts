import type { DomainEvent, EventType } from '@roomwire/shared/domain/events';
import { readEvent } from '@roomwire/shared/domain/events';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { PayloadStore } from '@roomwire/shared/ports/payloadStore';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { once, type Service } from '@roomwire/shared/runtime/service';
import type { FollowerDeps } from './checkpointedFollower.js';
import { createDeletionFollower } from './deletionFollower.js';
import { createPruner } from './pruner.js';

export interface PayloadKeeperDeps extends FollowerDeps {
  readonly payloads: PayloadStore;
  readonly limits: LimitReports;
  /** Between two looks for payloads that have expired. */
  readonly pruneEveryMs?: number;
}

/**
 * [HOOK-DLQ-3] Removes payloads with what they belong to, by following the log, and those that have expired or are over a quota.
 * It is not one of the projections, so that removing many does not delay them.
 */
export const createPayloadKeeper = (deps: PayloadKeeperDeps): Service => {
  const { payloads, logger, limits, pruneEveryMs = 60_000 } = deps;
  const follower = createDeletionFollower(deps, {
    name: 'payload store',
    store: payloads,
    deleteBy: async (events) => {
      const owners = events.flatMap((event) => deletedBy(event, logger));
      if (owners.length > 0) await payloads.removeOf(owners);
      return owners.length > 0;
    },
  });
  const pruner = createPruner({
    logger,
    lost: 'Payloads that have expired cannot be removed; retrying',
    back: 'Payloads that have expired are removed again',
    everyMs: pruneEveryMs,
    prune: async () => {
      const { expired, evicted } = await payloads.prune();
      if (expired > 0) limits.reached('payloadRetention', { payloads: expired }, expired);
      if (evicted > 0) limits.reached('payloadQuota', { payloads: evicted }, evicted);
    },
  });
  return {
    async start() {
      await follower.start();
      await pruner.start();
    },
    close: once(async () => {
      const stopped = pruner.close();
      await follower.close();
      await stopped;
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
