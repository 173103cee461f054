import { readdirSync, readFileSync } from 'node:fs';

/** Of the first child of this process that runs this program; NaN where there is no /proc. */
export const childProcessId = (program: string): number => {
  try {
    const children = readdirSync('/proc/self/task').flatMap((thread) =>
      readFileSync(`/proc/self/task/${thread}/children`, 'latin1').split(' '),
    );
    const found = children.find((id) => id !== '' && nameOf(id) === program);
    return Number(found ?? Number.NaN);
  } catch {
    return Number.NaN;
  }
};

const nameOf = (processId: string): string => readFileSync(`/proc/${processId}/comm`, 'latin1').trim();
