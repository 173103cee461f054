import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

interface Manifest {
  readonly name: string;
  readonly workspaces: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  /** What whoever installs the package has already. */
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;

/** The packages that the TypeScript files of a folder import, statically or by `import()`, or resolve a file of. */
const importedBy = (folder: string): ReadonlySet<string> => {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  const imported = new Set<string>();
  for (const file of files.filter((name) => /\.tsx?$/.test(name))) {
    const text = readFileSync(join(root, folder, file), 'utf8');
    const specifiers = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
    for (const [, resolved = ''] of text.matchAll(/\bresolve\('([@a-z][^']*\/[^']*)'\)/g))
      specifiers.push(resolved);
    for (const specifier of specifiers)
      if (!/^[.#]/.test(specifier) && !isBuiltin(specifier)) imported.add(packageOf(specifier));
  }
  return imported;
};

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

const { workspaces, devDependencies: shared } = manifestOf('.');

const isOurs = (name: string): boolean => name.startsWith('@roomwire/');

/** The workspaces whose code is put into the packed program, so that what they import is a dependency of its own. */
const inProgram = [...importedBy('infra/src')].filter(isOurs).map((name) => name.slice('@roomwire/'.length));

/** What a package must name as its dependencies. */
const importsOf = (workspace: string): ReadonlySet<string> => {
  const source = importedBy(`${workspace}/src`);
  if (workspace !== 'infra') return source;
  const inside = inProgram.flatMap((name) => [...importedBy(`${name}/src`)]);
  return new Set([...source, ...inside].filter((name) => !isOurs(name)));
};

/** Private packages of test code, of which the image has nothing. */
const forTests = ['testing', 'bench', 'simulator', 'sdks/conformance'];

/** What others serve as one bundle, which needs nothing at runtime. */
const bundled = ['console'];

/** Peers of `@prometheus-io/lezer-promql`, which imports them. */
const peers = ['@lezer/highlight', '@lezer/lr'];

describe('The dependencies', () => {
  for (const workspace of workspaces) {
    const manifest = manifestOf(workspace);
    const { name: itself, devDependencies = {} } = manifest;
    const dependencies = { ...manifest.peerDependencies, ...manifest.dependencies };
    const folders = readdirSync(join(root, workspace));
    const source = importedBy(`${workspace}/src`);
    const tests = folders.includes('test') ? importedBy(`${workspace}/test`) : new Set<string>();

    it(`of ${workspace} name exactly what its source imports`, () => {
      const named = [...forTests, ...bundled].includes(workspace)
        ? { ...shared, ...dependencies, ...devDependencies }
        : dependencies;
      const imported = importsOf(workspace);
      expect([...imported].filter((name) => !(name in named))).to.eql([]);
      expect(Object.keys(dependencies).filter((name) => !imported.has(name))).to.eql([]);
    });

    it(`of ${workspace} name what its tests import`, () => {
      const named = { [itself]: '', ...shared, ...dependencies, ...devDependencies };
      expect([...tests].filter((name) => !(name in named))).to.eql([]);
    });

    it(`of ${workspace} for tests and types are used`, () => {
      const isUsed = (name: string): boolean => source.has(name) || tests.has(name) || peers.includes(name);
      const unused = Object.keys(devDependencies).filter((name) => !isUsed(name.replace('@types/', '')));
      expect(unused).to.eql([]);
    });
  }

  it('of the program are of the versions that its packages name', () => {
    const { dependencies } = manifestOf('infra');
    for (const workspace of inProgram)
      for (const [name, version] of Object.entries(manifestOf(workspace).dependencies ?? {}))
        if (!isOurs(name)) expect(dependencies?.[name], `${name} of ${workspace}`).to.equal(version);
  });
});
