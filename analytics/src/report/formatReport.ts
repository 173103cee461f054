import type { Row } from '../store/duckDb.js';
import type { Answer, Report } from './report.js';
import type { Heading, Unit } from './questions.js';

/** A Markdown table that also reads well in a terminal: the first columns (one unless told) to the left, figures to the right. */
export const renderTable = (
  head: readonly string[],
  rows: readonly (readonly string[])[],
  texts = 1,
): string => {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => (row[column] ?? '').length)),
  );
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => pad(row[column] ?? '', width, column < texts)).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => dashes(width, column < texts)).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
};

const pad = (text: string, width: number, isText: boolean): string =>
  isText ? text.padEnd(width) : text.padStart(width);

const dashes = (width: number, isText: boolean): string =>
  isText ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`;

const byteSizes = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Decimal sizes: 1 kB is 1,000 bytes. */
export const formatBytes = (bytes: number): string => {
  const power = Math.min(byteSizes.length - 1, bytes < 1_000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** power;
  return `${power === 0 ? value : value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${byteSizes[power]}`;
};

export const formatCount = (count: number): string => count.toLocaleString('en-US');

export const formatTime = (time: Date): string => time.toISOString().slice(0, 16).replace('T', ' ');

const formats: { readonly [U in Unit]: (value: never) => string } = {
  text: (value: unknown) => String(value),
  count: formatCount,
  bytes: formatBytes,
  percent: (value: number) => `${value.toFixed(value === 100 ? 0 : 1)} %`,
  milliseconds: (value: number) => `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`,
  time: formatTime,
};

const cell = ({ name, unit }: Heading, row: Row): string => {
  const value = row[name];
  return value === null || value === undefined ? '-' : formats[unit](value as never);
};

/** A column of projects or scopes is omitted when it is the same in all rows. */
const isShown = ({ name }: Heading, rows: readonly Row[]): boolean =>
  (name !== 'project_id' && name !== 'scope') || new Set(rows.map((row) => row[name])).size > 1;

const isText = ({ unit }: Heading): boolean => unit === 'text' || unit === 'time';

const section = ({ question, rows: all }: Answer): string => {
  const rows = question.lastRows === undefined ? all : all.slice(-question.lastRows);
  const headings = question.headings.filter((heading) => isShown(heading, rows));
  const head = headings.map(({ label }) => label);
  const cells = rows.map((row) => headings.map((heading) => cell(heading, row)));
  const texts = headings.findIndex((heading) => !isText(heading));
  return `${question.title}\n\n${rows.length === 0 ? 'None.' : renderTable(head, cells, texts)}\n`;
};

/** For people. */
export const formatReport = ({ answers, missing }: Report): string =>
  [...answers.map(section), ...warnings(missing)].join('\n');

const warnings = (missing: Report['missing']): readonly string[] =>
  Object.entries(missing)
    .filter(([, records]) => records > 0)
    .map(
      ([stream, records]) =>
        `Up to ${formatCount(records)} records of ${stream} are not in these figures: the brokers had removed them before they were read.\n`,
    );

/** For programs: every answer by its name, times as ISO 8601, nothing rounded. */
export const reportAsJson = ({ answers, missing }: Report): string => {
  const byName = answers.map(({ question, rows }) => [question.name, rows] as const);
  return `${JSON.stringify({ ...Object.fromEntries(byName), missing }, null, 2)}\n`;
};
