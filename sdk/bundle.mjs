// Makes what the packed client has besides its modules: one file for a page, and CommonJS, whose declarations `tsc` has made.
import { writeFile } from 'node:fs/promises';
import { build } from 'esbuild';
import { minify } from 'terser';
import { privateNames } from './privateNames.mjs';

process.chdir(import.meta.dirname);

const client = { entryPoints: ['dist/src/index.js'], bundle: true, target: 'es2022', logLevel: 'warning' };

const commonJs = { ...client, format: 'cjs', external: ['ws'] };
await build({ ...commonJs, platform: 'node', outfile: 'commonjs/dist/index.js' });
await build({ ...commonJs, platform: 'browser', outfile: 'commonjs/dist/browser.js' });

const page = 'dist/roomwire.min.js';
const { names, shared } = privateNames('commonjs/tsconfig.json');
const { outputFiles } = await build({
  ...client,
  ...{ format: 'esm', platform: 'browser', sourcemap: 'external', write: false, outfile: page },
  mangleProps: new RegExp(`^(${names.join('|')})$`),
  mangleCache: shared,
  minifySyntax: true,
});
const [map, bundle] = outputFiles.map(({ text }) => text);
const small = await minify(bundle, {
  // Statements compress better than sequences of commas, and what is written better than what is turned around; and no getter is read for its effect.
  ...{ module: true, ecma: 2022 },
  compress: {
    sequences: false,
    lhs_constants: false,
    comparisons: false,
    if_return: false,
    pure_getters: true,
  },
  sourceMap: { content: map, url: 'roomwire.min.js.map' },
});
await writeFile(page, small.code);
await writeFile(`${page}.map`, small.map);
