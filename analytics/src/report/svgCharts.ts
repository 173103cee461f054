const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (content: string): string => content.replaceAll(/[&<>"]/g, (sign) => entities[sign] ?? sign);

const text = (x: number, y: number, content: string, attributes = ''): string =>
  `<text x="${x}" y="${y}"${attributes === '' ? '' : ` ${attributes}`}>${escaped(content)}</text>`;

interface Drawing {
  readonly title: string;
  readonly subtitle: string;
  readonly width: number;
  readonly height: number;
  readonly parts: readonly string[];
}

/** A picture on its own, with its title above: what is drawn begins below 56. */
const svg = ({ title, subtitle, width, height, parts }: Drawing): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}" font-family="sans-serif" font-size="13">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    text(12, 22, title, 'font-size="15" font-weight="bold"'),
    text(12, 42, subtitle, 'fill="#555555"'),
    ...parts,
    '</svg>',
    '',
  ].join('\n');

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

/** Pixels, of every chart. */
const width = 720;

const labelWidth = 250;
const valueWidth = 90;
const rowHeight = 30;
const barHeight = 18;
const barTop = 56;
const barBottom = 12;
const barSpace = width - labelWidth - valueWidth;

/** Values as bars from the left, the highest being all there is room for; on its own, as SVG. */
export const barChart = ({ title, subtitle, bars, full = 0 }: BarChart): string => {
  const largest = Math.max(full, ...bars.flatMap(({ value, range = [value, value] }) => [value, ...range]));
  const height = barTop + bars.length * rowHeight + barBottom;
  const parts = bars.flatMap((bar, index) => drawn(bar, index, largest));
  return svg({ title, subtitle, width, height, parts });
};

const drawn = ({ label, value, text: shown, range, isStrong }: Bar, index: number, largest: number) => {
  const y = barTop + index * rowHeight;
  const along = (of: number): number => Math.round((largest === 0 ? 0 : of / largest) * barSpace * 10) / 10;
  const [lowest, highest] = (range ?? [value, value]).map((of) => labelWidth + along(of));
  return [
    text(labelWidth - 8, y + 14, label, 'text-anchor="end"'),
    `<rect x="${labelWidth}" y="${y}" width="${along(value)}" height="${barHeight}" fill="${isStrong ? '#2f6fde' : '#b4bcc8'}"/>`,
    ...(range ? [`<path d="M${lowest} ${y + barHeight / 2}H${highest}" stroke="#333333"/>`] : []),
    text(Number(highest) + 6, y + 14, shown),
  ];
};

export interface ColumnChart {
  readonly title: string;
  readonly subtitle: string;
  /** From left to right. */
  readonly columns: readonly { readonly label: string; readonly value: number }[];
  readonly format: (value: number) => string;
}

const height = 280;
const left = 70;
const right = 12;
const columnTop = 64;
const columnBottom = 34;
const mostLabels = 6;

const rounded = (value: number): number => Math.round(value * 10) / 10;

/** Values over time as columns, the highest being all there is room for; on its own, as SVG. */
export const columnChart = ({ title, subtitle, columns, format }: ColumnChart): string => {
  const largest = Math.max(0, ...columns.map(({ value }) => value));
  const base = height - columnBottom;
  const step = (width - left - right) / Math.max(1, columns.length);
  const tall = (value: number): number => rounded(largest === 0 ? 0 : (value / largest) * (base - columnTop));
  const every = Math.ceil(columns.length / mostLabels);
  const parts = columns.flatMap(({ label, value }, index) => {
    const x = rounded(left + index * step);
    const bar = `<rect x="${x}" y="${rounded(base - tall(value))}" width="${rounded(Math.max(0.5, step * 0.8))}" height="${tall(value)}" fill="#2f6fde"/>`;
    return index % every === 0 ? [bar, text(x, base + 18, label, 'font-size="11"')] : [bar];
  });
  const axis = [
    `<path d="M${left} ${base}H${width - right}" stroke="#333333"/>`,
    text(left - 8, columnTop + 4, format(largest), 'text-anchor="end"'),
    text(left - 8, base, '0', 'text-anchor="end"'),
  ];
  return svg({ title, subtitle, width, height, parts: [...parts, ...axis] });
};
