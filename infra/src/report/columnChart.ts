import { svg, text } from './svg.js';

export interface ColumnChart {
  readonly title: string;
  readonly subtitle: string;
  /** From left to right. */
  readonly columns: readonly { readonly label: string; readonly value: number }[];
  readonly format: (value: number) => string;
}

const width = 720;
const height = 280;
const left = 70;
const right = 12;
const top = 64;
const bottom = 34;
const mostLabels = 6;

const rounded = (value: number): number => Math.round(value * 10) / 10;

/** Values over time as columns, the highest being all there is room for; on its own, as SVG. */
export const columnChart = ({ title, subtitle, columns, format }: ColumnChart): string => {
  const largest = Math.max(0, ...columns.map(({ value }) => value));
  const base = height - bottom;
  const step = (width - left - right) / Math.max(1, columns.length);
  const tall = (value: number): number => rounded(largest === 0 ? 0 : (value / largest) * (base - top));
  const every = Math.ceil(columns.length / mostLabels);
  const parts = columns.flatMap(({ label, value }, index) => {
    const x = rounded(left + index * step);
    const bar = `<rect x="${x}" y="${rounded(base - tall(value))}" width="${rounded(Math.max(0.5, step * 0.8))}" height="${tall(value)}" fill="#2f6fde"/>`;
    return index % every === 0 ? [bar, text(x, base + 18, label, 'font-size="11"')] : [bar];
  });
  const axis = [
    `<path d="M${left} ${base}H${width - right}" stroke="#333333"/>`,
    text(left - 8, top + 4, format(largest), 'text-anchor="end"'),
    text(left - 8, base, '0', 'text-anchor="end"'),
  ];
  return svg({ title, subtitle, width, height, parts: [...parts, ...axis] });
};
