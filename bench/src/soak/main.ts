import { randomInt } from 'node:crypto';
import { renderTable } from '@roomwire/analytics/report/formatReport';
import { median } from '../measure/comparison.js';
import type { Trend } from './memory.js';
import { readSoakOptions, type SoakOptions, soakUsage } from './options.js';
import { type Outcome, type SiegeOutcome, soak } from './soak.js';
import { UsageError } from '../options.js';
import { killChildren, stopChildren } from '../process/children.js';
import { makeWorkFolder } from '../process/workFolder.js';

/** As Markdown. */
const reportText = (options: SoakOptions, outcome: Outcome): string => {
  const { seconds, clients, rooms, rate, seed } = options;
  const { counts, held, resident, failures, serviceCpu, ownCpu } = outcome;
  const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
  return [
    `## Soak: ${clients} clients in ${rooms} rooms, ${rate} messages a second, ${seconds} s (seed ${seed})`,
    '',
    renderTable(
      ['what', 'count'],
      Object.entries(counts)
        .sort()
        .map(([what, count]) => [what, String(count)]),
    ),
    '',
    `Service ${percent(serviceCpu)} of a core, clients ${percent(ownCpu)}.`,
    '',
    renderTable(
      ['after', 'held', 'resident until the next look, middle', 'most'],
      held.map(({ seconds: at, megabytes }, index) => {
        const next = held[index + 1]?.seconds ?? Infinity;
        const between = resident.filter((sample) => sample.seconds >= at && sample.seconds < next);
        const sizes = between.map((sample) => sample.megabytes);
        return [`${at.toFixed(0)} s`, ...[megabytes, median(sizes), Math.max(...sizes)].map(megabyteText)];
      }),
    ),
    '',
    `Held ${trendText(outcome.heldTrend)}; ${outcome.heldAfterwards.toFixed(1)} MB when all were gone.`,
    `Resident ${trendText(outcome.residentTrend)}.`,
    '',
    ...(outcome.siege === undefined ? [] : siegeText(outcome.siege)),
    ...(failures.length === 0 ? ['Passed.'] : ['FAILED:', ...failures.map((failure) => `- ${failure}`)]),
    '',
  ].join('\n');
};

const megabyteText = (megabytes: number): string => `${megabytes.toFixed(1)} MB`;

const siegeText = ({ latencies, outcomes }: SiegeOutcome): readonly string[] => [
  renderTable(
    ['others wait for', 'p99 alone', 'p99 attacked', 'times', 'samples'],
    latencies.map(({ wait, calmP99, attackedP99, ratio, samples }) => [
      wait,
      `${calmP99.toFixed(1)} ms`,
      `${attackedP99.toFixed(1)} ms`,
      ratio.toFixed(2),
      String(samples),
    ]),
  ),
  '',
  renderTable(
    ['attack and what it met', 'times'],
    Object.entries(outcomes)
      .sort()
      .map(([outcome, times]) => [outcome, String(times)]),
  ),
  '',
];

const trendText = ({ megabytes, grown }: Trend): string =>
  `${megabytes.toFixed(1)} MB in the middle, grown by ${grown.toFixed(1)} MB since the beginning was over`;

/** Exit code 0: nothing went wrong; 1: something did, or the run could not be made; 2: the command line. */
const main = async (): Promise<void> => {
  const options = optionsOrExit();
  const folder = makeWorkFolder(options.folder);
  process.once('exit', () => {
    killChildren();
    folder.remove();
  });
  const stop = (): void => void stopChildren().finally(() => process.exit(130));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);

  const outcome = await soak(options, await folder.inside('soak'), say);
  process.stdout.write(reportText(options, outcome));
  process.exit(outcome.failures.length === 0 ? 0 : 1);
};

const optionsOrExit = (): SoakOptions => {
  try {
    const options = readSoakOptions(process.argv.slice(2), randomInt(2 ** 32));
    if (options !== undefined) return options;
    process.stdout.write(soakUsage);
    process.exit(0);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n\n${soakUsage}`);
    process.exit(2);
  }
};

/** Progress goes where it does not get into a file with the report. */
const say = (progress: string): void => void process.stderr.write(`${progress}\n`);

await main();
