import type { Comparison, Figure, Row } from '../measure/comparison.js';
import { figuresOf, median } from '../measure/rounds.js';
import { formatValue } from './format.js';

const width = 720;
const labelWidth = 250;
const valueWidth = 90;
const rowHeight = 30;
const barHeight = 18;
const top = 56;
const bottom = 12;
const barSpace = width - labelWidth - valueWidth;

/** The first figure of each row as a bar of the median, with a line from the lowest to the highest; on its own, as SVG. */
export const chart = ({ title, figures: [figure], rows }: Comparison): string => {
  const shown = rows.filter((row) => Number.isFinite(middle(row, figure)));
  const largest = Math.max(0, ...shown.flatMap((row) => measured(row, figure)));
  const height = top + shown.length * rowHeight + bottom;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}" font-family="sans-serif" font-size="13">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    text(12, 22, title, 'font-size="15" font-weight="bold"'),
    text(12, 42, `${figure.label}, ${figure.unit === 'rate' ? 'more' : 'less'} is better`, 'fill="#555555"'),
    ...shown.flatMap((row, index) => bar(row, figure, index, largest)),
    '</svg>',
    '',
  ].join('\n');
};

/** For a file that holds the chart. */
export const chartName = ({ title }: Comparison): string => {
  const words = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return `${words.replaceAll(/^-|-$/g, '')}.svg`;
};

const bar = (row: Row, figure: Figure, index: number, largest: number): readonly string[] => {
  const y = top + index * rowHeight;
  const value = middle(row, figure);
  const values = measured(row, figure);
  const along = (of: number): number => Math.round((largest === 0 ? 0 : of / largest) * barSpace * 10) / 10;
  const [lowest, highest] = [Math.min(...values), Math.max(...values)].map((of) => labelWidth + along(of));
  const center = y + barHeight / 2;
  return [
    text(labelWidth - 8, y + 14, row.peer, 'text-anchor="end"'),
    `<rect x="${labelWidth}" y="${y}" width="${along(value)}" height="${barHeight}" fill="${index === 0 ? '#2f6fde' : '#b4bcc8'}"/>`,
    `<path d="M${lowest} ${center}H${highest}" stroke="#333333"/>`,
    text(Number(highest) + 6, y + 14, formatValue(value, figure.unit)),
  ];
};

const measured = ({ rounds }: Row, { name }: Figure): readonly number[] =>
  figuresOf(rounds, name).filter(Number.isFinite);

const middle = ({ rounds }: Row, { name }: Figure): number => median(figuresOf(rounds, name));

const text = (x: number, y: number, content: string, attributes = ''): string =>
  `<text x="${x}" y="${y}"${attributes === '' ? '' : ` ${attributes}`}>${escaped(content)}</text>`;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (content: string): string => content.replaceAll(/[&<>"]/g, (sign) => entities[sign] ?? sign);
