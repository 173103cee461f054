import { svg, text } from './svg.js';

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** What stands behind the bar. */
  readonly text: string;
  /** From where to where the value was found; a line across the bar. */
  readonly range?: readonly [lowest: number, highest: number];
  readonly isStrong: boolean;
}

export interface BarChart {
  readonly title: string;
  readonly subtitle: string;
  readonly bars: readonly Bar[];
  /** What a bar over all the room stands for, unless one is larger. */
  readonly full?: number;
}

const width = 720;
const labelWidth = 250;
const valueWidth = 90;
const rowHeight = 30;
const barHeight = 18;
const top = 56;
const bottom = 12;
const barSpace = width - labelWidth - valueWidth;

/** Values as bars from the left, the highest being all there is room for; on its own, as SVG. */
export const barChart = ({ title, subtitle, bars, full = 0 }: BarChart): string => {
  const largest = Math.max(full, ...bars.flatMap(({ value, range = [value, value] }) => [value, ...range]));
  const height = top + bars.length * rowHeight + bottom;
  const parts = bars.flatMap((bar, index) => drawn(bar, index, largest));
  return svg({ title, subtitle, width, height, parts });
};

const drawn = ({ label, value, text: shown, range, isStrong }: Bar, index: number, largest: number) => {
  const y = top + index * rowHeight;
  const along = (of: number): number => Math.round((largest === 0 ? 0 : of / largest) * barSpace * 10) / 10;
  const [lowest, highest] = (range ?? [value, value]).map((of) => labelWidth + along(of));
  return [
    text(labelWidth - 8, y + 14, label, 'text-anchor="end"'),
    `<rect x="${labelWidth}" y="${y}" width="${along(value)}" height="${barHeight}" fill="${isStrong ? '#2f6fde' : '#b4bcc8'}"/>`,
    ...(range ? [`<path d="M${lowest} ${y + barHeight / 2}H${highest}" stroke="#333333"/>`] : []),
    text(Number(highest) + 6, y + 14, shown),
  ];
};
