import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** From the built test. */
const main = fileURLToPath(new URL('../../src/main.js', import.meta.url));

/** A simulation takes some seconds of a core. */
export const timeoutMs = 240_000;

/** In a process of its own: a simulation replaces the timers of its process. */
export const run = (...args: readonly string[]) =>
  spawnSync(process.execPath, [main, ...args], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
