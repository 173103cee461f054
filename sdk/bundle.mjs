// Makes what the packed client has besides its modules: one file for a page, and CommonJS, whose declarations `tsc` has made.
import { build } from 'esbuild';

process.chdir(import.meta.dirname);

const client = { entryPoints: ['dist/src/index.js'], bundle: true, target: 'es2022', logLevel: 'warning' };
const commonJs = { ...client, format: 'cjs', external: ['ws'] };

await Promise.all([
  build({
    ...client,
    ...{ format: 'esm', platform: 'browser', minify: true, sourcemap: true },
    outfile: 'dist/roomwire.min.js',
  }),
  build({ ...commonJs, platform: 'node', outfile: 'commonjs/dist/index.js' }),
  build({ ...commonJs, platform: 'browser', outfile: 'commonjs/dist/browser.js' }),
]);
