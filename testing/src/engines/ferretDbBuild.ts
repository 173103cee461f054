import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedFolder } from './cachedFolder.js';
import { runToEnd } from './childProcess.js';
import { ferretDbFixes } from './ferretDbFixes.js';
import { go, requireGo } from './goToolchain.js';

const version = '1.24.0';
const ferretDb = 'github.com/FerretDB/FerretDB';
const program = fileURLToPath(new URL('../../../engines/ferretdb/', import.meta.url));
const programFiles = ['main.go', 'go.mod', 'go.sum'];

/** The module's own sources with the fixes, where they may be written to. */
const copyFixed = async (module: string, to: string): Promise<void> => {
  const unused = new Set(ferretDbFixes);
  for (const entry of await readdir(module, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('_test.go')) continue;
    const source = join(entry.parentPath, entry.name);
    const file = source.slice(module.length + 1);
    const fixes = ferretDbFixes.filter((fix) => fix.file === file);
    await mkdir(dirname(join(to, file)), { recursive: true });
    if (fixes.length === 0) await copyFile(source, join(to, file));
    else await writeFile(join(to, file), fixed(await readFile(source, 'utf8'), fixes));
    for (const fix of fixes) unused.delete(fix);
  }
  for (const { file } of unused) throw new Error(`FerretDB ${version} has no ${file} to be fixed`);
};

const fixed = (source: string, fixes: typeof ferretDbFixes): string =>
  fixes.reduce((text, { find, replacement, file }) => {
    if (!text.includes(find)) throw new Error(`FerretDB ${version} cannot be fixed in ${file}: no ${find}`);
    return text.replaceAll(find, replacement);
  }, source);

const build = async (folder: string): Promise<void> => {
  const sources = join(folder, 'sources');
  await mkdir(sources);
  for (const file of programFiles) await copyFile(join(program, file), join(sources, file));
  await go(sources, 'mod', 'download', ferretDb);
  await copyFixed(await go(sources, 'list', '-m', '-f', '{{.Dir}}', ferretDb), join(sources, 'ferretdb'));
  await go(sources, 'mod', 'edit', '-replace', `${ferretDb}=./ferretdb`);
  const to = ['-tags', 'ferretdb_no_postgresql', '-o', join(folder, 'ferretdb')];
  await runToEnd('go', ['-C', sources, 'build', '-mod=mod', ...to, '.']);
  await rm(sources, { recursive: true, force: true });
};

/** Path of the program; built at the first call on a machine, which takes a minute or two. */
export const ferretDbProgram = async (): Promise<string> => {
  const sources = await Promise.all(programFiles.map((file) => readFile(join(program, file))));
  const hash = createHash('sha256').update(JSON.stringify([ferretDbFixes, sources.map(String)]));
  const folder = await cachedFolder(
    `ferretdb-${version}-${hash.digest('hex').slice(0, 8)}`,
    async (empty) => {
      await requireGo({
        minor: 22,
        toBuild: 'FerretDB',
        otherwise: 'Or set ROOMWIRE_TEST_MONGODB_URL.',
      });
      await build(empty);
    },
  );
  return join(folder, 'ferretdb');
};
