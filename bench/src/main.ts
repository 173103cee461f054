import { writeFile } from 'node:fs/promises';
import { type Comparison, figuresOf } from './measure/comparison.js';
import { readOptions, usage, UsageError, type Options } from './options.js';
import { killChildren, stopChildren } from './process/children.js';
import { chooseCores } from './process/cores.js';
import { makeWorkFolder } from './process/workFolder.js';
import { comparisonText, describeMachine } from './report/text.js';
import { writeCharts } from './report/charts.js';
import type { Ground } from './scenarios/scenario.js';
import { scenarios } from './scenarios/scenarios.js';

const main = async (): Promise<void> => {
  const options = optionsOrExit();
  const cores = chooseCores();
  const folder = makeWorkFolder(options.folder);
  cleanUpOnExit(() => folder.remove());
  const machine = describeMachine(cores, folder);
  print([...machine.map((line) => `- ${line}`), ''].join('\n'));

  const comparisons = await runAll(options, { settings: options, cores, folder, say });
  // What a failed measurement may have left would keep this process waiting.
  await stopChildren();
  if (options.json !== undefined) await writeFile(options.json, report(options, machine, comparisons));
  if (options.charts !== undefined) await writeCharts(options.charts, comparisons);
  if (comparisons.some(hasLosses)) fail('Messages were lost');
};

const optionsOrExit = (): Options => {
  try {
    const options = readOptions(process.argv.slice(2), scenarios);
    if (options !== undefined) return options;
    print(usage(scenarios));
    process.exit(0);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n\n${usage(scenarios)}`);
    process.exit(2);
  }
};

/** A measurement that fails leaves the others their turn. */
const runAll = async ({ scenarios: chosen }: Options, ground: Ground): Promise<readonly Comparison[]> => {
  const all: Comparison[] = [];
  for (const scenario of chosen) {
    try {
      const comparisons = await scenario.run(ground);
      for (const comparison of comparisons) print(comparisonText(comparison));
      all.push(...comparisons);
    } catch (error) {
      fail(`${scenario.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
  }
  return all;
};

const hasLosses = ({ rows }: Comparison): boolean =>
  rows.some(({ rounds }) => figuresOf(rounds, 'lost').some((lost) => lost > 0));

const report = (
  { seconds, runs }: Options,
  machine: readonly string[],
  comparisons: readonly Comparison[],
): string =>
  `${JSON.stringify({ at: new Date().toISOString(), machine, seconds, runs, comparisons }, null, 2)}\n`;

/** Whatever ends this process ends its children and removes their data. */
const cleanUpOnExit = (removeFolder: () => void): void => {
  process.once('exit', () => {
    killChildren();
    removeFolder();
  });
  const stop = (): void => void stopChildren().finally(() => process.exit(130));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
};

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Progress goes where it does not get into a file with the tables. */
const say = (progress: string): void => void process.stderr.write(`${progress}\n`);

const fail = (message: string): void => {
  process.exitCode = 1;
  process.stderr.write(`${message}\n`);
};

await main();
