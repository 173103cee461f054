import { readFileSync } from 'node:fs';

/** Resident memory of another process; NaN where there is no /proc. */
export const processMegabytes = (processId: number): number => {
  try {
    const status = readFileSync(`/proc/${processId}/status`, 'latin1');
    return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
};
