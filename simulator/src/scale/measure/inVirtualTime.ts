import { seededChance } from '@roomwire/testing/run/seededChance';
import { installVirtualGlobals } from '../../time/virtualGlobals.js';
import { VirtualTime } from '../../time/virtualTime.js';

/** What happens in it takes no time but its own, and happens in the same way each time. */
export const inVirtualTime = async <T>(seed: number, act: (time: VirtualTime) => Promise<T>): Promise<T> => {
  const time = new VirtualTime();
  const restore = installVirtualGlobals(time, seededChance(seed));
  try {
    return await act(time);
  } finally {
    restore();
  }
};
