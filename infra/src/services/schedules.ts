import { createScheduleKeeper, type ScheduleKeeperDeps } from '@roomwire/projections/scheduleKeeper';
import type { ServiceContext } from './service.js';

/** Deletes publishes that wait for their time with what they belong to. */
export const startScheduleKeeper = async (
  { adapters, closing, logger }: Pick<ServiceContext, 'adapters' | 'closing' | 'logger'>,
  follows: Pick<ScheduleKeeperDeps, 'log' | 'refusesOtherLogs'>,
): Promise<void> => {
  const keeper = createScheduleKeeper({ ...follows, schedules: await adapters.schedules(), logger });
  closing.push(() => keeper.close());
  await keeper.start();
};
