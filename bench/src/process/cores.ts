import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The core of the server under measurement and that of the load generator; undefined leaves it to the system. */
export interface Cores {
  readonly server: number | undefined;
  readonly generator: number | undefined;
}

export const unpinned: Cores = { server: undefined, generator: undefined };

/** The first two cores that this process may use, where `taskset` exists. */
export const chooseCores = (): Cores => {
  const hasTaskset = spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status === 0;
  const [server, generator] = hasTaskset ? allowedCores() : [];
  return server === undefined || generator === undefined ? unpinned : { server, generator };
};

const allowedCores = (): readonly number[] => {
  const status = readFileSync('/proc/self/status', 'latin1');
  return coresOf(/^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '');
};

/** `0-2,5` as numbers. */
export const coresOf = (list: string): readonly number[] =>
  list
    .split(',')
    .filter((range) => range !== '')
    .flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });

export const describeCores = ({ server, generator }: Cores): string =>
  server === undefined
    ? 'server and generator not pinned (no taskset, or only one core)'
    : `server pinned to core ${server}, generator to core ${generator}`;

/** The command line that runs a program on a core. */
export const onCore = (
  program: string,
  core: number | undefined,
): { command: string; prefix: readonly string[] } =>
  core === undefined
    ? { command: program, prefix: [] }
    : { command: 'taskset', prefix: ['-c', String(core), program] };
