import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createPackageFromTarballData, type Package } from '@arethetypeswrong/core';

export const run = promisify(execFile);

/** The root of the repository. */
export const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** Of one step that asks the registry, or compiles what the repository has. */
export const patienceMs = 180_000;

export interface Packed {
  /** Where the tarball is. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly contents: Package;
  readonly files: readonly string[];
}

/** What `npm pack` makes of a workspace. */
export const pack = async (workspace: string, destination: string): Promise<Packed> => {
  const args = ['pack', '--silent', '-w', workspace, '--pack-destination', destination];
  const { stdout } = await run('npm', args, { cwd: root });
  const path = join(destination, stdout.trim().split('\n').at(-1) ?? '');
  const bytes = await readFile(path);
  const contents = createPackageFromTarballData(bytes);
  const prefix = `/node_modules/${contents.packageName}/`;
  const files = contents.listFiles().map((file) => file.slice(prefix.length));
  return { path, bytes, contents, files };
};

/** A new project with nothing in it but what is named here, tarballs or names of the registry. */
export const projectWith = async (folder: string, ...packages: readonly string[]): Promise<string> => {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  const quietly = ['--no-fund', '--no-audit', '--ignore-scripts', '--prefer-offline', '--silent'];
  await run('npm', ['install', ...quietly, ...packages], { cwd: folder });
  return folder;
};
