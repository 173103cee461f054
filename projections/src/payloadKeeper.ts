import { deletedOwners, type DeletedIds } from '@roomwire/shared/domain/deletedIds';
import type { PayloadStore } from '@roomwire/shared/ports/payloadStore';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import type { Service } from '@roomwire/shared/runtime/service';
import type { FollowerDeps } from './checkpointedFollower.js';
import { createDeletionFollower } from './deletionFollower.js';
import { createPruner, followingAndPruning } from './pruner.js';
import { idsDeletedBy, removingFrom } from './removals.js';

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
    deleteBy: removingFrom(payloads, idsDeletedBy(deletions, logger)),
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
  return followingAndPruning(follower, pruner);
};

/** Payloads are removed with these as well. */
const deletions: DeletedIds = {
  ...deletedOwners,
  DeadLetterDeleted: ({ dlqId }) => dlqId,
  DeadLetterDelivered: ({ dlqId }) => dlqId,
};
