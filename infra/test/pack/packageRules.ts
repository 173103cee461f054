import { checkPackage, type Problem } from '@arethetypeswrong/core';
import { expect } from 'chai';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root, type Packed } from './packing.js';

/** What holds for each package that is published. */
export const itIsAPackage = (packed: () => Packed): void => {
  it('has a README and the licence, and neither tests nor what only this repository needs', async () => {
    const { files, contents } = packed();
    expect(files).to.include.members(['README.md', 'LICENSE', 'package.json']);
    const license = contents.readFile(`/node_modules/${contents.packageName}/LICENSE`);
    expect(license).to.equal(await readFile(join(root, 'LICENSE'), 'utf8'));
    expect(files.filter((file) => /(^|\/)test\/|\.spec\.|tsbuildinfo|tsconfig/.test(file))).to.eql([]);
  });

  it('is public, and depends on nothing that is not', () => {
    const { contents } = packed();
    const manifest = JSON.parse(contents.readFile(`/node_modules/${contents.packageName}/package.json`)) as {
      readonly private?: boolean;
      readonly publishConfig?: unknown;
      readonly dependencies?: Readonly<Record<string, string>>;
    };
    expect(manifest.private).to.equal(undefined);
    expect(manifest.publishConfig).to.eql({ access: 'public' });
    expect(Object.keys(manifest.dependencies ?? {}).filter((name) => name.startsWith('@roomwire/'))).to.eql(
      [],
    );
  });

  it('has nothing that publint warns of', async () => {
    const { bytes, contents } = packed();
    const tarball = Uint8Array.from(bytes).buffer;
    const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
    expect(pkg['name']).to.equal(contents.packageName);
    expect(messages.map((message) => formatMessage(message, pkg))).to.eql([]);
  });
};

/** What holds for a library, however TypeScript looks for its types. */
export const itsTypesAreRight = (packed: () => Packed): void => {
  it('has types that are those of the code, in every way of resolving them', async () => {
    const result = await checkPackage(packed().contents, {
      excludeEntrypoints: ['./package.json', './browser'],
    });
    if (result.types === false) throw new Error('There are no types');
    expect(result.problems.map(({ kind }: Problem) => kind)).to.eql([]);
  });
};
