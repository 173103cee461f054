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
