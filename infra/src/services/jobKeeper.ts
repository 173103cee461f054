import { createJobKeeper, type JobKeeperDeps } from '@roomwire/projections/jobKeeper';
import type { ServiceContext } from './service.js';

/** Removes worker groups and their jobs with what they belong to. */
export const startJobKeeper = async (
  { adapters, closing, clock, logger }: Pick<ServiceContext, 'adapters' | 'closing' | 'clock' | 'logger'>,
  follows: Pick<JobKeeperDeps, 'log' | 'refusesOtherLogs'>,
): Promise<void> => {
  const keeper = createJobKeeper({ ...follows, jobs: await adapters.jobs(), clock, logger });
  closing.push(() => keeper.close());
  await keeper.start();
};
