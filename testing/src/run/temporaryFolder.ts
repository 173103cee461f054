import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryFolder {
  readonly path: string;
  /** Removes the folder and all that is in it. */
  remove(): Promise<void>;
}

/** An empty folder of its own for one test. */
export const temporaryFolder = async (): Promise<TemporaryFolder> => {
  const path = await mkdtemp(join(await realpath(tmpdir()), 'roomwire-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
};
