import { setTimeout as wait } from 'node:timers/promises';
import { processCpuSeconds } from '../measure/cpu.js';

const lookEveryMs = 200;
/** Two ticks of the clock in /proc. */
const restingSeconds = 0.02;
const looks = 50;

/** Until a server has nothing to do any more, or ten seconds have passed. */
export const atRest = async (serverId: number): Promise<void> => {
  let before = processCpuSeconds(serverId);
  for (let look = 0; look < looks; look += 1) {
    await wait(lookEveryMs);
    const now = processCpuSeconds(serverId);
    if (!(now - before > restingSeconds)) return;
    before = now;
  }
};
