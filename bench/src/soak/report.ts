import { renderTable } from '@roomwire/analytics/report/formatReport';
import { median } from '../measure/comparison.js';
import type { ClusterOutcome } from './cluster/soakCluster.js';
import type { Trend } from './memory.js';
import type { SoakOptions } from './options.js';
import type { Outcome, SiegeOutcome } from './soak.js';

/** As Markdown. */
export const reportText = (options: SoakOptions, outcome: Outcome): string => {
  const { seconds, clients, rooms, rate, seed } = options;
  const { counts, held, resident, failures, serviceCpu, ownCpu } = outcome;
  const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
  return [
    `## Soak: ${clients} clients in ${rooms} rooms, ${rate} messages a second, ${seconds} s (seed ${seed})`,
    '',
    countsText('what', counts),
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
    ...verdict(failures),
  ].join('\n');
};

/** As Markdown. */
export const clusterReportText = (
  { seconds, rooms, rate, seed }: SoakOptions,
  { counts, struck, latencies, failures }: ClusterOutcome,
): string =>
  [
    `## Soak of a cluster: ${rooms} rooms, ${rate} messages a second, ${seconds} s (seed ${seed})`,
    '',
    countsText('fault', struck),
    '',
    renderTable(
      ['deliveries of what was published', 'p50', 'p99', 'samples'],
      latencies.map(({ phase, p50, p99, samples }) => [
        phase,
        `${p50.toFixed(1)} ms`,
        `${p99.toFixed(1)} ms`,
        String(samples),
      ]),
    ),
    '',
    countsText('what', counts),
    '',
    ...verdict(failures),
  ].join('\n');

const countsText = (what: string, counts: Readonly<Record<string, number>>): string =>
  renderTable(
    [what, 'times'],
    Object.entries(counts)
      .sort()
      .map(([name, count]) => [name, String(count)]),
  );

const verdict = (failures: readonly string[]): readonly string[] => [
  ...(failures.length === 0 ? ['Passed.'] : ['FAILED:', ...failures.map((failure) => `- ${failure}`)]),
  '',
];

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
  countsText('attack and what it met', outcomes),
  '',
];

const trendText = ({ megabytes, grown }: Trend): string =>
  `${megabytes.toFixed(1)} MB in the middle, grown by ${grown.toFixed(1)} MB since the beginning was over`;
