import { EngineUnavailable } from '../../../src/ports/errors.js';
import { scheduleStoreContract } from '@roomwire/testing/contracts/scheduleStoreContract';
import { MemorySchedules, schedulesOn } from '@roomwire/testing/fakes/memorySchedules';

/** What the simulator stands on. */
scheduleStoreContract('memory', async () => {
  const schedules = new MemorySchedules();
  const open = () => {
    let isOpen = true;
    const store = schedulesOn(schedules, async (act) => {
      if (!isOpen) throw new EngineUnavailable('schedules');
      return act();
    });
    return { ...store, close: async () => void (isOpen = false) };
  };
  return { store: open(), reopen: async () => open(), dispose: async () => undefined };
});
