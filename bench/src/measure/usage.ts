import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second, whatever the kernel's own tick. */
const ticksPerSecond = 100;
const userTicks = 11;
const systemTicks = 12;

/** User and system time of a line of `/proc/<pid>/stat`, in seconds. The name in it may hold blanks and brackets. */
export const cpuSecondsOf = (stat: string): number => {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[userTicks]) + Number(fields[systemTicks])) / ticksPerSecond;
};

/** NaN where there is no /proc, or no such process any more. */
export const processCpuSeconds = (processId: number): number => {
  try {
    return cpuSecondsOf(readFileSync(`/proc/${processId}/stat`, 'latin1'));
  } catch {
    return Number.NaN;
  }
};

const ownCpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** Begins to measure this process alone. */
export const startOwnCpuMeter = (): (() => { readonly elapsed: number; readonly cpu: number }) => {
  const begin = { at: performance.now(), cpu: ownCpuSeconds() };
  return () => ({ elapsed: (performance.now() - begin.at) / 1000, cpu: ownCpuSeconds() - begin.cpu });
};

/** What both sides used between `startCpuMeter` and the call of its result, in seconds. */
export interface CpuUse {
  readonly elapsed: number;
  readonly server: number;
  readonly generator: number;
}

/** Begins to measure this process, the generator, and the server beside it. */
export const startCpuMeter = (serverId: number): (() => CpuUse) => {
  const server = processCpuSeconds(serverId);
  const own = startOwnCpuMeter();
  return () => {
    const { elapsed, cpu } = own();
    return { elapsed, generator: cpu, server: processCpuSeconds(serverId) - server };
  };
};

/** By the name that was given to each process; `generator` is this one. */
export type CpuSeconds = Readonly<Record<string, number>>;

/** Begins to measure this process and any number of others. */
export const startCpuMeters = (
  processes: Readonly<Record<string, number>>,
): (() => { readonly elapsed: number; readonly cpu: CpuSeconds }) => {
  const named = Object.entries(processes);
  const before = named.map(([, id]) => processCpuSeconds(id));
  const own = startOwnCpuMeter();
  return () => {
    const { elapsed, cpu } = own();
    const used: Record<string, number> = { generator: cpu };
    for (const [index, [name, id]] of named.entries())
      used[name] = processCpuSeconds(id) - (before[index] ?? Number.NaN);
    return { elapsed, cpu: used };
  };
};

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
