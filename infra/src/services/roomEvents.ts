import { createRoomEventKeeper, type RoomEventKeeperDeps } from '@roomwire/projections/roomEventKeeper';
import type { ServiceContext } from './service.js';

/** Removes the events of rooms with what they belong to. */
export const startRoomEventKeeper = async (
  { adapters, closing, logger }: Pick<ServiceContext, 'adapters' | 'closing' | 'logger'>,
  follows: Pick<RoomEventKeeperDeps, 'log' | 'refusesOtherLogs'>,
): Promise<void> => {
  const keeper = createRoomEventKeeper({ ...follows, store: await adapters.roomEvents(), logger });
  closing.push(() => keeper.close());
  await keeper.start();
};
