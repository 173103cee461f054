import type { Measured } from '../measure/measured.js';
import { figures } from './figures.js';

/** Three digits that count, as people write them. */
export const shownNumber = (value: number): string => {
  if (value === 0) return '0';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  const rounded = Number(value.toPrecision(3));
  return rounded.toLocaleString('en-US', { maximumFractionDigits: digits });
};

/** The figures of clusters of one placement, the smallest first, and how the last is to the first: Markdown. */
export const table = (clusters: readonly Measured[]): string => {
  const sizes = clusters.map(({ size }) => `${size.gateways} gateways`);
  const rows = figures.map(({ name, of }) => {
    const values = clusters.map(of);
    return [name, ...values.map(shownNumber), growth(values)];
  });
  const head = ['by gateway and second', ...sizes, 'growth'];
  return [head, head.map((_, column) => (column === 0 ? '---' : '---:')), ...rows].map(row).join('\n');
};

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const growth = (values: readonly number[]): string => {
  const [first = 0, last = 0] = [values[0], values.at(-1)];
  return first === 0 ? '–' : `x ${shownNumber(last / first)}`;
};
