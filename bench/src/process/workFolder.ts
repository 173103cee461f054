import { mkdtempSync, realpathSync, rmSync, statfsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

const tmpfs = 0x01021994;

/** Where the data of all programs of one run goes. */
export interface WorkFolder {
  readonly path: string;
  /** Writes to it never reach a disk. */
  readonly isInMemory: boolean;
  /** A new, empty folder inside. */
  inside(name: string): Promise<string>;
  /** Removes all of it. Also works on the way out of the process. */
  remove(): void;
}

export const makeWorkFolder = (parent: string): WorkFolder => {
  const path = mkdtempSync(join(realpathSync(parent), 'roomwire-bench-'));
  let made = 0;
  return {
    path,
    isInMemory: statfsSync(path).type === tmpfs,
    async inside(name) {
      made += 1;
      const folder = join(path, `${made}-${name}`);
      await mkdir(folder);
      return folder;
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
};
