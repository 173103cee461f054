import { setTimeout as wait } from 'node:timers/promises';
import { anonymousKilobytes } from '../measure/memory.js';

const lookEveryMs = 250;
const steadyKilobytes = 128;
const looks = 24;

/** Anonymous memory of a server that does nothing, as soon as it changes no more. In kB. */
export const settledMemory = async (serverId: number): Promise<number> => {
  let before = anonymousKilobytes(serverId);
  for (let look = 0; look < looks; look += 1) {
    await wait(lookEveryMs);
    const now = anonymousKilobytes(serverId);
    if (Math.abs(now - before) <= steadyKilobytes) return now;
    before = now;
  }
  return before;
};

/** The same after the server has collected its garbage, which it does on SIGUSR2: what it holds. */
export const heldMemory = async (serverId: number): Promise<number> => {
  for (let times = 0; times < 2; times += 1) {
    process.kill(serverId, 'SIGUSR2');
    await wait(lookEveryMs);
  }
  return settledMemory(serverId);
};
