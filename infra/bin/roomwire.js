#!/usr/bin/env -S node --disable-proto=delete --v8-pool-size=0 --max-semi-space-size=8
import { existsSync } from 'node:fs';

/** Of a build of the repository, and of the packed program, which is one bundle. */
const builds = ['../dist/src/cli/main.js', '../dist/program/main.js'];
const program = builds.map((path) => new URL(path, import.meta.url)).find((url) => existsSync(url));
if (program === undefined) {
  console.error('Roomwire is not built yet: run `npm run build` first.');
  process.exit(2);
}
await import(program.href);
