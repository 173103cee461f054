import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { renderTable } from '@roomwire/analytics/report/formatReport';
import {
  type Comparison,
  type Figure,
  figuresOf,
  median,
  medianRatio,
  type Row,
  type Unit,
} from '../measure/comparison.js';
import { type Cores, describeCores } from '../process/cores.js';
import type { WorkFolder } from '../process/workFolder.js';

const significant = (value: number): string => {
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
};

const large = (value: number): string => {
  if (value >= 1_000_000) return `${significant(value / 1_000_000)} M`;
  return value >= 1_000 ? `${significant(value / 1_000)} k` : value.toFixed(0);
};

const formats: { readonly [U in Unit]: (value: number) => string } = {
  count: (value) => value.toFixed(0),
  share: (value) => value.toFixed(2),
  rate: large,
  milliseconds: (value) => `${significant(value)} ms`,
  microseconds: significant,
  percent: (value) => `${value.toFixed(0)} %`,
  kilobytes: (value) => `${significant(value)} kB`,
  megabytes: (value) => `${value.toFixed(0)} MB`,
};

/** What could not be measured here is a dash. */
export const formatValue = (value: number, unit: Unit): string =>
  Number.isFinite(value) ? formats[unit](value) : '-';

export const formatRatio = (ratio: number): string =>
  Number.isFinite(ratio) ? `${significant(ratio)}x` : '-';

/** Medians over the rounds, the spread of the first figure, and its ratio between the first row and each other one. */
export const comparisonText = ({ title, figures, rows, notes }: Comparison): string => {
  const [main, ...others] = figures;
  const head = ['', main.label, 'lowest - highest', '1st / this', ...others.map(({ label }) => label)];
  const cells = rows.map((row, index) => [
    row.peer,
    middle(row, main),
    spread(row, main),
    index === 0 ? '' : formatRatio(medianRatio(rows[0] as Row, row, main.name)),
    ...others.map((figure) => middle(row, figure)),
  ]);
  const rounds = rows[0]?.rounds.length ?? 0;
  const reading = `medians of ${rounds} alternated ${rounds === 1 ? 'round' : 'rounds'}; ${main.label}: ${direction(main)} is better`;
  return [
    `### ${title}`,
    '',
    renderTable(head, cells),
    '',
    ...[reading, ...notes].map((note) => `- ${note}`),
    '',
  ].join('\n');
};

const middle = ({ rounds }: Row, { name, unit }: Figure): string =>
  formatValue(median(figuresOf(rounds, name)), unit);

const spread = ({ rounds }: Row, { name, unit }: Figure): string => {
  const values = figuresOf(rounds, name);
  return `${formatValue(Math.min(...values), unit)} - ${formatValue(Math.max(...values), unit)}`;
};

const direction = ({ unit }: Figure): string => (unit === 'rate' ? 'more' : 'less');

/** The ground on which the figures stand; without it they mean nothing. */
export const describeMachine = (cores: Cores, folder: WorkFolder): readonly string[] => [
  `${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()} ${release()}`,
  `Node ${process.version}`,
  `${new Date().toISOString().slice(0, 16)}Z, load average before the run ${loadavg()
    .map((load) => load.toFixed(1))
    .join(', ')}`,
  describeCores(cores),
  ...(folder.isInMemory
    ? [`${folder.path} is in memory: figures of durable writes are worthless, use --folder`]
    : []),
];
