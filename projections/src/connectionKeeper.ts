import { deletedOwners, type DeletedIds } from '@roomwire/shared/domain/deletedIds';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { ConnectionRecord } from '@roomwire/shared/ports/connectionRecord';
import type { CollectMetrics } from '@roomwire/shared/ports/metrics';
import type { Service } from '@roomwire/shared/runtime/service';
import { standingMs } from '@roomwire/shared/wire/bus/connectionFacts';
import type { FollowerDeps } from './checkpointedFollower.js';
import { createDeletionFollower, type DeletedFrom } from './deletionFollower.js';
import { createPruner, followingAndPruning } from './pruner.js';
import { idsDeletedBy } from './removals.js';
import { RepeatedDeletions } from './repeatedDeletions.js';
import { SilentGateways } from './silentGateways.js';

export interface ConnectionKeeperDeps extends FollowerDeps {
  readonly record: DeletedFrom & Pick<ConnectionRecord, 'running' | 'giveUp' | 'prune' | 'removeOf'>;
  readonly clock: Clock;
  /** How long facts are kept. */
  readonly keptMs: number;
  /** Whether the record has all that gateways have written until a moment ago, as far as this process knows. */
  readonly isCaughtUp: () => Promise<boolean>;
  /** A gateway that has written nothing for so long is dead. */
  readonly silenceMs?: number;
  /** Between two looks for gateways that are silent. */
  readonly lookEveryMs?: number;
}

export interface ConnectionKeeper extends Service {
  readonly collect: CollectMetrics;
}

const { ProjectDeleted } = deletedOwners;
const deletions: DeletedIds = { ProjectDeleted };

/** Looks for gateways between two looks for facts that are too old. */
const looksPerPrune = 60;

/** Keeps the record of connections short, without deleted projects, and without connections on gateways that are gone. */
export const createConnectionKeeper = (deps: ConnectionKeeperDeps): ConnectionKeeper => {
  const { record, clock, keptMs, isCaughtUp, logger, silenceMs = 30_000, lookEveryMs = 5_000 } = deps;
  const repeated = new RepeatedDeletions<string>(clock, (ids) => record.removeOf(ids));
  const follower = createDeletionFollower(deps, {
    name: 'record of connections',
    store: record,
    repeated,
    deleteBy: repeated.deletingBy(idsDeletedBy(deletions, logger)),
  });

  const silent = new SilentGateways(clock, silenceMs);
  const giveUpSilent = async (): Promise<void> => {
    const at = clock.monotonic();
    try {
      // Those that write are not given up for what has not been read yet.
      if (!(await isCaughtUp())) return;
    } catch (error) {
      // They may be unable to write as well.
      silent.forget();
      throw error;
    }
    const lost = await record.giveUp(silent.among(await record.running(), at), clock.now());
    if (lost.length > 0) logger.warn('Gateways are gone, and their connections with them', { lost });
  };

  let [looks, expired] = [0, 0];
  const pruner = createPruner({
    logger,
    lost: 'The record of connections cannot be kept in order; retrying',
    back: 'The record of connections is kept in order again',
    everyMs: lookEveryMs,
    prune: async () => {
      await giveUpSilent();
      if (looks++ % looksPerPrune !== 0) return;
      await repeated.again();
      // What is told of anew within that time is needed for as long.
      expired += await record.prune(clock.now() - keptMs - standingMs);
    },
  });
  return {
    ...followingAndPruning(follower, pruner),
    collect: (sink) => sink.value('roomwire_connection_facts_expired_total', expired),
  };
};
