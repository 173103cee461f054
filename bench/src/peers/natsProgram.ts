import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cachedFolder } from '@roomwire/testing/engines/cachedFolder';

const module = fileURLToPath(new URL('../../../nats/', import.meta.url));
const moduleFiles = ['main.go', 'go.mod', 'go.sum'];
const run = promisify(execFile);

/** Path of the program; built at the first call on a machine, which takes a minute. Rejects where it cannot be built. */
export const natsProgram = async (): Promise<string | undefined> => {
  const sources = await Promise.all(moduleFiles.map((file) => readFile(join(module, file), 'utf8')));
  const hash = createHash('sha256').update(JSON.stringify(sources)).digest('hex').slice(0, 8);
  return join(await cachedFolder(`nats-${hash}`, build), 'nats');
};

/** Beside copies of the sources, because what is installed may be read-only. */
const build = async (folder: string): Promise<void> => {
  const sources = join(folder, 'sources');
  await mkdir(sources);
  for (const file of moduleFiles) await copyFile(join(module, file), join(sources, file));
  await run('go', ['-C', sources, 'build', '-o', join(folder, 'nats'), '.']);
  await rm(sources, { recursive: true, force: true });
};
