import { renderTable } from '@roomwire/infra/report/table';
import type { Comparison, Figure, Row } from '../measure/comparison.js';
import { figuresOf, median, medianRatio } from '../measure/rounds.js';
import { formatRatio, formatValue } from './format.js';

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
