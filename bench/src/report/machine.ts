import { cpus, release, totalmem, type } from 'node:os';
import { describeCores, type Cores } from '../process/cores.js';
import type { WorkFolder } from '../process/workFolder.js';

/** The ground on which the figures stand; without it they mean nothing. */
export const describeMachine = (cores: Cores, folder: WorkFolder): readonly string[] => [
  `${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()} ${release()}`,
  `Node ${process.version}`,
  describeCores(cores),
  ...(folder.isInMemory
    ? [`${folder.path} is in memory: figures of durable writes are worthless, use --folder`]
    : []),
];
