import { renderTable } from '@roomwire/infra/report/table';
import type { Trend } from './memoryTrend.js';
import type { SoakOptions } from './options.js';
import type { Outcome } from './soak.js';

/** As Markdown. */
export const reportText = (options: SoakOptions, outcome: Outcome): string => {
  const { seconds, clients, rooms, rate, seed } = options;
  const { counts, held, failures, serviceCpu, ownCpu } = outcome;
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
      ['after', 'held'],
      held.map((sample) => [`${sample.seconds.toFixed(0)} s`, `${sample.megabytes.toFixed(1)} MB`]),
    ),
    '',
    `Held ${trendText(outcome.heldTrend)}; ${outcome.heldAfterwards.toFixed(1)} MB when all were gone.`,
    `Resident ${trendText(outcome.residentTrend)}.`,
    '',
    ...(failures.length === 0 ? ['Passed.'] : ['FAILED:', ...failures.map((failure) => `- ${failure}`)]),
    '',
  ].join('\n');
};

const trendText = ({ megabytes, grown }: Trend): string =>
  `${megabytes.toFixed(1)} MB in the middle, grown by ${grown.toFixed(1)} MB since the beginning was over`;
