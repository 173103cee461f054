// Makes `dist/program`, which is all code that the packed program has: the packages of this workspace in it, and every other
// package a dependency, so that whoever installs it sees and audits what runs.
import { readFileSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { build } from 'esbuild';

process.chdir(import.meta.dirname);
const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));

// Files of an earlier build have other names.
await rm('dist/program', { recursive: true, force: true });
const { metafile } = await build({
  // Otherwise it is the folder of the caller, which esbuild keeps when it is imported.
  absWorkingDir: import.meta.dirname,
  // A thread is a program of its own, which lies beside whoever starts it.
  entryPoints: { main: 'dist/src/cli/main.js', gatewayThread: 'dist/src/threads/gatewayThread.js' },
  outdir: 'dist/program',
  bundle: true,
  // What a command does not need is not loaded.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: Object.keys(dependencies),
  metafile: true,
  logLevel: 'warning',
});

// The console is a bundle of its own.
await cp('../console/dist/page', 'dist/program/console', { recursive: true });

const foreign = Object.keys(metafile.inputs).filter((path) => path.includes('node_modules/'));
if (foreign.length > 0) throw new Error(`Not among the dependencies of the program: ${foreign.join(', ')}`);
