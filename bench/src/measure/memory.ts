import { readFileSync } from 'node:fs';

/** Resident memory of another process; NaN where there is no /proc. */
export const processMegabytes = (processId: number): number => kilobytes(processId, 'VmRSS') / 1024;

/** Without what it shares with files, such as the pages of a database; NaN where there is no /proc. */
export const anonymousKilobytes = (processId: number): number => kilobytes(processId, 'RssAnon');

const kilobytes = (processId: number, field: string): number => {
  try {
    return kilobytesOf(readFileSync(`/proc/${processId}/status`, 'latin1'), field);
  } catch {
    return Number.NaN;
  }
};

/** One field of `/proc/<pid>/status`. */
export const kilobytesOf = (status: string, field: string): number =>
  Number(new RegExp(`^${field}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1]);
