import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Loaded before a program: on SIGUSR2 it collects its garbage and prints `memory {…}` with what is left, in bytes. */
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
process.on('SIGUSR2', () => {
  collect();
  process.stdout.write(`memory ${JSON.stringify(process.memoryUsage())}\n`);
});
