import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cachedFolder } from '@roomwire/testing/engines/cachedFolder';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

const runIn = async (cwd: string, command: string, ...args: readonly string[]): Promise<void> => {
  await promisify(execFile)(command, args, { cwd, maxBuffer: 64 * 1024 * 1024 });
};

/** The command of the release that `.ci/previous-release` names, built once for all runs on this machine. */
export const previousRelease = async (): Promise<string> => {
  const commit = (await readFile(join(root, '.ci/previous-release'), 'utf8')).trim();
  const folder = await cachedFolder(`release-${commit}`, (to) => build(commit, to));
  return join(folder, 'infra/bin/roomwire.js');
};

const build = async (commit: string, folder: string): Promise<void> => {
  await runIn(root, 'git', 'cat-file', '-e', `${commit}^{commit}`).catch((cause: unknown) => {
    throw new Error(`This clone lacks the previous release, ${commit}: fetch the whole history`, { cause });
  });
  const archive = join(folder, 'sources.tar');
  await runIn(root, 'git', 'archive', '--format=tar', `--output=${archive}`, commit);
  await runIn(folder, 'tar', '-xf', archive);
  await rm(archive);
  await runIn(folder, 'npm', 'ci', '--prefix', folder, '--ignore-scripts', '--no-fund', '--no-audit');
  await runIn(folder, process.execPath, 'node_modules/typescript/bin/tsc', '-b', 'infra');
};
