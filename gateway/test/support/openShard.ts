import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { shard } from '@roomwire/testing/contracts/job-store/storedJobs';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { Intake } from '../../src/jobs/owner/intake.js';
import { OwnedShard, type OwnedShardDeps } from '../../src/jobs/owner/ownedShard.js';
import { TakenMessages } from '../../src/jobs/owner/takenMessages.js';
import { createJobCounts } from '../../src/jobs/queue/jobCounts.js';

/** How long a message may be published once more under its id. */
const repeatedMs = 600_000;

/** What the owner of shards needs, without a room log, bounds that matter and burials that fail. */
export const ownerDeps = () => ({
  ...{ repeatedMs, clock: systemClock, logger: silentLogger, counts: createJobCounts() },
  rooms: { subscribe: async () => undefined, unsubscribe: () => undefined },
  burial: { bury: async () => true, close: () => undefined },
  bounds: { jobs: 1_000, bytes: 1_000_000 },
  limits: { reached: () => undefined },
  past: undefined,
  endOf: async () => -1,
});

/** The shard of the groups that `groupOf` makes, as its owner in this term has it. */
export const openShard = (
  term: number,
  deps: Pick<OwnedShardDeps, 'store'> & Partial<OwnedShardDeps>,
): OwnedShard => {
  const { rooms, ...others } = ownerDeps();
  return new OwnedShard(shard, term, {
    ...others,
    intake: new Intake(rooms),
    taken: new TakenMessages(),
    superseded: () => undefined,
    ...deps,
  });
};
