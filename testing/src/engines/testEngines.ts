import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { startMissingEngines, stopEngines, type RunningEngine } from './enginesOfARun.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const specs = '*/dist/test/**/*.int.spec.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const exitCodeOf = (stop: AbortSignal): number => 128 + constants.signals[stop.reason as NodeJS.Signals];

/** Aborted by the first SIGINT or SIGTERM, with its name as the reason. The second one ends everything at once. */
const stopSignal = (): AbortSignal => {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(exitCodeOf(stop.signal));
      stop.abort(name);
    });
  return stop.signal;
};

/** Runs the specs on these engines; resolves with the exit code. Arguments (more specs, options) go to mocha as they are. */
const runMocha = async (engines: readonly RunningEngine[], stop: AbortSignal): Promise<number> => {
  const args = ['node_modules/mocha/bin/mocha.js', '--fail-zero', '--spec', specs, ...process.argv.slice(2)];
  const addresses = Object.fromEntries(engines.map(({ variable, address }) => [variable, address]));
  const mocha = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...addresses },
    stdio: 'inherit',
  });
  // It runs the tests in a child, and passes on this signal alone.
  stop.addEventListener('abort', () => mocha.kill('SIGINT'));
  const [code] = (await once(mocha, 'exit')) as [number | null];
  return code ?? 1;
};

const run = async (stop: AbortSignal): Promise<number> => {
  const { engines, failures } = await startMissingEngines(say);
  try {
    for (const failure of failures) say(failure);
    if (stop.aborted) return exitCodeOf(stop);
    if (failures.length > 0) return 1;
    const code = await runMocha(engines, stop);
    return stop.aborted ? exitCodeOf(stop) : code;
  } finally {
    await stopEngines(engines, say);
  }
};

process.exitCode = await run(stopSignal());
// What an engine may have left behind must not keep a finished run.
process.exit();
