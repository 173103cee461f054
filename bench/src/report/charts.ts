import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { barChart } from '@roomwire/analytics/report/svgCharts';
import { type Comparison, type Figure, figuresOf, median, type Row } from '../measure/comparison.js';
import { formatValue } from './text.js';

/** The first figure of each row as a bar of the median, with a line from the lowest to the highest; on its own, as SVG. */
export const chart = ({ title, figures: [figure], rows }: Comparison): string =>
  barChart({
    title,
    subtitle: `${figure.label}, ${figure.unit === 'rate' ? 'more' : 'less'} is better`,
    bars: rows
      .filter((row) => Number.isFinite(middle(row, figure)))
      .map((row, index) => {
        const [value, values] = [middle(row, figure), measured(row, figure)];
        return {
          label: row.peer,
          value,
          text: formatValue(value, figure.unit),
          range: [Math.min(...values), Math.max(...values)],
          isStrong: index === 0,
        };
      }),
  });

/** For a file that holds the chart. */
export const chartName = ({ title }: Comparison): string => {
  const words = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return `${words.replaceAll(/^-|-$/g, '')}.svg`;
};

const measured = ({ rounds }: Row, { name }: Figure): readonly number[] =>
  figuresOf(rounds, name).filter(Number.isFinite);

const middle = ({ rounds }: Row, { name }: Figure): number => median(figuresOf(rounds, name));

/** One file a comparison, in a folder that is made when it is not there. */
export const writeCharts = async (folder: string, comparisons: readonly Comparison[]): Promise<void> => {
  await mkdir(folder, { recursive: true });
  for (const comparison of comparisons)
    await writeFile(join(folder, chartName(comparison)), chart(comparison));
};
