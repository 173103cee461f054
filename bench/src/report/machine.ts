import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { describeCores, type Cores } from '../process/cores.js';
import type { WorkFolder } from '../process/workFolder.js';

/** The ground on which the figures stand; without it they mean nothing. */
export const describeMachine = (cores: Cores, folder: WorkFolder): readonly string[] => [
  `${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()} ${release()}`,
  `Node ${process.version}`,
  `${new Date().toISOString().slice(0, 16)}Z, load average before the run ${loadavg()
    .map((load) => load.toFixed(1))
    .join(', ')}`,
  describeCores(cores),
  ...(folder.isInMemory
    ? [`${folder.path} is in memory: figures of durable writes are worthless, use --folder`]
    : []),
];
