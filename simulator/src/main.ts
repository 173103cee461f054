import { register } from 'node:module';
import { readOptions, usage, type Options } from './options.js';
import type { Outcome } from './run/simulate.js';

/** So much of the trace of a failing seed is shown. */
const shownLines = 400;
/** So many violations of each rule are shown. */
const shownByRule = 5;

const say = (text: string): void => void process.stdout.write(text);

const shown = (violations: readonly string[]): string[] => {
  const seen = new Map<string, number>();
  return violations.filter((violation) => {
    const rule = violation.slice(0, violation.indexOf(':'));
    const count = (seen.get(rule) ?? 0) + 1;
    seen.set(rule, count);
    return count <= shownByRule;
  });
};

const report = ({ seed, violations, digest, counts }: Outcome): void => {
  const verdict = violations.length === 0 ? 'passes' : `FAILS with ${violations.length} violations`;
  say(`seed ${seed} ${verdict} (trace ${digest}, ${JSON.stringify(counts)})\n`);
  for (const violation of shown(violations)) say(`  ${violation}\n`);
};

const run = async ({
  firstSeed,
  seeds,
  forMs,
  showsTrace,
  fault,
  stopsAtFailure,
}: Options): Promise<number> => {
  if (fault !== undefined) register('./known-faults/loadHooks.js', import.meta.url, { data: fault });
  // After the hooks are there.
  const { simulate } = await import('./run/simulate.js');
  const from = performance.now();
  let [done, failed, virtualMs] = [0, 0, 0];
  const isOver = (): boolean => (forMs > 0 ? performance.now() - from >= forMs : done >= seeds);
  for (let seed = firstSeed; !isOver() && !(stopsAtFailure && failed > 0); seed += 1) {
    const outcome = await simulate({ seed, keepsTrace: showsTrace });
    done += 1;
    virtualMs += outcome.virtualMs;
    report(outcome);
    if (showsTrace) say(outcome.trace.join(''));
    if (outcome.violations.length === 0) continue;
    failed += 1;
    if (showsTrace || fault !== undefined) continue;
    const again = await simulate({ seed, keepsTrace: true });
    say(
      `  the trace ends with (all of it: --seed ${seed} --trace)\n${again.trace.slice(-shownLines).join('')}`,
    );
    if (again.digest !== outcome.digest) say('  which is not the trace of the first run\n');
  }
  const [seconds, minutes] = [(performance.now() - from) / 1_000, virtualMs / 60_000];
  say(
    `${done} seeds, ${failed} failed; ${minutes.toFixed(1)} cluster-minutes in ${seconds.toFixed(1)} s, ` +
      `${(minutes / seconds).toFixed(1)} a second\n`,
  );
  return failed === 0 ? 0 : 1;
};

/** Exit code 0: all seeds pass; 1: one has failed; 2: the command line. */
const main = async (): Promise<number> => {
  let options: Options | undefined;
  try {
    options = readOptions(process.argv.slice(2), Date.now());
  } catch (error) {
    process.stderr.write(`${String(error)}\n\n${usage}`);
    return 2;
  }
  if (options !== undefined) return run(options);
  say(usage);
  return 0;
};

process.exitCode = await main();
