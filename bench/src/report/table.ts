/** A Markdown table that also reads well in a terminal: the first column to the left, figures to the right. */
export const renderTable = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => (row[column] ?? '').length)),
  );
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => pad(row[column] ?? '', width, column)).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => dashes(width, column)).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
};

const pad = (text: string, width: number, column: number): string =>
  column === 0 ? text.padEnd(width) : text.padStart(width);

const dashes = (width: number, column: number): string =>
  column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`;
