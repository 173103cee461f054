import type { Measured } from '../measure/measured.js';
import { placements } from '../model/placement.js';
import { table } from './table.js';

const headings = {
  together: 'The clients of a project together',
  anywhere: 'Clients anywhere',
} as const;

/** All tables, as a page of their own. */
export const figuresPage = (command: string, clusters: readonly Measured[]): string =>
  [
    '# Figures of clusters by size',
    `Written by \`${command}\`; [SCALE.md](../SCALE.md) says what they are.`,
    ...placements.flatMap((placement) => [
      `## ${headings[placement]}`,
      table(clusters.filter(({ size }) => size.placement === placement)),
    ]),
    '',
  ].join('\n\n');
