#!/usr/bin/env -S node --disable-proto=delete --v8-pool-size=0 --max-semi-space-size=8
import { existsSync } from 'node:fs';

const program = new URL('../dist/src/cli/main.js', import.meta.url);
if (!existsSync(program)) {
  console.error('Roomwire is not built yet: run `npm run build` first.');
  process.exit(2);
}
await import(program.href);
